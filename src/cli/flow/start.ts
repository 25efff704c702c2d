import { numberAt } from '../../config/pointer';
import { type JsonObject, withoutUndefined } from '../../core/json';
import { branchLabel, type GitHead, remoteDefault } from '../../git/head';
import { askGit, errorLineOf, type GitAnswer, runGit } from '../../git/run-git';
import {
  type Discipline,
  ownValue,
  type Workflow,
  type WorkflowModel,
  workflowNamed,
} from '../../guards/workflow/model';
import { usesIsdlcDir } from '../../guards/workflow/place';
import { guardedRepository, onProtected } from '../../guards/workflow/rules/branch';
import { activeWorkflow } from '../../guards/workflow/state';
import {
  type Artifact,
  counterOf,
  startWorkflow,
  suspendWorkflow,
  type WorkflowStart,
} from '../../guards/workflow/transitions';
import { type Context, cannotRun, type Options, Refusal } from '../context';
import { hintFor, usageError } from '../messages';
import { printError } from '../ui/output';
import { absenceLines, absentInProject } from './absences';
import { type FlowPlace, readState, requireFlow, runMove, workedOnBy } from './flow';
import { noSuchPhase } from './transitions';

type GivenOptions = Options<'atdd', 'artifact' | 'branch' | 'description' | 'from'> & {
  readonly skip: readonly string[];
};

export async function start(context: Context, values: GivenOptions, words: readonly string[]) {
  const place = requireFlow(context);
  const { model } = place;
  for (const problem of model.problems) printError(problem);
  refuseUnknownProject(place);
  const { workflow, phases } = chosenWorkflow(values, words, model);
  const state = readState(place);
  refuseIfBusy(model, state);
  const artifact = artifactFor(workflow, values, state);
  // Switch first: a state must not name a missing branch. Undone below if the state cannot be written.
  const branch = await switchBranch(values.branch ?? branchFor(workflow, artifact, place), values, place);
  const { description, atdd } = values;
  const course = { workflow: workflow.name, phases };
  const absent = absentInProject(place, course, state);
  const noted = { description, artifact, branch, atdd, absent: usesIsdlcDir(place) ? undefined : absent };
  const workflowStart: WorkflowStart = { workflow, phases, ...withoutUndefined(noted) };
  const [first = ''] = phases;
  const count = phases.length === 1 ? '1 phase' : `${phases.length} phases`;
  const name = [workflow.name, artifact?.name].filter((part) => part !== undefined).join(' ');
  const lines = [
    `Started ${name}: ${count}, first ${first}${workedOnBy(model, startWorkflow({}, workflowStart, 0), first)}.`,
    ...(branch ? [`On ${branch.isNew ? 'the new ' : ''}branch ${branch.name}, from ${branch.from}.`] : []),
    ...absenceLines(place, course, absent),
    'Next: run `holdpoint flow begin`.',
  ];
  try {
    return runMove('start', place, ({ state: before }, now) => {
      refuseIfBusy(model, before);
      const isGoingOn = activeWorkflow(before)?.suspended === false;
      const apply = (current: JsonObject): JsonObject =>
        startWorkflow(isGoingOn ? suspendWorkflow(current, now) : current, workflowStart, now);
      return { what: `started ${workflow.name}`, about: workflow.name, apply, lines };
    });
  } catch (error) {
    await branch?.undo?.(activeWorkflow(readState(place))?.branch?.name);
    throw error;
  }
}

/** With a misspelt name, the workflow would start in the project of the directory. */
function refuseUnknownProject({ model: { projects }, unknownProject }: FlowPlace): void {
  if (unknownProject === undefined) return;
  const known = (projects?.list ?? []).map(({ id }) => id).join(', ');
  throw cannotRun(`Unknown project '${unknownProject}'. Known: ${known}.`);
}

/** Another workflow can start only when this one is suspended, unless the config allows several. */
function refuseIfBusy({ discipline }: WorkflowModel, state: JsonObject): void {
  const workflow = activeWorkflow(state);
  if (workflow?.suspended !== false || !discipline.singleActiveWorkflow) return;
  const what = [workflow.type ?? 'a workflow', workflow.artifact].filter((part) => part !== undefined);
  throw new Refusal(
    `${what.join(' ')} is still active, in ${workflow.phase ?? 'no phase'}. Continue it with \`holdpoint flow advance\`; a person can suspend or cancel it.`,
  );
}

