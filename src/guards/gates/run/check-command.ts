import type { Env } from './request';

/** What a shell reads as one plain word, whatever stands around it. */
const HARMLESS = /^[A-Za-z0-9._/@+:-]+$/;
const PLACEHOLDER = `\${BASE_BRANCH}`;

/** A check's line for the shell, and what its environment has beyond ours. */
export interface CheckCommand {
  readonly line: string;
  readonly env: Env;
}

/**
 * Puts the base's name in its place. A name with characters that mean something to a shell stays a variable,
 * which the shell never reads as code.
 */
export function checkCommand(written: string, baseRef: string): CheckCommand {
  if (!written.includes(PLACEHOLDER)) return { line: written, env: {} };
  if (HARMLESS.test(baseRef)) return { line: written.replaceAll(PLACEHOLDER, () => baseRef), env: {} };
  return { line: written, env: { BASE_BRANCH: baseRef } };
}
