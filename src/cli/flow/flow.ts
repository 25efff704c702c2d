import { statSync } from 'node:fs';
import { listAt, textAt } from '../../config/pointer';
import { isJsonObject, type JsonObject } from '../../core/json';
import { guardConfig, loadConfig, workflowOnlyProject } from '../../core/project';
import { isoTime } from '../../core/text';
import { otherBranch } from '../../guards/workflow/facts';
import {
  gateNeedsTests,
  type Missing,
  missingLine,
  readWorkflowStatus,
  type WorkflowStatus,
} from '../../guards/workflow/gate';
import { gateOf, ownersOf, type WorkflowModel } from '../../guards/workflow/model';
import { absentIn, agentsFor } from '../../guards/workflow/phase-requirements';
import { ISDLC_DIR, PROJECT_VARIABLE, stateDocument, stateUnreadable } from '../../guards/workflow/place';
import { phaseStatus, stateTrouble } from '../../guards/workflow/state';
import { documentFile, readDocument } from '../../state/documents';
import { whoOf } from '../caller';
import { type Context, cannotRun, type ExitCode, Refusal, report } from '../context';
import { NO_PROJECT } from '../messages';
import { openProject, type ProjectContext } from '../project';
import { applyOrRefuse, journalCommand, mayBeAgent, underLock } from '../req/context';
import { findSession } from '../req/find-session';
import { ago, printError, type Style, styled, table } from '../ui/output';
import { absences } from './absences';

/** The workflows of a project, and where their state is kept. */
export type FlowPlace = ReturnType<typeof flowIn>;

/** Refuses if there is no project in which a state can be kept. */
export function requireFlow(context: Context): FlowPlace {
  const opened = openProject(context);
  if (opened !== undefined) return flowIn(opened);
  const ground = workflowOnlyProject({ cwd: context.cwd }, { HOME: context.env['HOME'] });
  if (ground === undefined) throw cannotRun(NO_PROJECT);
  return flowIn({ ...context, ...ground, head: undefined });
}

function flowIn(opened: ProjectContext, config = loadConfig(opened, opened.chunks)) {
  const { root, cwd, env, chunks } = opened;
  const compiled = guardConfig(config, 'workflow') as WorkflowModel | undefined;
  const model = compiled ?? { ...chunks.part('compile-config').builtinModel(), byHand: true };
  const named = env[PROJECT_VARIABLE];
  const isUnknown = model.projects?.list.every(({ id }) => id !== named) === true;
  const isOld = statSync(`${root}/${ISDLC_DIR}`, { throwIfNoEntry: false })?.isDirectory() === true;
  const place = stateDocument(model, { named, cwd, root }, isOld, (ref) => readDocument(opened.layout, ref));
  return { ...opened, model, ...place, unknownProject: isUnknown && named ? named : undefined };
}

/** The state, empty if there is none. Refuses if it cannot be read. */
export function readState({ layout, document }: FlowPlace): JsonObject {
  const found = readDocument(layout, document);
  if (found.kind === 'missing') return {};
  if (found.kind === 'unreadable') throw new Refusal(stateUnreadable(found.file, found.why));
  const trouble = stateTrouble(found.value);
  if (trouble === undefined && isJsonObject(found.value)) return found.value;
  throw new Refusal(stateUnreadable(documentFile(layout, document), trouble ?? 'is not an object'));
}

/**
 * The workflow of a project for commands that show everything. It does not ask git, so it is unknown whether tests ran
 * on the current tree. `trouble`: why the state cannot be read.
 */
export function flowSummary(...from: Parameters<typeof flowIn>) {
  const place = flowIn(...from);
  try {
    const state = readState(place);
    return { state, workflowStatus: readWorkflowStatus(place.model, state), trouble: undefined };
  } catch (error) {
    if (!(error instanceof Refusal)) throw error;
    return { state: {}, workflowStatus: undefined, trouble: error.message };
  }
}

const TREE_WAIT_MS = 60_000;

