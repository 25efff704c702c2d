import { type Judged, judgeEvent, leftTo, type Recall } from './judge-event';
import type { StrangenessOf } from './neighbourhood';
import type { Request } from './request-reader';

/** What the requests of clients are judged with. */
export interface Desk {
  /** Where our own files are. */
  readonly dist: string;
  readonly strangenessOf: StrangenessOf;
  load(name: string): unknown;
}

/** Stands in the directory that the client stands in while its event is looked at; else in none of anybody's. */
export function judgeRequest(
  { header, document, cameAt }: Request & { readonly cameAt: number },
  desk: Desk,
  recall: Recall,
): Judged {
  const { args = '', parent, cwd, env } = header;
  const strangeness = desk.strangenessOf(header);
  if (strangeness !== undefined) return leftTo(strangeness);
  if (cwd === undefined || !enter(cwd)) return leftTo('directory');
  try {
    const words = args.split(' ').filter((word) => word !== '');
    const call = { document, args: words, env, parentPid: Number(parent), startedAt: cameAt };
    return judgeEvent(call, desk.load, recall);
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
