/** What a person has decided about one hook, as Codex keeps it in its `config.toml`. */
export interface HookState {
  /** Of the hook as it was when it was trusted; absent where nobody has. */
  readonly trustedHash?: string;
  readonly enabled: boolean;
}

const TABLE = /^\s*\[\s*hooks\s*\.\s*state\s*\.\s*(?:"((?:[^"\\]|\\.)*)"|'([^']*)')\s*\]/;
const LIST = /^\s*\[\s*hooks\s*\.\s*state\s*\]/;
const ITEM = /^\s*(?:"((?:[^"\\]|\\.)*)"|'([^']*)')\s*=\s*\{(.*)\}/gm;

/** The states by their keys. Only the two forms that Codex itself writes are read; anything else is passed over. */
export function hookStates(toml: string): ReadonlyMap<string, HookState> {
  const states = new Map<string, HookState>();
  for (const table of toml.split(/^(?=[ \t]*\[)/m)) {
    const header = TABLE.exec(table);
    if (header) states.set(keyOf(header), stateIn(table));
    const items = LIST.test(table) ? table.matchAll(ITEM) : [];
    for (const item of items) states.set(keyOf(item), stateIn(item[3] ?? ''));
  }
  return states;
}

function keyOf([, quoted, literal]: RegExpExecArray): string {
  return quoted === undefined ? (literal ?? '') : quoted.replace(/\\(["\\])/g, '$1');
}

function stateIn(body: string): HookState {
  const hash = /(?:^|[\s,{])trusted_hash\s*=\s*["']([^"'\s]+)/m.exec(body)?.[1];
  return {
    ...(hash !== undefined && { trustedHash: hash }),
    enabled: !/(?:^|[\s,{])enabled\s*=\s*false/m.test(body),
  };
}
