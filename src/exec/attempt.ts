/** What a look at the world outside brings; `undefined` where it fails. */
export function attempt<T>(look: () => T): T | undefined {
  try {
    return look();
  } catch {
    return undefined;
  }
}
