import { isPlainWord } from '../../core/text';
import type { DynamicRequirement, Requirement, Scope } from './config';
import { replaceNames } from './placeholders';

/* The one sentence that says why a requirement stands in the way. Its subject is what is held. */

/** A tool as the subject: whatever the host sends as a name, a fact stays one sentence. */
export function toolSubject(name: string): string {
  return (isPlainWord(name) ? name : name.replace(/\s+/g, ' ')).slice(0, 100);
}

/** The end of a turn as the subject. */
export const TURN = 'The turn';

export function unsatisfiedFact(requirement: Requirement, subject: string, branch: string): string {
  return `${subject} is held until \`${requirement.name}\` is satisfied ${reachOf(requirement.scope, branch)}`;
}

function reachOf(scope: Scope, branch: string): string {
  switch (scope) {
    case 'session':
      return `in this session on branch ${branch}`;
    case 'branch':
      return `on branch ${branch}`;
    case 'permanent':
      return 'in this project';
    case 'single_use':
      return 'for this action';
  }
}

export function protectedFact(subject: string, branch: string): string {
  return `${subject} is held because branch ${branch} is protected`;
}

export function otherSessionFact(subject: string, other: string): string {
  return `${subject} is held because session ${other} works in this project already`;
}

export function triggeredFact({ name }: Requirement, branch: string | undefined): string {
  const where = branch === undefined ? '' : ` on branch ${branch}`;
  return `\`${name}\` was set off in this session${where} and is not satisfied`;
}

/** What helps where something has to be shown: saying once more that it is done does not. */
export function evidenceRemedy(why: string): string {
  return `show it, for ${why}`;
}

export const OTHER_BRANCH = 'switch to another branch';

export function evidenceFact({ name }: Requirement, subject: string, why: string): string {
  return `${subject} is held because \`${name}\` is said to be done but ${why}`;
}

type Measured = { readonly value: number; readonly summary: string; readonly base: string };

export function tooLargeFact(
  { name, block, warn, blockingMessage }: DynamicRequirement,
  subject: string,
  { value, summary, base }: Measured,
): string {
  if (blockingMessage === undefined) {
    const size = `${value}${base && ` against ${base}`}`;
    return `${subject} is held because \`${name}\` is ${size} and ${block} is the limit${summary && ` (${summary})`}`;
  }
  const values: Readonly<Record<string, string>> = {
    total: String(value),
    value: String(value),
    summary,
    base_branch: base,
    warn_threshold: String(warn ?? ''),
    block_threshold: String(block),
  };
  return replaceNames(blockingMessage.trim(), values).replace(/\s+/g, ' ');
}

export function nearFact({ name, block }: DynamicRequirement, { value, summary, base }: Measured): string {
  return `\`${name}\` is ${value}${base && ` against ${base}`}${summary && ` (${summary})`}, and from ${block} on calls are held`;
}