/** Asks git for the tree if the current phase's gate compares tests with it. `trouble`: why that failed. */
export async function currentTree({ root, head, model, env, chunks }: FlowPlace, state: JsonObject) {
  if (head === undefined || !gateNeedsTests(model, state)) return {};
  const deadline = Date.now() + TREE_WAIT_MS;
  const found = await chunks.effects('workflow')('tree', head.root, { projectRoot: root, env, deadline });
  // An unknown tree counts as untested.
  return { tree: textAt(found, 'tree') ?? '', trouble: textAt(found, 'trouble') };
}

/** The workflow of a state as JSON; absent values are null. */
export function workflowJson(
  workflowStatus: WorkflowStatus | undefined,
  state: JsonObject,
  place?: FlowPlace,
) {
  const { workflow, phase, index = -1, phases = [], missing = [] } = workflowStatus ?? {};
  return {
    active: workflow?.suspended === false,
    workflow: workflow?.type ?? null,
    phase: phase ?? null,
    index: index < 0 ? null : index,
    phases: phases.map((name, at) => ({ name, status: statusOf(state, name, at < index) })),
    missing: missing.map(({ what, why, how }) => ({ what, why, how })),
    branch: workflow?.branch?.name ?? null,
    artifact: workflow?.artifact ?? null,
    ...(place && {
      absent: workflowStatus ? missingInProject(place, state, workflowStatus).map((one) => ({ ...one })) : [],
    }),
    ...(workflow?.suspended && { suspended: true }),
  };
}

/** What the project lacks and this workflow goes without. */
function missingInProject(
  place: FlowPlace,
  state: JsonObject,
  { workflow, phases }: WorkflowStatus,
): readonly Missing[] {
  return absences(place, { workflow: workflow.type ?? '', phases }, absentIn(state));
}

/** From the phase's own record, else the workflow's copy of it, else the phase's position. */
function statusOf(state: JsonObject, phase: string, isBehind: boolean): string {
  const noted = phaseStatus(state, phase) ?? textAt(state, 'active_workflow', 'phase_status', phase);
  return noted ?? (isBehind ? 'completed' : 'pending');
}

const NO_WORKFLOW = 'No workflow is active here. `holdpoint flow start WORKFLOW` starts one.';
const IS_SUSPENDED = 'The workflow is suspended, so its rules are off. `holdpoint flow resume` continues it.';

export interface FlowState {
  readonly state: JsonObject;
  readonly workflowStatus: WorkflowStatus | undefined;
}

/** An active workflow in a known phase. */
export type Active = WorkflowStatus & { readonly phase: string };

/** The workflow, which may be suspended. */
export function requireWorkflow({ workflowStatus }: FlowState): WorkflowStatus {
  if (workflowStatus === undefined) throw new Refusal(NO_WORKFLOW);
  return workflowStatus;
}

/** The workflow, which must be active. */
export function requireActive(flowState: FlowState): Active {
  const workflowStatus = requireWorkflow(flowState);
  const { workflow, phase } = workflowStatus;
  if (workflow.suspended) throw new Refusal(IS_SUSPENDED);
  if (phase !== undefined) return { ...workflowStatus, phase };
  throw new Refusal('The state names no current phase. Set it with `holdpoint flow rollback PHASE`.');
}

/** The change that a command makes to the state. */
export interface Move {
  /** A few words for the journal. */
  readonly what: string;
  /** What the command was about, for the journal. */
  readonly about?: string;
  readonly apply: (state: JsonObject) => JsonObject;
  /** What to print for the caller. */
  readonly lines: readonly string[];
  /** Only for `advance`. False if the gate is closed, which is recorded in the state too. */
  readonly advanced?: boolean;
}

/** Plans a move from what was read under the lock. If it throws a refusal, nothing is changed. */
export type Plan = (flowState: FlowState, now: number) => Move;

const NOT_CHANGED = 'The workflow was not changed';

