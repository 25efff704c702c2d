import { jsonObjectIn, nameIn } from '../core/json';
import { readText } from '../exec/attempt';
import { type Layout, readDocument } from './documents';
import { type Chain, chainSum, unchained } from './journal';
import { logFiles } from './rotated-log';
import { HEARTBEATS, heartbeatsIn } from './sessions';

/** What somebody else than we has done to the journal. `after` and `id` are those of a decision; empty at its beginning. */
export type JournalTrouble =
  | { readonly kind: 'missing'; readonly lines: number; readonly after: string }
  | { readonly kind: 'changed'; readonly id: string }
  /** The last lines, or all of them, that were there when a session was last heard of. */
  | { readonly kind: 'cut'; readonly at: number };

/** Looks through all of the journal for lines that were removed or changed. Lines of versions without a chain count as they are. */
export function checkJournal(layout: Layout): JournalTrouble[] {
  const texts = logFiles(layout, 'journal')
    .map((file) => readText(file) ?? '')
    .toReversed();
  return [...texts.flatMap(checkFile), ...checkEnd(layout, texts)];
}

/** What is known of a file up to some line. */
interface Walk {
  /** The digests of the lines so far, by where each ended when it was written. */
  readonly sums: Map<number, string>;
  readonly troubles: JournalTrouble[];
  end: number;
  last: { readonly number: number; readonly id: string };
  /** How much less there is before a line than when it was written. */
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

/** A writer that died has left the beginning of a line, which the next one has continued. */
function withoutTorn(line: string, walk: Walk): string {
  const { chain } = unchained(line);
  const offset = (chain?.seen ?? 0) - walk.gone - walk.end;
  const own = offset > 0 ? Buffer.from(line).subarray(offset).toString() : '';
  if (!own.startsWith('{"id":"')) return line;
  walk.end += offset;
  walk.sums.set(walk.end + walk.gone, '');
  return own;
}

/** Between the note of a session and the line about it. */
const SLACK_MS = 5000;

/** Sessions are noted with the end of the journal at that time, and their start stands in it. */
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
  // Of a journal that begins anew, the start of every session is in it.
  const isNew = isWhole && (lines.length === 0 || unchained(lines[0] ?? '').chain?.seen === 0);
  const lost = beats.flatMap(({ journal, at, startedAt }) => {
    if (journal !== undefined && !known.has(journal) && (isWhole || at >= begins)) return [at];
    return isNew && !(begins - startedAt < SLACK_MS) ? [startedAt] : [];
  });
  return lost.length === 0 ? [] : [{ kind: 'cut', at: Math.max(...lost) }];
}
