import { branchLabel, type GitHead } from '../../core/git-head';
import { isJsonObject, type JsonObject } from '../../core/json';
import { type Missing, type Standing, standingOf } from '../../guards/workflow/gate';
import { listAt, textAt } from '../../guards/workflow/json-path';
import { gateOf, ownersOf, type WorkflowModel } from '../../guards/workflow/model';
import type { Context, ExitCode } from '../context';
import { report } from '../req/context';
import { type Output, type Style, table } from '../ui/output';
import { Refusal } from '../ui/refusal';
import {
  type FlowPlace,
  IS_SUSPENDED,
  NO_WORKFLOW,
  readState,
  requireFlow,
  standingJson,
  statusOf,
  treeNow,
} from './flow';

export async function status(context: Context, values: { readonly json: boolean }): Promise<ExitCode> {
  const { out } = context;
  const place = requireFlow(context);
  for (const problem of place.model.problems) out.error(problem);
  const state = stateOrTrouble(place, values.json);
  const { tree } = await treeNow(place, state);
  const standing = standingOf(place.model, state, tree);
  return report(context, values.json, standingJson(standing, state), statusLines(place, state, standing));
}

/** Programs get a document even where the state cannot be read. */
function stateOrTrouble(place: FlowPlace, json: boolean): JsonObject {
  try {
    return readState(place);
  } catch (error) {
    if (json && error instanceof Refusal)
      place.out.json({ ...standingJson(undefined, {}), trouble: error.message });
    throw error;
  }
}

function statusLines({ model, head, out }: FlowPlace, state: JsonObject, standing?: Standing): string[] {
  if (standing === undefined) return [NO_WORKFLOW, ...lastWorkflow(state)];
  const { workflow, missing, phase = '' } = standing;
  const branch = workflow.branch?.name;
  const elsewhere = otherBranch(standing, head);
  const but = elsewhere === undefined ? '' : `, but ${elsewhere} is checked out`;
  return [
    out.style('bold', titleOf(standing)),
    ...(branch === undefined ? [] : [`on branch ${branch}${but}`]),
    ...(workflow.suspended ? [out.style('yellow', IS_SUSPENDED)] : []),
    '',
    ...phaseRows(model, state, standing, out),
    '',
    ...(missing.length === 0
      ? [`${gateOf(phase)} is open. Next: \`holdpoint flow advance\`.`]
      : [`${gateOf(phase)} still asks for:`, ...missingLines(missing)]),
  ];
}

function lastWorkflow(state: JsonObject): string[] {
  const last = listAt(state, ['workflow_history']).filter(isJsonObject).at(-1);
  if (last === undefined) return [];
  const what = [textAt(last, 'type') ?? 'workflow', textAt(last, 'artifact_folder')].filter(Boolean);
  const at = textAt(last, 'completed_at') ?? textAt(last, 'cancelled_at');
  const when = at === undefined ? '' : ` at ${at}`;
  return [`The last one, ${what.join(' ')}, was ${textAt(last, 'status') ?? 'ended'}${when}.`];
}

const MARKS: Readonly<Record<string, string>> = { completed: '✓', in_progress: '▸' };
const STYLES: Readonly<Record<string, Style>> = { completed: 'green', in_progress: 'cyan' };

function phaseRows(
  model: WorkflowModel,
  state: JsonObject,
  { phases, index }: Standing,
  out: Output,
): string[] {
  const statuses = phases.map((phase, at) => statusOf(state, phase, at < index));
  const now = (phase: string): string =>
    ['now', ...ownersOf(model, phase).map(({ name }) => name)].slice(0, 2).join('; ');
  const rows = table(
    phases.map((phase, at) => {
      const status = statuses[at] ?? '';
      return [MARKS[status] ?? '·', phase, status, gateOf(phase), at === index ? now(phase) : ''];
    }),
  );
  return rows.map((row, at) => out.style(at === index ? 'bold' : (STYLES[statuses[at] ?? ''] ?? 'dim'), row));
}

/** The workflow on one line, for `holdpoint status`. */
export function flowRow(standing: Standing): string[] {
  const { workflow, phase, index, phases, missing } = standing;
  const place = index < 0 ? '' : `${index + 1}/${phases.length}`;
  const lacks = missing.map(({ what }) => what).join(', ');
  const gate = lacks === '' ? 'gate open: holdpoint flow advance' : `lacks ${lacks}`;
  return [titleOf(standing), phase ?? '', place, workflow.suspended ? 'suspended' : gate];
}

function titleOf({ workflow }: Standing): string {
  return [workflow.type ?? 'workflow', workflow.artifact].filter((part) => part !== undefined).join(' ');
}

/** The branch that is checked out, where it is not the workflow's. */
export function otherBranch({ workflow }: Standing, head: GitHead | undefined): string | undefined {
  const branch = workflow.branch?.name;
  if (branch === undefined || head === undefined || branchLabel(head) === branch) return undefined;
  return branchLabel(head);
}

/** What a gate lacks, as a list. */
export function missingLines(missing: readonly Missing[]): string[] {
  return missing.map(({ what, why, how }) => `- ${what}: ${why}; ${how}`);
}

/** Who does a phase's work, as the end of a sentence. */
export function ownerOf(model: WorkflowModel, phase: string): string {
  const [owner] = ownersOf(model, phase);
  return owner === undefined ? '' : `, for ${owner.name}`;
}

/** What comes back when a workflow has ended. */
export function waitingLines(state: JsonObject): string[] {
  const waits = listAt(state, ['suspended_workflows']).length > 0;
  return waits ? ['The workflow that made room for it is back, and suspended: `holdpoint flow resume`.'] : [];
}
