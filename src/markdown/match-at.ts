/** Where a sticky pattern's match that begins at `at` ends; 0 if there is none. */
export function matchAt(pattern: RegExp, text: string, at: number): number {
  pattern.lastIndex = at;
  return pattern.test(text) ? pattern.lastIndex : 0;
}
