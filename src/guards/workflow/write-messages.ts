import type { PersonVerb } from './flow-commands';

export interface ProtectedWrite {
  readonly what: string;
  readonly written: string;
  readonly current: string;
  readonly expected: string;
}

export function commitToMain({ what, written, current, expected }: ProtectedWrite): string {
  const next =
    current === expected
      ? `stay on '${expected}'; it may be merged when the workflow is finished`
      : `\`git switch ${expected}\`, then do it there`;
  return [
    `COMMIT TO MAIN BLOCKED: \`${what}\` would write '${written}', which is protected while a workflow is active.`,
    `Current branch: ${current}`,
    `Expected branch: ${expected}`,
    `Next: ${next}.`,
  ].join('\n');
}

export function branchUncertain(what: string, branch: string, expected: string): string {
  const command = what === 'git unknown' ? 'this git command' : `\`${what}\``;
  const target = branch === '' ? 'a protected branch' : `'${branch}'`;
  return [
    `Nobody can tell beforehand whether ${command} writes ${target}, which nothing does while a workflow is active.`,
    `Expected branch: ${expected}`,
  ].join('\n');
}

export function unjudgedWrite(what: string, file: string): string {
  return [
    `STATE WRITE BLOCKED: \`${what}\` would write ${file}, and what it writes there cannot be judged.`,
    'Next: `holdpoint flow …` changes the state (begin, record, advance, redo); reading the file is free.',
  ].join('\n');
}

const PERSONS: Readonly<Record<PersonVerb, string>> = {
  approve: 'approves a gate',
  suspend: 'suspends a workflow, since its rules rest then',
  cancel: 'cancels a workflow, since its rules end with it',
};

export function personOnly(verb: PersonVerb): string {
  return [
    `STATE WRITE BLOCKED: \`holdpoint flow ${verb}\` is for a person only: nobody else ${PERSONS[verb]}.`,
    `Next: tell the person what is needed and why; they run \`holdpoint flow ${verb}\` in a terminal of their own.`,
  ].join('\n');
}

export const LEAVES_UNREADABLE = {
  what: 'would leave a file that is no JSON object',
  how: '`holdpoint flow …` changes the state',
};

export function stateWriteBlocked(file: string, { what, how }: { what: string; how: string }): string {
  return [`STATE WRITE BLOCKED: this write to ${file} ${what}.`, `Next: ${how}.`].join('\n');
}

export function repairState(file: string): string {
  return `${file} cannot be read, so nobody can tell what this write changes in it. A person should look at it first.`;
}

const SUSPICIONS_TOLD = 2;

export function suspiciousWrite(
  found: readonly { phase: string; issue: string; rule: string }[],
  file: string,
): string {
  const told = found
    .slice(0, SUSPICIONS_TOLD)
    .map(({ phase, issue, rule }) => `  Phase: ${phase}\n  Issue: ${issue}\n  Rule: ${rule}`);
  return [
    '[state-write-validator] WARNING: Suspicious state.json write detected.',
    ...told,
    `  Path: ${file}`,
  ].join('\n');
}
