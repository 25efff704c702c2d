import { lstatSync, readFileSync, statSync } from 'node:fs';
import { detailOf } from '../core/failure';
import type { Finding } from './diagnostics';
import { leadsNowhere, notAFile, notText, tooLarge, unreadable } from './messages';

/** No config written by people comes near this; what does is a mistake or an attack. */
const MAX_CONFIG_BYTES = 1024 * 1024;

export type Loaded =
  | { readonly kind: 'missing' }
  | { readonly kind: 'text'; readonly text: string }
  | { readonly kind: 'refused'; readonly finding: Finding };

/** The text of a config file. Its size is looked at before a byte is read. */
export function loadText(path: string): Loaded {
  try {
    const stat = statSync(path);
    if (!stat.isFile()) return refuse('config.unreadable', notAFile());
    if (stat.size > MAX_CONFIG_BYTES)
      return refuse('config.too-large', tooLarge(stat.size, MAX_CONFIG_BYTES));
    return decode(readFileSync(path));
  } catch (error) {
    if (!isAbsent(error)) return refuse('config.unreadable', unreadable(detailOf(error)));
    return isLink(path) ? refuse('config.unreadable', leadsNowhere()) : { kind: 'missing' };
  }
}

/** Whoever put a link there meant something to be read. */
function isLink(path: string): boolean {
  try {
    return lstatSync(path).isSymbolicLink();
  } catch {
    return false;
  }
}

function decode(bytes: Uint8Array): Loaded {
  try {
    // Drops a byte order mark, which would otherwise shift the first line's columns.
    return { kind: 'text', text: new TextDecoder('utf-8', { fatal: true }).decode(bytes) };
  } catch {
    return refuse('config.unreadable', notText());
  }
}

function refuse(code: Finding['code'], message: string): Loaded {
  return { kind: 'refused', finding: { code, severity: 'error', message } };
}

function isAbsent(error: unknown): boolean {
  const code = error instanceof Error && 'code' in error ? error.code : undefined;
  return code === 'ENOENT' || code === 'ENOTDIR';
}
