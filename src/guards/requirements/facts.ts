import { isPlainWord } from '../../domain/plain-word';
import type { DynamicRequirement, Requirement } from './config';
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

type Measured = { readonly value: number; readonly summary: string; readonly base: string };

export function tooLargeFact(
  { name, block, warn, blockingMessage }: DynamicRequirement,
  tool: string,
  { value, summary, base }: Measured,
): string {
  if (blockingMessage === undefined) {
    const size = `${value}${base && ` against ${base}`}`;
    return `${toolName(tool)} is held because \`${name}\` is ${size} and ${block} is the limit${summary && ` (${summary})`}`;
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

/** Whatever the host sends as a name, a fact stays one sentence. */
function toolName(name: string): string {
  return (isPlainWord(name) ? name : name.replace(/\s+/g, ' ')).slice(0, 100);
}
