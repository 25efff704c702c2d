import type { VerbTable } from './verb';

/** Every command. A new one is a file and a line here. */
export const VERBS: VerbTable = {
  help: () => import('./verbs/help'),
  version: () => import('./verbs/version'),
  hook: () => import('./verbs/hook'),
  req: () => import('./verbs/req'),
  gates: () => import('./verbs/gates'),
  log: () => import('./verbs/log'),
  why: () => import('./verbs/why'),
  try: () => import('./verbs/try'),
};
