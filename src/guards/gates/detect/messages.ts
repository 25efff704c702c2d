/** Said of a check that has no place left to run in. */
export function nothingLeft(entryPoint: string, check: string): string {
  return `${entryPoint} does not exist any more, so the check ${check} is not run there.`;
}
