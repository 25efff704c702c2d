/** The beginning of a word whose text is that of lines, as agents write what they commit. */
const BEGINNING = /"\$\(cat <<'(\w+)'\n/y;
/** What stands between the closing word and the end of the quotes. */
const ENDING = /\n[ \t\n]*\)"/y;

/**
 * Where a part of a line ends that is nothing but `"$(cat <<'EOF'` with its lines: a shell expands nothing in it. The
 * first line that is the closing word ends it, and for bash one that only begins with it, which runs what stands
 * behind; so that must be the one before `)"`. `undefined` where something else stands at the place.
 */
export function endOfDocument(text: string, at: number): number | undefined {
  BEGINNING.lastIndex = at;
  const closing = BEGINNING.exec(text)?.[1];
  if (closing === undefined) return undefined;
  const last = text.indexOf(`\n${closing}`, BEGINNING.lastIndex - 1);
  if (last < 0) return undefined;
  ENDING.lastIndex = last + 1 + closing.length;
  return ENDING.test(text) ? ENDING.lastIndex : undefined;
}
