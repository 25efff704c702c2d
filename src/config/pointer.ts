/**
 * A place in the config model: keys and list indexes joined by `/`, without a leading one.
 * The root is the empty string.
 */
export function pointerOf(path: readonly string[]): string {
  return path.map(escapeSegment).join('/');
}

/** The keys of a pointer. */
export function pathOf(pointer: string): string[] {
  return pointer === '' ? [] : pointer.split('/').map(unescapeSegment);
}

/** Whether a path is exactly what a pattern names, `*` standing for any one key. */
export function matchesPattern(pattern: string, path: readonly string[]): boolean {
  const wanted = pattern.split('/');
  return wanted.length === path.length && wanted.every((part, at) => part === '*' || part === path[at]);
}

/** A path as people write it: `requirements.commit_plan.trigger_tools[0]`. */
export function showPath(path: readonly string[]): string {
  return path.reduce((shown, key) => {
    if (/^\d+$/.test(key)) return `${shown}[${key}]`;
    return shown === '' ? key : `${shown}.${key}`;
  }, '');
}

function escapeSegment(key: string): string {
  // An empty key must differ from no key at all.
  return key === '' ? '~' : key.replaceAll('~', '~0').replaceAll('/', '~1');
}

function unescapeSegment(segment: string): string {
  return segment === '~' ? '' : segment.replaceAll('~1', '/').replaceAll('~0', '~');
}
