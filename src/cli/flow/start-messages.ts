import type { WorkflowModel } from '../../guards/workflow/model';
import type { Beginning } from '../../guards/workflow/moves';
import type { ActiveWorkflow } from '../../guards/workflow/state';
import { printable } from '../output/printable';
import type { Switched } from './branch';
import { ownerOf } from './messages';

/** Git explains itself at length. */
const LINES_SHOWN = 10;

export const NO_SKIPPING =
  'No phase is left out by name here: `discipline: {no_phase_skipping: false}` in the `workflow` config would allow it.';
export const NO_HALFWAY_ENTRY =
  'No workflow begins in its middle here: `discipline: {no_halfway_entry: false}` in the `workflow` config would allow it.';
export const NOTHING_LEFT = 'With all that left out no phase remains.';
export const NO_BRANCH_WITHOUT_GIT =
  'There is no git repository here: the workflow starts without a branch of its own.';

export const NO_GIT = 'There is no git repository here, so no branch to work on.';

export function noSuchProject(name: string, known: readonly string[]): string {
  return `There is no project '${printable(name)}' in this monorepo. Known: ${known.join(', ')}.`;
}

export function whichWorkflow(names: readonly string[]): string {
  return `Which workflow? \`holdpoint flow start WORKFLOW\` starts one of: ${names.join(', ')}.`;
}

export function noSuchWorkflow(name: string, near: string | undefined, names: readonly string[]): string {
  const hint = near === undefined ? `Known: ${names.join(', ')}.` : `Did you mean '${near}'?`;
  return `There is no workflow '${printable(name)}'. ${hint}`;
}

export function badArtifact(name: string): string {
  return `'${printable(name)}' cannot be the name of an artifact: letters, digits, dots, dashes and underscores make one, such as REQ-0001-login.`;
}

export function idleFlag(flag: string, workflow: string): string {
  return `--${flag} leaves out no phase of '${workflow}'.`;
}

export function badBranch(name: string): string {
  return `'${printable(name)}' cannot be the name of a branch. Nothing was started.`;
}

export function protectedBranch(name: string): string {
  return `'${name}' is protected: no workflow does its work there. Name another one with --branch. Nothing was started.`;
}

export function noAnswer(why: string): string {
  const hint = why.endsWith('ENOENT') ? 'it has to be on the PATH of this shell' : 'a branch is needed';
  return `git does not answer (${printable(why)}): ${hint}. Nothing was started.`;
}

export function filesInTheWay(name: string, why: string, files: readonly string[]): string {
  const named = files.length === 0 ? '' : ` ${files.join(', ')}.`;
  return [
    `git does not switch to '${name}': ${why}${named}`,
    'Commit or stash what is in the way, then start again. Nothing was started, and no file was touched.',
  ].join('\n');
}

/** What else git may have against it, in its own words: they tell best what is to be done. */
export function notSwitched(name: string, said: string): string {
  const lines = said.split('\n').filter((line) => line.trim() !== '');
  return [
    `git does not switch to '${name}':`,
    ...lines.slice(0, LINES_SHOWN).map((line) => `  ${printable(line)}`),
    'Nothing was started.',
  ].join('\n');
}

export function alreadyActive({ type, artifact, phase }: ActiveWorkflow): string {
  const what = [type ?? 'a workflow', artifact].filter((part) => part !== undefined).join(' ');
  return `${what} is active, in ${phase ?? 'no phase'}. \`holdpoint flow advance\` goes on with it; a person may suspend or cancel it.`;
}

export function startedLines(
  model: WorkflowModel,
  beginning: Beginning,
  branch: Switched | undefined,
): string[] {
  const { workflow, phases, artifact } = beginning;
  const [first = ''] = phases;
  const name = [workflow.name, artifact?.name].filter((part) => part !== undefined).join(' ');
  const place =
    branch && `${branch.isNew ? 'On the new branch' : 'On branch'} ${branch.name}, from ${branch.from}.`;
  return [
    `Started ${name}: ${phases.length} phases, the first is ${first}${ownerOf(model, first)}.`,
    ...(place ? [place] : []),
    'Next: `holdpoint flow begin`.',
  ];
}
