import type { Document, DocumentRef } from '../../core/document';
import { sha256Hex } from '../../core/hash';
import { isJsonObject } from '../../core/json';
import { isPlainWord } from '../../core/text';

const LONGEST = 120;
/** A file name holds 255 bytes, and the store makes longer names of this one while it writes. */
const LONGEST_BYTES = 180;
const PROJECT_SLUG = '_project';

/** What was satisfied once for the whole project. */
export const PROJECT_FILE: DocumentRef = stateFile(PROJECT_SLUG);

function stateFile(slug: string): DocumentRef {
  return { base: 'git', path: `requirements/${slug}.json`, format: 'json', keeping: 'durable' };
}

/** A branch name as a file name: slashes become dashes, what is neither letter nor digit becomes `_`. */
export function branchSlug(branch: string): string {
  // Most names are of this kind; of what comes after it each step costs more than all of this.
  const dashes = branch.replaceAll('/', '-');
  if (isPlainWord(dashes.replaceAll('-', ''))) return dashes;
  const dashed = branch.normalize('NFC').replace(/[/\\]/g, '-');
  // The Unicode classes cost a third of a millisecond, so plain names do without them.
  const plain = /^[\x20-\x7e]*$/.test(dashed);
  return plain ? dashed.replace(/[^0-9A-Za-z_-]/g, '_') : dashed.replace(/[^\p{L}\p{N}_-]/gu, '_');
}

/**
 * The file of a branch. Two branches may share a slug (`a/b` and `a-b`); whoever finds the file
 * taken by another branch gets one with a hash of its name.
 */
export function branchFile(branch: string, lookUp: (ref: DocumentRef) => Document | undefined): DocumentRef {
  const slug = branchSlug(branch);
  const plain = stateFile(slug);
  const taken = slug === PROJECT_SLUG || isTooLong(slug) || belongsToAnother(lookUp(plain), branch);
  return taken ? stateFile(`${cut(slug)}~${sha256Hex(branch).slice(0, 8)}`) : plain;
}

function isTooLong(slug: string): boolean {
  // No character takes more than three bytes for each of its places in a string.
  if (slug.length * 3 <= LONGEST_BYTES) return false;
  return slug.length > LONGEST || Buffer.byteLength(slug) > LONGEST_BYTES;
}

function cut(slug: string): string {
  let kept = slug.slice(0, LONGEST);
  while (Buffer.byteLength(kept) > LONGEST_BYTES) kept = kept.slice(0, -1);
  return kept;
}

function belongsToAnother(document: Document | undefined, branch: string): boolean {
  if (document?.kind !== 'present' || !isJsonObject(document.value)) return false;
  const owner = document.value['branch'];
  return typeof owner === 'string' && owner !== branch;
}
