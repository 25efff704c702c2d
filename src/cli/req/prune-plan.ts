import type { Change, Document, DocumentRef } from '../../core/document';
import type { Json } from '../../core/json';
import { withoutOldSessions } from '../../guards/requirements/state';
import { branchFile } from '../../guards/requirements/view';
import type { StateFile } from './state-files';

/** A file of a branch that is gone. */
export interface Gone {
  readonly ref: DocumentRef;
  readonly branch: string;
}

type BranchFile = Extract<StateFile, { kind: 'branch' }>;

/** Names under which state is kept where there is no branch: they never go. */
const STAND_INS = ['_detached', '_no_git', '_unreadable'];

/** The files whose branch no longer exists. One that does not say whose it is stays. */
export function goneFiles(files: readonly StateFile[], living: ReadonlySet<string>): Gone[] {
  return files.flatMap((file) => {
    const branch = file.kind === 'branch' ? file.branch : undefined;
    if (branch === undefined || living.has(branch) || STAND_INS.includes(branch)) return [];
    return [{ ref: file.ref, branch }];
  });
}

/**
 * What removes them, drops what sessions left that are long over, and moves the state of a branch that
 * had to evade a file which goes now: it would be looked for at that place from then on.
 */
export function pruneChanges(
  files: readonly StateFile[],
  gone: readonly Gone[],
  sessions: readonly string[],
  nowSeconds: number,
): Change[] {
  const goes = (ref: DocumentRef): boolean => gone.some((one) => one.ref.path === ref.path);
  const staying = files.filter((file) => !goes(file.ref));
  const moves = movesAmong(staying);
  const taken = moves.map(({ to }) => to.path);
  return [
    ...moves.flatMap(({ from, to }) => [
      setTo(to, `moved here from ${from.ref.path}`, withoutOldSessions(from.state, sessions, nowSeconds)),
      setTo(from.ref, `moved to ${to.path}`, undefined),
    ]),
    ...gone
      .filter(({ ref }) => !taken.includes(ref.path))
      .map(({ ref, branch }) => setTo(ref, `pruned ${branch}`, undefined)),
    ...staying.flatMap((file): Change[] => {
      if (file.kind === 'foreign' || file.kind === 'unreadable') return [];
      if (moves.some(({ from }) => from === file)) return [];
      const apply = (state: Json | undefined): Json | undefined =>
        withoutOldSessions(state, sessions, nowSeconds);
      return [{ document: file.ref, what: 'dropped old sessions', apply }];
    }),
  ];
}

interface Move {
  readonly from: BranchFile;
  readonly to: DocumentRef;
}

/** Each place is taken once, and none that something else lies at. */
function movesAmong(staying: readonly StateFile[]): Move[] {
  const moves: Move[] = [];
  for (const file of staying) {
    if (file.kind !== 'branch' || file.branch === undefined) continue;
    const to = branchFile(file.branch, (ref) => documentOf(staying, ref));
    const isTaken =
      staying.some(({ ref }) => ref.path === to.path) || moves.some((one) => one.to.path === to.path);
    if (!isTaken) moves.push({ from: file, to });
  }
  return moves;
}

function documentOf(files: readonly StateFile[], ref: DocumentRef): Document {
  const found = files.find((file) => file.ref.path === ref.path);
  if (found === undefined || !('state' in found)) return { kind: 'missing' };
  return { kind: 'present', value: found.state, version: found.version };
}

function setTo(document: DocumentRef, what: string, value: Json | undefined): Change {
  return { document, what, apply: () => value };
}
