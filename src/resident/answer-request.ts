import { answerEvent, type Outcome } from './answer-event';
import type { StrangenessOf } from './neighbourhood';
import type { Request } from './request-reader';

/** What the requests of clients are answered with. */
export interface Desk {
  /** Where our own files are. */
  readonly dist: string;
  readonly strangenessOf: StrangenessOf;
  load(name: string): unknown;
}

/** Stands in the directory that the client stands in while its event is looked at; else in none of anybody's. */
export function answerRequest({ header, document }: Request, desk: Desk, startedAt: number): Outcome {
  const { args = '', parent, cwd, env } = header;
  const strangeness = desk.strangenessOf(header);
  if (strangeness !== undefined) return { left: strangeness };
  if (cwd === undefined || !enter(cwd)) return { left: 'directory' };
  try {
    const words = args.split(' ').filter((word) => word !== '');
    return answerEvent({ document, args: words, env, parentPid: Number(parent), startedAt }, desk.load);
  } finally {
    enter('/');
  }
}

function enter(dir: string): boolean {
  try {
    process.chdir(dir);
    return true;
  } catch {
    return false;
  }
}
