/** Those who apply patches overlook blanks before a line that names a file. */
const NAMING = /^[ \t]*\*\*\* (?:(?:Add|Update|Delete) File|Move to): (.+)$/gm;

/** The paths that the text of an `apply_patch` names, as it names them; what is moved counts twice. */
export function patchPaths(patch: string): string[] {
  return [...patch.matchAll(NAMING)].map(([, path = '']) => path.trim()).filter((path) => path !== '');
}

/** The text that a patch puts into files, without the names and what is taken away. */
export function addedLines(patch: string): string {
  const added = patch.split('\n').filter((line) => line.startsWith('+'));
  return added.map((line) => line.slice(1)).join('\n');
}
