import type { GitHead } from '../../core/git-head';
import { digest } from '../../core/hash';
import { isJsonObject } from '../../core/json';
import type { FileAsk, FileFact, Needs, Snapshot } from '../../core/snapshot';
import type { Frame } from './frame';

/** As many equal iterations in a row are told, and as many end the loop. */
export const TOLD_AFTER = 3;
export const ENDED_AFTER = 5;

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
  const index = { path: `${git.gitDir}/index`, markOnly: true } as const;
  const loose = looseRef(git);
  return loose === undefined ? [index] : [index, { path: loose, markOnly: true }];
}

/** Once the branch turned out to have no file of its own: those that may hold it. */
export function packedNeeds({ git, files }: Snapshot): Needs {
  const loose = git && looseRef(git);
  if (git === undefined || loose === undefined || files.get(loose)?.kind !== 'missing') return {};
  return { files: packedRefs(git).map((path) => ({ path })) };
}

/** The file of the branch, which many a branch has not: then it stands in one that holds many. */
function looseRef({ position, commonDir }: GitHead): string | undefined {
  return position.kind === 'branch' ? `${commonDir}/refs/heads/${position.branch}` : undefined;
}

function packedRefs({ commonDir }: GitHead): string[] {
  return [`${commonDir}/packed-refs`, `${commonDir}/reftable/tables.list`];
}

/** What this iteration leaves behind. Anything that moved, or a tool that can write, begins the row anew. */
export function progressOf(frame: Frame, words: string, wrote: boolean, snapshot: Snapshot): Progress {
  const head = headMark(snapshot);
  const index = indexMark(snapshot);
  const text = digest(words);
  const before = frame.raw['progress'];
  const goesOn =
    isJsonObject(before) &&
    !wrote &&
    before['head'] === head &&
    before['index'] === index &&
    before['text'] === text;
  const row = goesOn && typeof before['streak'] === 'number' ? before['streak'] : 0;
  return { head, index, text, streak: row + 1 };
}

function headMark({ git, files }: Snapshot): string {
  if (git === undefined) return '';
  const loose = looseRef(git);
  if (loose === undefined) return 'commit' in git.position ? git.position.commit : '';
  const fact = files.get(loose);
  if (fact !== undefined && fact.kind !== 'missing') return markIn(fact);
  return packedRefs(git)
    .map((path) => markIn(files.get(path)))
    .join(' ')
    .trim();
}

function indexMark({ git, files }: Snapshot): string {
  return git === undefined ? '' : markIn(files.get(`${git.gitDir}/index`));
}

function markIn(fact: FileFact | undefined): string {
  if (fact?.kind === 'marked') return fact.mark;
  return fact?.kind === 'file' ? `${fact.size}-${fact.mtimeMs}` : '';
}
