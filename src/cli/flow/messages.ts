import { branchLabel, type GitHead } from '../../core/git-head';
import type { Json } from '../../core/json';
import type { Missing, Standing } from '../../guards/workflow/gate';
import { listAt } from '../../guards/workflow/json-path';
import { gateOf, needsPlan, ownersOf, type WorkflowModel } from '../../guards/workflow/model';
import type { ConstitutionEvidence } from '../../guards/workflow/state';
import { printable } from '../output/printable';
import type { Active } from './active';

export const NO_WORKFLOW = 'No workflow is active here. `holdpoint flow start WORKFLOW` starts one.';
export const NO_PHASE =
  'The state names no current phase. `holdpoint flow rollback PHASE` says which one it is.';
export const IS_SUSPENDED =
  'The workflow is suspended: its rules rest. `holdpoint flow resume` goes on with it.';
export const ALREADY_SUSPENDED =
  'The workflow is suspended already. `holdpoint flow resume` goes on with it.';
export const NOT_SUSPENDED = 'The workflow is not suspended.';
export const NO_REASON =
  'A workflow is not cancelled without a reason: `holdpoint flow cancel --reason TEXT`. It is kept in the history.';
export const NO_ARTICLES =
  'Which articles were checked? `holdpoint flow record constitution --articles I,II,…` names them.';
export const NOT_APPROVED = 'Nothing was approved.';

export function notChanged(why: string): string {
  return `The workflow was not changed: ${why}`;
}

export function oneArgument(command: string, what: string): string {
  return `holdpoint flow ${command} takes one ${what}. Try 'holdpoint flow ${command} --help'.`;
}

export function agentMayNot(command: 'approve' | 'suspend' | 'cancel'): string {
  const what = {
    approve: 'Only a person approves a gate',
    suspend: 'Only a person suspends a workflow, since its rules rest then',
    cancel: 'Only a person cancels a workflow, since its rules end with it',
  }[command];
  return `${what}, and this shell is an agent's. Tell the person what is needed; they run \`holdpoint flow ${command}\` in a terminal of their own.`;
}

export function begunLines(model: WorkflowModel, { phase, workflow }: Active, isNew: boolean): string[] {
  if (!isNew) return [`${phase} has been begun already.`];
  const plan = needsPlan(model, workflow.type, phase) ? ' It needs the plan.' : '';
  return [
    `Begun ${phase}${ownerOf(model, phase)}.${plan} \`holdpoint flow status\` says what its gate asks for.`,
  ];
}

/** Who does a phase's work, as the end of a sentence. */
export function ownerOf(model: WorkflowModel, phase: string): string {
  const [owner] = ownersOf(model, phase);
  return owner === undefined ? '' : `, for ${owner.name}`;
}

export function treeUnknown(why: string): string {
  return `git could not tell the tree, so no test run counts for it: ${why}`;
}

export function missingLines(missing: readonly Missing[]): string[] {
  return missing.map(({ what, why, how }) => `- ${what}: ${why}; ${how}`);
}

export function gateClosed({ phase, missing }: Standing): string {
  const name = phase ?? '';
  return [
    `${gateOf(name)} is closed: ${name} lacks ${missing.length === 1 ? 'one thing' : `${missing.length} things`}.`,
    ...missingLines(missing),
  ].join('\n');
}

export function gateIsOpen(phase: string): string {
  return `${gateOf(phase)} is open. Next: \`holdpoint flow advance\`.`;
}

export function gateLacks(phase: string): string {
  return `${gateOf(phase)} still asks for:`;
}

export function passageLines(
  model: WorkflowModel,
  { phase, workflow }: Active,
  next: string | undefined,
  unmet: readonly Missing[],
): string[] {
  const passed = [
    `${gateOf(phase)} passed.`,
    ...(unmet.length === 0 ? [] : ['It was not strict; it still missed:', ...missingLines(unmet)]),
  ];
  if (next !== undefined)
    return [...passed, `Now in ${next}${ownerOf(model, next)}. Next: \`holdpoint flow begin\`.`];
  const branch = workflow.branch?.name;
  return [
    ...passed,
    `The workflow is finished${branch === undefined ? '.' : `, and ${branch} may be merged.`}`,
  ];
}

export function noSuchPhase(word: string, near: string | undefined, phases: readonly string[]): string {
  const hint = near === undefined ? `Its phases: ${phases.join(', ')}.` : `Did you mean '${near}'?`;
  return `The workflow has no phase '${printable(word)}'. ${hint}`;
}

export function notReached(phase: string, current: string): string {
  return `${phase} has not been reached; the workflow is in ${current}. Only \`holdpoint flow advance\` goes forward.`;
}

