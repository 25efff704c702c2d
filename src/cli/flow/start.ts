import { fail, type Result, succeed } from '../../core/failure';
import type { JsonObject } from '../../core/json';
import { type Beginning, started, suspended } from '../../guards/workflow/moves';
import { activeWorkflow } from '../../guards/workflow/state';
import { NO_PROJECT } from '../messages';
import { refuse } from '../req/refuse';
import type { Context, ExitCode, Verb } from '../verb';
import { branchTrouble, type Switched, switchTo } from './branch';
import { changeFlow, type Here, type Move } from './change-flow';
import { noteChange } from './note-change';
import { type FlowPlace, openFlow, readState } from './place';
import * as say from './start-messages';
import { artifactFor, branchFor, type StartOptions, startOptions } from './start-options';
import { flowJson } from './status-json';

export const verb: Verb = {
  usage: [
    'holdpoint flow start WORKFLOW [--artifact ID] [--branch NAME] [--description TEXT] [--atdd]',
    '         [--no-scan | --no-tracing] [--from PHASE] [--skip PHASE]… [--json]',
  ].join('\n'),
  async run(args, context): Promise<ExitCode> {
    const { out } = context;
    const place = openFlow(context);
    if (place === undefined) return refuse(context, NO_PROJECT, 2);
    for (const problem of place.model.problems) out.error(problem);
    const stranger = unknownProject(place);
    if (stranger !== undefined) return refuse(context, stranger, 2);
    const options = startOptions(args, place.model);
    if (!options.ok) return refuse(context, options.failure, 2);
    const state = readState(place);
    if (!state.ok) return refuse(context, state.failure, 1);
    const busy = busyWith(place, state.value);
    if (busy !== undefined) return refuse(context, busy, 1);
    const artifact = artifactFor(options.value, state.value);
    const name = branchFor(options.value, artifact, place.project);
    const branch = await onBranch(name, options.value, place, context);
    if (!branch.ok) return refuse(context, branch.failure, 1);
    const { workflow, phases, description, atdd, json } = options.value;
    const beginning: Beginning = {
      workflow,
      phases,
      ...(description !== undefined && { description }),
      ...(artifact && { artifact }),
      ...(branch.value && { branch: branch.value }),
      atdd,
    };
    return start(place, beginning, branch.value, json, context);
  },
};

/** A misspelt name would get a state of its own, which nobody ever looks at again. */
function unknownProject({ model: { projects }, project }: FlowPlace): string | undefined {
  const known = (projects?.list ?? []).map(({ id }) => id);
  return project === undefined || known.includes(project) ? undefined : say.noSuchProject(project, known);
}

/** Git goes first: a state that says so must find the branch there. What it cannot say is taken back. */
async function start(
  place: FlowPlace,
  beginning: Beginning,
  branch: Switched | undefined,
  json: boolean,
  context: Context,
): Promise<ExitCode> {
  const { out } = context;
  const moved = changeFlow(place, (here) => planFor(place, here, beginning, branch));
  if (!moved.ok) {
    await branch?.undo();
    return refuse(context, moved.failure, 1);
  }
  const { state, lines, written } = moved.value;
  noteChange(place, 'start', beginning.workflow.name, written, context);
  if (json) out.json(flowJson(place.model, state));
  else for (const line of lines) out.line(line);
  return 0;
}

function planFor(
  place: FlowPlace,
  { state }: Here,
  beginning: Beginning,
  branch: Switched | undefined,
): Result<Move, string> {
  const busy = busyWith(place, state);
  if (busy !== undefined) return fail(busy);
  const now = Date.now();
  return succeed({
    what: `started ${beginning.workflow.name}`,
    apply: (current) => started(makingRoom(current, now), beginning, now),
    lines: say.startedLines(place.model, beginning, branch),
  });
}

/** A suspended workflow makes room for another; one that goes on does so only where the config says so. */
function busyWith({ model }: FlowPlace, state: Here['state']): string | undefined {
  const workflow = activeWorkflow(state);
  const isBusy = workflow?.suspended === false && model.discipline.singleActiveWorkflow;
  return isBusy ? say.alreadyActive(workflow) : undefined;
}

function makingRoom(state: JsonObject, now: number): JsonObject {
  return activeWorkflow(state)?.suspended === false ? suspended(state, now) : state;
}

async function onBranch(
  name: string | undefined,
  { branch: asked }: StartOptions,
  { head, model }: FlowPlace,
  { env, out }: Context,
): Promise<Result<Switched | undefined, string>> {
  if (name === undefined) return succeed(undefined);
  if (head === undefined) {
    if (asked !== undefined) return fail(say.NO_GIT);
    out.error(say.NO_BRANCH_WITHOUT_GIT);
    return succeed(undefined);
  }
  const trouble = await branchTrouble(name, head, model.protectedBranches, env);
  return trouble === undefined ? switchTo(name, head, env) : fail(trouble);
}
