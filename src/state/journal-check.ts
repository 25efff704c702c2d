import { readText } from '../core/failure';
import { jsonObjectIn, nameIn } from '../core/json';
import { type Layout, readDocument } from './documents';
import { type Chain, chainSum, logFiles, unchained } from './journal';
import { HEARTBEATS, heartbeatsIn } from './sessions';

/** A sign that somebody edited the journal. `after` and `id` are decision ids; `after` is empty at the beginning. */
export type JournalTrouble =
  | { readonly kind: 'missing'; readonly lines: number; readonly after: string }
  | { readonly kind: 'changed'; readonly id: string }
  /** Lines that existed at a session's last heartbeat are gone from the end, perhaps all of them. */
  | { readonly kind: 'cut'; readonly at: number };

/** Searches the whole journal for removed or changed lines. Lines from versions without a chain are not checked. */
export function checkJournal(layout: Layout): JournalTrouble[] {
  const texts = logFiles(layout, 'journal')
    .map((file) => readText(file) ?? '')
    .toReversed();
  return [...texts.flatMap(checkFile), ...checkEnd(layout, texts)];
}

/** State of the check up to some line of a file. */
interface Walk {
  /** The digest of each line so far, by the offset at which it ended when it was written. */
  readonly sums: Map<number, string>;
  readonly troubles: JournalTrouble[];
  end: number;
  last: { readonly number: number; readonly id: string };
  /** How many bytes before the current line have disappeared since it was written. */
  gone: number;
  wasChanged: boolean;
}

function checkFile(whole: string): JournalTrouble[] {
  const walk: Walk = {
    sums: new Map([[0, '']]),
    troubles: [],
    end: 0,
    last: { number: 0, id: '' },
    gone: 0,
    wasChanged: false,
  };
  for (const line of whole.split(/(?<=\n)/)) {
    const own = withoutTorn(line, walk);
    const { text, chain } = unchained(own);
    const id = nameIn(jsonObjectIn(own), 'id') ?? '';
    if (chain !== undefined) checkLine(chain, text, id, walk);
    else if (walk.last.number > 0 && id !== '') addChanged(id, walk);
    walk.end += Buffer.byteLength(own);
    walk.sums.set(walk.end + walk.gone, chain?.sum ?? '');
    if (chain !== undefined) walk.last = { number: chain.number, id };
  }
  return walk.troubles;
}

function checkLine(chain: Chain, text: string, id: string, walk: Walk): void {
  const { end, gone, last, wasChanged, troubles } = walk;
  if (!wasChanged && chain.seen <= end + gone) {
    if (!fits(chain, text, walk.sums)) addChanged(id, walk);
    return;
  }
  const lines = Math.max(1, chain.number - last.number - 1);
  if (!wasChanged) troubles.push({ kind: 'missing', lines, after: last.id });
  walk.gone = chain.seen - end;
  walk.wasChanged = false;
}

function addChanged(id: string, walk: Walk): void {
  walk.troubles.push({ kind: 'changed', id });
  walk.wasChanged = true;
}

function fits({ seen, sum }: Chain, text: string, sums: ReadonlyMap<number, string>): boolean {
  const before = sums.get(seen);
  return before !== undefined && chainSum(before, text) === sum;
}

/** Cuts off the partial line of a writer that died, which the next writer continued. */
function withoutTorn(line: string, walk: Walk): string {
  const { chain } = unchained(line);
  const offset = (chain?.seen ?? 0) - walk.gone - walk.end;
  const own = offset > 0 ? Buffer.from(line).subarray(offset).toString() : '';
  if (!own.startsWith('{"id":"')) return line;
  walk.end += offset;
  walk.sums.set(walk.end + walk.gone, '');
  return own;
}

/** Tolerance between a session's heartbeat and its journal line. */
const SLACK_MS = 5000;

/** Heartbeats record the journal's last line, and it has each session's start: if one is missing, lines were cut. */
function checkEnd(layout: Layout, texts: readonly string[]): JournalTrouble[] {
  const document = readDocument(layout, HEARTBEATS);
  const beats = document.kind === 'present' ? heartbeatsIn(document.value) : [];
  const lines = texts.flatMap((text) => text.split('\n')).filter((line) => line !== '');
  const begins = Date.parse(nameIn(jsonObjectIn(lines[0] ?? ''), 'at') ?? '');
  const isWhole = texts.filter((text) => text !== '').length < logFiles(layout, 'journal').length;
  const known = new Set(
    lines.flatMap((line) => {
      const { chain } = unchained(line);
      return chain === undefined ? [] : [`${chain.number}.${chain.sum}`];
    }),
  );
  // A journal that still has its very first line must contain the start of every session.
  const isNew = isWhole && (lines.length === 0 || unchained(lines[0] ?? '').chain?.seen === 0);
  const lost = beats.flatMap(({ journal, at, startedAt }) => {
    if (journal !== undefined) return !known.has(journal) && (isWhole || at >= begins) ? [at] : [];
    return isNew && !(begins - startedAt < SLACK_MS) ? [startedAt] : [];
  });
  return lost.length === 0 ? [] : [{ kind: 'cut', at: Math.max(...lost) }];
}
