import { networkInterfaces } from 'node:os';
import { describe } from 'vitest';
import { installed } from './installed';

/** A group of tests in a real client. Where it cannot be run, its name says why; `problem` is a further reason. */
export function inClient(client: string, name: string, tests: () => void, problem?: string): void {
  const reason = whySkipped(client) ?? problem;
  if (reason === undefined) describe(name, tests);
  else describe.skip(`${name} [skipped: ${reason}]`, tests);
}

function whySkipped(client: string): string | undefined {
  const { path, problem } = installed(client);
  if (path === undefined) return problem ?? 'npm run test:clients starts these';
  const reachable = Object.values(networkInterfaces()).flat();
  return reachable.some((one) => one?.internal === false) ? 'a network can be reached' : undefined;
}
