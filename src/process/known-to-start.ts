/** The versions whose own code for starting programs was read and found to call the bindings in the way that we do. */
const KNOWN: readonly string[] = ['v20.20.2'];

/** Whether what lies below Node's public functions may be called; every other version is used by those alone. */
export function isKnownToStart(version: string): boolean {
  return KNOWN.includes(version);
}
