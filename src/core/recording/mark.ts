import { readSmallFile, writeFileAtomic } from '../../state/files';
import type { ProjectWithState } from '../hook';
import { jsonObjectIn, textIn } from '../json';
import { type CacheHead, readStaleCache, writeCache } from '../project';

/** Says that events are recorded: kept in our own directory, and copied to the cached config for the hook. */
export interface RecordingMark {
  /** Relative to the project's root. */
  readonly file: string;
  readonly root: string;
  readonly session?: string;
  readonly began: string;
  /** Why recording has stopped, if it has. */
  readonly stopped?: string;
}

type StatePlace = Pick<ProjectWithState, 'layout'>;

const LARGEST_MARK = 64 * 1024;

export function markFile({ layout }: StatePlace): string {
  return `${layout.own}/recording.json`;
}

/** What a replay would know by now; see memory.ts. */
export function memoryFile({ layout }: StatePlace): string {
  return `${layout.own}/recording-memory.json`;
}

export function readMark(place: StatePlace): RecordingMark | undefined {
  const mark = jsonObjectIn(readSmallFile(markFile(place), LARGEST_MARK) ?? '');
  return mark !== undefined && textIn(mark, 'file') !== undefined
    ? (mark as unknown as RecordingMark)
    : undefined;
}

/** Sets the mark; the hook sees it at its next event. */
export function writeMark(project: ProjectWithState, mark: RecordingMark): void {
  writeFileAtomic(markFile(project), `${JSON.stringify(mark, null, 2)}\n`);
  copyMarkToCache(project, mark);
}

/** Copies the mark to the cached config. If there is none yet, compiling adds it. */
export function copyMarkToCache(project: ProjectWithState, mark: RecordingMark | undefined): void {
  const kept = readStaleCache(project);
  if (kept === undefined) return;
  const { recording: _, ...head } = kept.head;
  const configs = head.guards.map((_guard, index) => kept.configOf(index));
  writeCache(project, { ...head, ...recordingIn(mark, project.root) }, configs);
}

/** What a work tree's cached config says about a recording. */
export function recordingIn(mark: RecordingMark | undefined, root: string): Pick<CacheHead, 'recording'> {
  if (mark === undefined || mark.stopped !== undefined || mark.root !== root) return {};
  const { file, session } = mark;
  return { recording: { file, ...(session !== undefined && { session }) } };
}
