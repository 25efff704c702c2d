const NAMING = /^\*\*\* (?:(?:Add|Update|Delete) File|Move to): (.+)$/gm;

/** The paths that the text of an `apply_patch` names, as it names them; what is moved counts twice. */
export function patchPaths(patch: string): string[] {
  return [...patch.matchAll(NAMING)].map(([, path = '']) => path.trim()).filter((path) => path !== '');
}
