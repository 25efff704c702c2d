/** A table that is made when it is first looked at: a line needs few of them, and every event would pay for all. */
export function lazily<T extends object>(make: () => T): () => T {
  let made: T | undefined;
  return () => {
    made ??= make();
    return made;
  };
}