/** Moves the workflow under the lock and prints what was done; as JSON, the status afterwards. */
export function runMove(command: string, place: FlowPlace, plan: Plan, tree?: string) {
  const { layout, document, model } = place;
  const { move, state, written } = underLock(layout, NOT_CHANGED, (lock) => {
    const before = readState(place);
    const move = plan({ state: before, workflowStatus: readWorkflowStatus(model, before, tree) }, Date.now());
    const by = { ...whoOf(place.caller()), command, at: isoTime(Date.now()) };
    const change = (current: JsonObject): JsonObject => {
      const after = move.apply(current);
      return versioned(current, after === current ? current : { ...after, last_move: by });
    };
    const written = applyOrRefuse(layout, lock, NOT_CHANGED, [
      { document, what: move.what, apply: (current) => change(isJsonObject(current) ? current : {}) },
    ]);
    return { move, state: change(before), written };
  });
  const { advanced, about = '', lines } = move;
  const isRefused = advanced === false;
  if (!isRefused && written.length > 0) {
    // A person's command does not belong to a session, even if one is live.
    const found = place.caller().actor === 'agent' ? findSession(undefined, place) : undefined;
    const session = found?.kind === 'found' ? found.key : '';
    journalCommand(place, `flow ${command}`, written, { session, about });
  }
  const status = workflowJson(readWorkflowStatus(model, state, tree), state, place);
  const value = { ...(advanced !== undefined && { advanced }), ...status };
  report(place, value, isRefused ? [] : lines, isRefused ? lines : []);
  return isRefused ? 1 : 0;
}

/** iSDLC numbers its writes to notice a stale one. */
function versioned(before: JsonObject, after: JsonObject): JsonObject {
  const { state_version: version } = before;
  return after === before || typeof version !== 'number' ? after : { ...after, state_version: version + 1 };
}

/** The commands that only a person may run: why, and their arguments in the phase's gate. */
const PERSON_ONLY = {
  approve: ['Only a person can approve a gate', (gate: string) => ` ${gate}`],
  suspend: ['Only a person can suspend a workflow, because that switches its rules off', () => ''],
  cancel: ['Only a person can cancel a workflow, because that ends its rules', () => ' --reason TEXT'],
} as const;

/** Refuses unless a person runs the command, or a script while no agent works here. */
export function requirePerson(command: keyof typeof PERSON_ONLY, place: FlowPlace): void {
  if (!mayBeAgent(place)) return;
  const { phase } = readWorkflowStatus(place.model, readState(place)) ?? {};
  const [why, wordsFor] = PERSON_ONLY[command];
  const words = wordsFor(phase === undefined ? 'GATE' : gateOf(phase));
  throw new Refusal(
    `${why}. Tell the user what you need and why. They can run \`holdpoint flow ${command}${words}\` in their own terminal.`,
  );
}

export function oneArgument(command: string, what: string): Refusal {
  return cannotRun(`holdpoint flow ${command} takes one ${what}. Try 'holdpoint flow ${command} --help'.`);
}

export async function status(context: Context): Promise<ExitCode> {
  const place = requireFlow(context);
  for (const problem of place.model.problems) printError(problem);
  if (place.unknownProject !== undefined)
    printError(
      `${PROJECT_VARIABLE} names '${place.unknownProject}', which is not a project here, so it is ignored.`,
    );
  const state = stateOrTrouble(place);
  const { tree } = await currentTree(place, state);
  const workflowStatus = readWorkflowStatus(place.model, state, tree);
  const value = workflowJson(workflowStatus, state, place);
  return report(context, value, statusLines(place, state, workflowStatus));
}

/** With --json, prints a document even if the state cannot be read. */
function stateOrTrouble(place: FlowPlace): JsonObject {
  try {
    return readState(place);
  } catch (error) {
    if (!(error instanceof Refusal)) throw error;
    const { message, code } = error;
    throw new Refusal(message, code, { ...workflowJson(undefined, {}), trouble: message });
  }
}

