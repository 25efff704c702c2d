import type { Path } from './find-node';

/** Sentences about settings files, without the file's name. */

const DROPPED = 'most hosts drop such a file as a whole, in silence';

export const COMMENT = `a comment, which JSON does not have: ${DROPPED}`;
export const TRAILING_COMMA = `a comma behind the last value: ${DROPPED}`;
export const TOO_DEEP = 'nested deeper than settings ever are';
export const NOT_AN_OBJECT = 'settings have to be a JSON object';

export function notJson(detail: string): string {
  return `no valid JSON (${detail}): ${DROPPED}`;
}

export function duplicateKey(key: string): string {
  return `"${key}" is there twice, and only the last one counts`;
}

export function wrongType(path: Path, wanted: 'a list' | 'an object', found: string): string {
  const name = path.map((step) => (typeof step === 'number' ? `[${step}]` : `.${step}`)).join('');
  return `"${name.slice(1)}" has to be ${wanted}, not ${found}`;
}
