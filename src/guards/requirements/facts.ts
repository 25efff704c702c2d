import type { Requirement } from './config';
import { replaceNames } from './placeholders';

/* The one sentence that says why a requirement stands in the way. */

export function unsatisfiedFact(requirement: Requirement, tool: string, branch: string): string {
  const reach = {
    session: `in this session on branch ${branch}`,
    branch: `on branch ${branch}`,
    permanent: 'in this project',
    single_use: 'for this action',
  }[requirement.scope];
  return `${toolName(tool)} is held until \`${requirement.name}\` is satisfied ${reach}`;
}

export function protectedFact(tool: string, branch: string): string {
  return `${toolName(tool)} is held because branch ${branch} is protected`;
}

export function otherSessionFact(tool: string, other: string): string {
  return `${toolName(tool)} is held because session ${other} works in this project already`;
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

export function evidenceFact({ name }: Requirement, tool: string, why: string): string {
  return `${toolName(tool)} is held because \`${name}\` is said to be done but ${why}`;
}

export function tooLargeFact(
  { name, block, warn, blockingMessage }: Extract<Requirement, { type: 'dynamic' }>,
  tool: string,
  { value, summary, base }: { readonly value: number; readonly summary: string; readonly base: string },
): string {
  if (blockingMessage === undefined) {
    const against = base === '' ? '' : ` against ${base}`;
    return `${toolName(tool)} is held because \`${name}\` is ${value}${against} and ${block} is the limit${summary && ` (${summary})`}`;
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

/** Whatever the host sends as a name, a fact stays one sentence. */
function toolName(name: string): string {
  return name.replace(/\s+/g, ' ').slice(0, 100);
}