export function escalated(phase: string): string {
  return `${phase} was escalated, so a person decides: \`holdpoint flow approve ${gateOf(phase)}\` or \`holdpoint flow redo\`, in a terminal of their own.`;
}

export function backLines(
  command: 'redo' | 'rollback',
  target: { readonly phase: string; readonly index: number },
  phases: readonly string[],
): string[] {
  const later = phases.length - target.index - 1;
  const rest =
    command === 'redo' || later === 0
      ? 'What it has shown before counts no more.'
      : `What it and the ${later} after it have shown counts no more.`;
  return [`Back in ${target.phase}, which is begun anew. ${rest}`];
}

export function suspendedLines({ workflow }: Standing): string[] {
  return [
    `Suspended ${workflow.type ?? 'the workflow'}: its rules rest, its state stays protected.`,
    '`holdpoint flow resume` goes on with it; another workflow may be started meanwhile.',
  ];
}

export function resumedLines({ workflow, phase }: Standing, head: GitHead | undefined): string[] {
  const branch = workflow.branch?.name;
  const isElsewhere = branch !== undefined && head !== undefined && branchLabel(head) !== branch;
  return [
    `Resumed ${workflow.type ?? 'the workflow'}, in ${phase ?? 'no phase'}.`,
    ...(isElsewhere ? [`Its branch is another one: \`git switch ${branch}\`.`] : []),
  ];
}

/** What comes back when a workflow has ended. */
export function waitingLines(state: Json): string[] {
  const waits = listAt(state, ['suspended_workflows']).length > 0;
  return waits ? ['The workflow that made room for it is back, and suspended: `holdpoint flow resume`.'] : [];
}

export function cancelledLines({ workflow }: Standing): string[] {
  const branch = workflow.branch?.name;
  return [
    `Cancelled ${workflow.type ?? 'the workflow'}.`,
    ...(branch === undefined ? [] : [`Its branch ${branch} is left as it is.`]),
  ];
}

export function noNumeral(article: string): string {
  return `'${printable(article)}' is no article: they are numbered I, II, III, …`;
}

export function notAsked(phase: string, what: string): string {
  return `${phase} asks for no ${what.replace(/^an? /, '')}; nothing was recorded.`;
}

export function checkedLines(
  phase: string,
  asked: readonly string[],
  seen: ConstitutionEvidence | undefined,
): string[] {
  const open = asked.filter((article) => !(seen?.articlesChecked ?? []).includes(article));
  const round = `round ${seen?.iterationsUsed ?? 0} of ${seen?.maxIterations ?? 0}`;
  if (open.length === 0) return [`${phase} is compliant (${round}): ${asked.join(', ')} have been checked.`];
  if (seen?.status === 'escalated')
    return [
      `${phase} is escalated: ${open.join(', ')} were not checked in ${seen.maxIterations ?? 0} rounds. ${escalated(phase)}`,
    ];
  return [`Recorded (${round}). Still to be checked: ${open.join(', ')}.`];
}

export function noChoice(known: readonly string[]): string {
  return `How did it end? \`holdpoint flow record elicitation --final CHOICE\`, with one of: ${known.join(', ')}.`;
}

export function tooFewQuestions(phase: string, count: number, least: number): string {
  return `${count} of ${least} questions of ${phase} have been put to a person; nothing was recorded. Ask them, then record how it ended.`;
}

export function elicitedLines(phase: string, final: string, accepted: readonly string[]): string[] {
  const counts = accepted.length === 0 || accepted.includes(final);
  const but = counts ? '' : ` The gate wants ${accepted.join(' or ')}.`;
  return [`The elicitation of ${phase} ended with ${final}.${but}`];
}

export function otherGate(named: string, phase: string): string {
  return `'${printable(named)}' is not the gate of the current phase: that is ${gateOf(phase)} of ${phase}. Nothing was approved.`;
}

export function wouldWaive(phase: string, waived: readonly Missing[]): string[] {
  return [`${gateOf(phase)} would open although ${phase} lacks:`, ...missingLines(waived)];
}

export function askToWaive(phase: string): string {
  return `Let ${phase} pass as it stands?`;
}

export function approvedLines(phase: string, waived: readonly string[]): string[] {
  const what = waived.length === 0 ? '' : ` Waived: ${waived.join(', ')}.`;
  return [`Approved ${gateOf(phase)} of ${phase}.${what} Next: \`holdpoint flow advance\`.`];
}

export function elsewhere(branch: string): string {
  return `, but ${branch} is checked out`;
}

export function lastWorkflow(what: string, status: string, at: string): string {
  return `The last one, ${what}, was ${status}${at === '' ? '' : ` at ${at}`}.`;
}