/** The name of a folder, and a part of a branch name. */
const ARTIFACT = /^(?!.*\.\.)(?!.*\.lock$)[A-Za-z0-9][A-Za-z0-9._-]{0,99}(?<!\.)$/;

/** The requested workflow and its phases. Each workflow defines which flags skip which phase. */
function chosenWorkflow(options: GivenOptions, words: readonly string[], model: WorkflowModel) {
  const { artifact } = options;
  const skips = model.workflows.flatMap((workflow) => Object.values(workflow.skips));
  const isFlag = (word: string): boolean => word.startsWith('-');
  const odd = words.filter(isFlag).find((word) => !skips.includes(word.slice(2)));
  if (odd !== undefined) throw cannotRun(usageError('holdpoint flow start', `Unknown option '${odd}'`));
  const [name, ...more] = words.filter((word) => !isFlag(word));
  const names = model.workflows.map((one) => one.name);
  if (name === undefined || more.length > 0)
    throw cannotRun(
      `Which workflow? Use \`holdpoint flow start WORKFLOW\` with one of: ${names.join(', ')}.`,
    );
  const workflow = workflowNamed(model, name);
  if (workflow === undefined) throw cannotRun(`Unknown workflow '${name}'. ${hintFor(name, names)}`);
  if (artifact !== undefined && !ARTIFACT.test(artifact))
    throw cannotRun(
      `'${artifact}' is not a valid artifact name. Use letters, digits, dots, dashes and underscores, such as REQ-0001-login.`,
    );
  const given = skips.filter((flag) => words.includes(`--${flag}`));
  return { workflow, phases: chosenPhases(workflow, given, options, model.discipline) };
}

/** The phases from `from` on, without those that a flag or --skip leaves out. */
function chosenPhases(
  { phases, skips, name }: Workflow,
  flags: readonly string[],
  { skip, from }: GivenOptions,
  { noHalfwayEntry, noPhaseSkipping }: Discipline,
): readonly string[] {
  const idle = flags.find((flag) => !Object.values(skips).includes(flag));
  if (idle !== undefined) throw cannotRun(`--${idle} skips no phase of '${name}'.`);
  if (skip.length > 0 && noPhaseSkipping)
    throw cannotRun(
      '--skip is not allowed here. To allow it, set `discipline: {no_phase_skipping: false}` in the `workflow` config.',
    );
  if (from !== undefined && noHalfwayEntry)
    throw cannotRun(
      '--from is not allowed here. To allow it, set `discipline: {no_halfway_entry: false}` in the `workflow` config.',
    );
  const unknown = [...skip, from ?? []].flat().find((phase) => !phases.includes(phase));
  if (unknown !== undefined) throw noSuchPhase(unknown, phases, 2);
  const chosen = phases
    .slice(from === undefined ? 0 : phases.indexOf(from))
    .filter((phase) => !skip.includes(phase) && !flags.includes(ownValue(skips, phase) ?? ''));
  if (chosen.length === 0) throw cannotRun('No phase is left: all of them are skipped.');
  return chosen;
}

/** The given artifact, else the next number if the workflow has a branch. */
function artifactFor(workflow: Workflow, given: GivenOptions, state: JsonObject): Artifact | undefined {
  const { artifactPrefix: prefix } = workflow;
  const { artifact, description = '' } = given;
  if (artifact !== undefined) {
    const [, digits] = /^([0-9]{1,9})(?:-|$)/.exec(artifact.slice(prefix.length + 1)) ?? [];
    const isNumbered = artifact.startsWith(`${prefix}-`) && digits !== undefined;
    return { name: artifact, ...(isNumbered && { number: Number(digits) }) };
  }
  if (workflow.branch === undefined) return undefined;
  const number = Math.max(1, Math.trunc(numberAt(state, 'counters', counterOf(workflow)) ?? 1));
  const plain = description.normalize('NFKD').replace(/\p{M}/gu, '').toLowerCase();
  const words = plain.match(/[a-z0-9]+/g) ?? [];
  const slug = words.join('-').slice(0, 40).replace(/-$/, '');
  return { name: [prefix, String(number).padStart(4, '0'), slug].filter(Boolean).join('-'), number };
}

