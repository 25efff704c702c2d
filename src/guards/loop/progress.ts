import { digest } from '../../domain/digest';
import { isJsonObject, type Json } from '../../domain/json';
import type { FileAsk, FileFact, Snapshot } from '../../domain/snapshot';
import type { Frame } from './frame';

/** As many equal iterations in a row are told, and as many end the loop. */
export const TOLD_AFTER = 3;
export const ENDED_AFTER = 5;

const LONGEST_OID = 128;

/** What a frame remembers of its last iteration, and how often that has been the same. */
export type Progress = {
  readonly head: string;
  readonly index: string;
  readonly text: string;
  readonly streak: number;
};

/** The files that move when work is committed or staged. */
export function progressFiles({ git }: Snapshot): FileAsk[] {
  if (git === undefined) return [];
  const { position, commonDir, gitDir } = git;
  const branch = position.kind === 'branch' ? position.branch : undefined;
  return [
    ...(branch === undefined
      ? []
      : [{ path: `${commonDir}/refs/heads/${branch}`, maxTextBytes: LONGEST_OID }]),
    { path: `${commonDir}/packed-refs` },
    { path: `${commonDir}/reftable/tables.list` },
    { path: `${gitDir}/index` },
  ];
}

/** What this iteration leaves behind. Anything that moved, or a tool that can write, begins the row anew. */
export function progressOf(frame: Frame, text: string, wrote: boolean, snapshot: Snapshot): Progress {
  const marks = { head: headMark(snapshot), index: indexMark(snapshot), text: digest(text) };
  const before = frame.raw['progress'];
  const same = isJsonObject(before) && !wrote && sameMarks(before, marks);
  const streak = isJsonObject(before) && typeof before['streak'] === 'number' ? before['streak'] : 0;
  return { ...marks, streak: same ? streak + 1 : 1 };
}

function sameMarks(
  before: { readonly [key: string]: Json | undefined },
  marks: Omit<Progress, 'streak'>,
): boolean {
  return before['head'] === marks.head && before['index'] === marks.index && before['text'] === marks.text;
}

function headMark({ git, files }: Snapshot): string {
  if (git === undefined) return '';
  const { position, commonDir } = git;
  if (position.kind !== 'branch') return 'commit' in position ? position.commit : '';
  const loose = files.get(`${commonDir}/refs/heads/${position.branch}`);
  if (loose?.kind === 'file' && loose.text) return loose.text.trim();
  const packed = [`${commonDir}/packed-refs`, `${commonDir}/reftable/tables.list`];
  return packed
    .map((path) => statMark(files.get(path)))
    .join(' ')
    .trim();
}

function indexMark({ git, files }: Snapshot): string {
  return git === undefined ? '' : statMark(files.get(`${git.gitDir}/index`));
}

function statMark(fact: FileFact | undefined): string {
  return fact?.kind === 'file' ? `${fact.size}-${fact.mtimeMs}` : '';
}