function statusLines(place: FlowPlace, state: JsonObject, workflowStatus?: WorkflowStatus): string[] {
  if (workflowStatus === undefined) return [NO_WORKFLOW, ...lastWorkflow(state)];
  const { workflow, phase = '' } = workflowStatus;
  const absent = missingInProject(place, state, workflowStatus);
  const branch = workflow.branch?.name;
  const elsewhere = otherBranch(workflow, place.head);
  const but = elsewhere === undefined ? '' : `, but ${elsewhere} is checked out`;
  return [
    styled('bold', titleOf(workflowStatus)),
    ...(branch === undefined ? [] : [`on branch ${branch}${but}`]),
    ...(workflow.suspended ? [styled('yellow', IS_SUSPENDED)] : []),
    '',
    ...phaseRows(place, state, workflowStatus),
    '',
    ...gateLines(workflowStatus, phase),
    ...(absent.length === 0 ? [] : ['', 'Missing in this project:', ...absent.map(missingLine)]),
  ];
}

/** What the gate of a phase needs, or how to continue. */
export function gateLines({ missing }: WorkflowStatus, phase: string): string[] {
  return missing.length === 0
    ? [`${gateOf(phase)} is open. When the work is done, run \`holdpoint flow advance\`.`]
    : [`${phase === '' ? 'The workflow' : gateOf(phase)} needs:`, ...missing.map(missingLine)];
}

function lastWorkflow(state: JsonObject): string[] {
  const last = listAt(state, ['workflow_history']).filter(isJsonObject).at(-1);
  if (last === undefined) return [];
  const what = [textAt(last, 'type') ?? 'workflow', textAt(last, 'artifact_folder')].filter(Boolean);
  const at = Date.parse(textAt(last, 'completed_at') ?? textAt(last, 'cancelled_at') ?? '');
  const when = Number.isNaN(at) ? '' : `, ${ago((Date.now() - at) / 1000)}`;
  return [`Last workflow: ${what.join(' ')}, ${textAt(last, 'status') ?? 'ended'}${when}.`];
}

const MARKS: Readonly<Record<string, string>> = { completed: '✓', in_progress: '▸' };
const STYLES: Readonly<Record<string, Style>> = { completed: 'green', in_progress: 'cyan' };

function phaseRows({ model }: FlowPlace, state: JsonObject, { phases, index }: WorkflowStatus): string[] {
  const statuses = phases.map((phase, at) => statusOf(state, phase, at < index));
  const now = (phase: string): string => `now${workedOnBy(model, state, phase)}`;
  const rows = table(
    phases.map((phase, at) => {
      const status = statuses[at] ?? '';
      return [MARKS[status] ?? '·', phase, status, gateOf(phase), at === index ? now(phase) : ''];
    }),
  );
  return rows.map((row, at) => styled(at === index ? 'bold' : (STYLES[statuses[at] ?? ''] ?? 'dim'), row));
}

/** The workflow on one line, for `holdpoint status`. */
export function flowRow(workflowStatus: WorkflowStatus): string[] {
  const { workflow, phase, index, phases, missing } = workflowStatus;
  const place = index < 0 ? '' : `${index + 1}/${phases.length}`;
  const lacks = missing.map(({ what }) => what).join(', ');
  const gate = lacks === '' ? 'gate open: holdpoint flow advance' : `lacks ${lacks}`;
  return [titleOf(workflowStatus), phase ?? '', place, workflow.suspended ? 'suspended' : gate];
}

function titleOf({ workflow }: WorkflowStatus): string {
  return [workflow.type ?? 'workflow', workflow.artifact].filter((part) => part !== undefined).join(' ');
}

/** Who works on a phase, to follow the phase's name. */
export function workedOnBy(model: WorkflowModel, state: JsonObject, phase: string): string {
  const [agent] = agentsFor(model, state, phase);
  if (agent !== undefined) return ` (agent: ${agent.name})`;
  return ownersOf(model, phase).length === 0 ? '' : ' (any agent you have may do it)';
}

/** A reminder that another workflow is still suspended. */
export function waitingLines(state: JsonObject): string[] {
  const waits = listAt(state, ['suspended_workflows']).length > 0;
  return waits
    ? ['The workflow that you suspended for it is still suspended. `holdpoint flow resume` continues it.']
    : [];
}