/** The name of the workflow's own branch; undefined if it needs none. */
function branchFor(workflow: Workflow, artifact: Artifact | undefined, { project }: FlowPlace) {
  const name = workflow.branch?.replace('{artifact}', artifact?.name ?? workflow.name);
  return name === undefined || project === undefined ? name : `${project}/${name}`;
}

async function switchBranch(
  name: string | undefined,
  { branch: asked }: GivenOptions,
  { head, model, env }: FlowPlace,
) {
  if (name === undefined) return undefined;
  if (head === undefined) {
    if (asked !== undefined) throw new Refusal('--branch needs a git repository, and there is none here.');
    printError('No git repository here, so the workflow starts without a branch.');
    return undefined;
  }
  const git: Git = (...args) => runGit({ cwd: head.root, env, args });
  const problem = await branchProblem(name, head, model.protectedBranches, git);
  if (problem !== undefined) throw new Refusal(`${problem} Nothing was started.`);
  return switchTo(name, head, git);
}

type Git = (...args: string[]) => Promise<GitAnswer>;

/** Why a workflow may not use a branch. */
async function branchProblem(
  name: string,
  head: GitHead,
  protectedBranches: readonly string[],
  git: Git,
): Promise<string | undefined> {
  const named = await git('check-ref-format', `refs/heads/${name}`);
  if (named.code === 1 || name.startsWith('-')) return `'${name}' is not a valid branch name.`;
  if (named.code !== 0) {
    const why = errorLineOf(named);
    const hint = why.endsWith('ENOENT') ? ' It has to be on your PATH.' : '';
    return `git does not run (${why}).${hint}`;
  }
  const there: GitHead = { ...head, position: { kind: 'branch', branch: name } };
  const defaultBranch = remoteDefault(head, askGit);
  const repository = { git: there, ...(defaultBranch !== undefined && { defaultBranch }) };
  const guarded = guardedRepository(repository, protectedBranches);
  if (guarded === undefined || !onProtected(guarded)) return undefined;
  return `'${name}' is protected, so a workflow cannot use it. Name another branch with --branch.`;
}

/**
 * Switches to a branch, creating it if it does not exist. Local changes are kept, or git refuses. `from` is the
 * branch or commit that was checked out before.
 */
async function switchTo(name: string, head: GitHead, git: Git) {
  const { position } = head;
  const from = position.kind === 'detached' ? position.commit : branchLabel(head);
  if (branchLabel(head) === name) return { name, from, isNew: false };
  const has = async (ref: string): Promise<boolean> =>
    (await git('rev-parse', '--verify', '--quiet', ref)).code === 0;
  const isNew = !(await has(`refs/heads/${name}`)) && !(await has(`refs/remotes/origin/${name}`));
  const switched = await git('switch', ...(isNew ? ['-c'] : []), name);
  if (switched.code !== 0) throw new Refusal(notSwitched(name, switched));
  // Of several starts at once one wins. The one that switched last goes back to the `winner`'s branch.
  const undo = async (winner?: string): Promise<void> => {
    if (winner === name) return;
    const detach = winner === undefined && position.kind === 'detached' ? ['--detach'] : [];
    const { printed } = await git('branch', '--show-current');
    if (printed.trim() === name) await git('switch', ...detach, winner ?? '-');
    if (isNew) await git('branch', '-d', name);
  };
  return { name, from, isNew, undo };
}

const MAX_LINES = 10;

/** In git's own words, which name the files in the way and say what to do with them. */
function notSwitched(name: string, answer: GitAnswer): string {
  const said = (answer.said.trim() === '' ? errorLineOf(answer) : answer.said).split('\n');
  const lines = said.filter((line) => line.trim() !== '').slice(0, MAX_LINES);
  const quoted = lines.map((line) => `  ${line}`);
  return [`git cannot switch to '${name}':`, ...quoted, 'Nothing was started.'].join('\n');
}
