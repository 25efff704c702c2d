import { allLeftOut, linesLeftOut, someLeftOut } from './messages';
import type { FileDiff } from './parse-diff';

/** About a hundred thousand tokens; more than that few reviewers take, and none reads with care. */
const MOST_CHARACTERS = 300_000;
/** Less of a file than this tells nothing. */
const LEAST_OF_A_FILE = 1000;

/**
 * The difference as it is shown to a reviewer. What is too long for the whole is cut in the longest files
 * first, and said, so that the reviewer can read these files themselves.
 */
export function fitDiff(files: readonly FileDiff[], most = MOST_CHARACTERS): string {
  const shares = sharesOf(files, most);
  const cut = files.filter((file) => (shares.get(file) ?? 0) < file.text.length);
  const parts = files.map((file) => shown(file, shares.get(file) ?? 0));
  return [...(cut.length > 0 ? [someLeftOut(cut.map(({ file }) => file))] : []), ...parts].join('');
}

/** Everybody gets an equal part; what short files leave of theirs goes to the longer ones. */
function sharesOf(files: readonly FileDiff[], most: number): ReadonlyMap<FileDiff, number> {
  const shares = new Map<FileDiff, number>();
  const byLength = [...files].sort((a, b) => a.text.length - b.text.length);
  let left = most;
  byLength.forEach((file, at) => {
    const equal = Math.floor(left / (byLength.length - at));
    const isWhole = file.text.length <= equal;
    const share = isWhole ? file.text.length : equal < LEAST_OF_A_FILE ? 0 : equal;
    shares.set(file, share);
    left -= share;
  });
  return shares;
}

function shown({ file, text }: FileDiff, share: number): string {
  if (text.length <= share) return text.endsWith('\n') ? text : `${text}\n`;
  if (share === 0) return allLeftOut(file);
  const kept = text.slice(0, text.lastIndexOf('\n', share) + 1);
  return `${kept}${linesLeftOut(text.slice(kept.length).split('\n').length - 1)}`;
}
