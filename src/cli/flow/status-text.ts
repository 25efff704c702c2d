import { branchLabel } from '../../core/git-head';
import { isJsonObject, type JsonObject } from '../../core/json';
import type { Standing } from '../../guards/workflow/gate';
import { listAt, textAt } from '../../guards/workflow/json-path';
import { gateOf, ownersOf, type WorkflowModel } from '../../guards/workflow/model';
import type { Output, Style } from '../output/output';
import { table } from '../output/table';
import * as say from './messages';
import type { FlowPlace } from './place';
import { statusOf } from './status-json';

const MARKS: Readonly<Record<string, string>> = { completed: '✓', in_progress: '▸' };
const STYLES: Readonly<Record<string, Style>> = { completed: 'green', in_progress: 'cyan' };

/** The workflow as people read it: its phases, and what the current one lacks with how to get it. */
export function statusLines(
  { model, head }: FlowPlace,
  state: JsonObject,
  standing: Standing | undefined,
  out: Output,
): string[] {
  if (standing === undefined) return [say.NO_WORKFLOW, ...lastLine(state)];
  const { workflow, missing, phase } = standing;
  const branch = workflow.branch?.name;
  const isElsewhere = branch !== undefined && head !== undefined && branchLabel(head) !== branch;
  return [
    out.style('bold', titleOf(standing)),
    ...(branch === undefined
      ? []
      : [`on branch ${branch}${isElsewhere ? say.elsewhere(branchLabel(head)) : ''}`]),
    ...(workflow.suspended ? [out.style('yellow', say.IS_SUSPENDED)] : []),
    '',
    ...phaseRows(model, state, standing, out),
    '',
    ...(missing.length === 0
      ? [say.gateIsOpen(phase ?? '')]
      : [say.gateLacks(phase ?? ''), ...say.missingLines(missing)]),
  ];
}

/** The same on one line, for the status of everything. */
export function flowRow(standing: Standing): string[] {
  const { workflow, phase, index, phases, missing } = standing;
  const place = index < 0 ? '' : `${index + 1}/${phases.length}`;
  const open = missing.map(({ what }) => what).join(', ');
  const gate = open === '' ? 'gate open: holdpoint flow advance' : `lacks ${open}`;
  return [titleOf(standing), phase ?? '', place, workflow.suspended ? 'suspended' : gate];
}

function titleOf({ workflow }: Standing): string {
  return [workflow.type ?? 'workflow', workflow.artifact].filter((part) => part !== undefined).join(' ');
}

function phaseRows(
  model: WorkflowModel,
  state: JsonObject,
  { phases, index }: Standing,
  out: Output,
): string[] {
  const statuses = phases.map((phase, at) => statusOf(state, phase, at < index));
  const rows = table(
    phases.map((phase, at) => [
      MARKS[statuses[at] ?? ''] ?? '·',
      phase,
      statuses[at] ?? '',
      gateOf(phase),
      at === index ? `now; ${ownersOf(model, phase)[0]?.name ?? ''}`.replace(/; $/, '') : '',
    ]),
  );
  return rows.map((row, at) => out.style(at === index ? 'bold' : (STYLES[statuses[at] ?? ''] ?? 'dim'), row));
}

function lastLine(state: JsonObject): string[] {
  const last = listAt(state, ['workflow_history']).filter(isJsonObject).at(-1);
  if (last === undefined) return [];
  const what = [textAt(last, 'type') ?? 'workflow', textAt(last, 'artifact_folder')]
    .filter(Boolean)
    .join(' ');
  const at = textAt(last, 'completed_at') ?? textAt(last, 'cancelled_at') ?? '';
  return [say.lastWorkflow(what, textAt(last, 'status') ?? 'ended', at)];
}
