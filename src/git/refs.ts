import { existsSync, readFileSync } from 'node:fs';
import { isPlainWord } from '../core/text';

/** How many hexadecimal digits the name of an object has. */
const LENGTHS = [40, 64];

/** git's own rules for names: so that no name can lead out of the directory it is looked up in. */
const REF_NAME = /^(?!.*(?:\.\.|\/[./]|@\{|\.lock(?:\/|$)|[/.]$))refs\/[^\0-\x20\x7f~^:?*[\\]+$/;

/** As many symbolic references as git follows. */
const MOST_HOPS = 5;

/** The commit at the beginning of a text, if there is one. */
export function commitIn(text: string): string | undefined {
  let length = 0;
  while (isHexDigit(text.charCodeAt(length))) length++;
  const isAll = length === text.length || text.slice(length, length + 1).trim() === '';
  return LENGTHS.includes(length) && isAll ? text.slice(0, length) : undefined;
}

/** Of the small letters only. */
function isHexDigit(code: number): boolean {
  return (code >= 48 && code <= 57) || (code >= 97 && code <= 102);
}

/** The branch of a reference's full name; `undefined` for what is no branch, or no name at all. */
export function branchOf(ref: string): string | undefined {
  return ref.startsWith('refs/heads/') && isRefName(ref) ? ref.slice(11) : undefined;
}

/** Nearly all names are plain words between slashes; the pattern takes a new process longer than all else here. */
function isRefName(ref: string): boolean {
  const isPlain = ref.startsWith('refs/') && isPlainWord(ref, '/_-');
  return isPlain ? !ref.includes('//') && !ref.endsWith('/') : REF_NAME.test(ref);
}

/** Whether the references are kept in a form that only git reads. */
export function usesReftable(commonDir: string): boolean {
  return existsSync(`${commonDir}/reftable`);
}

/** The commit a shared reference names: its own file first, then the packed ones. */
export function readRef(commonDir: string, ref: string): string | undefined {
  let name = ref;
  for (let hop = 0; hop < MOST_HOPS && isRefName(name); hop++) {
    const text = textOf(`${commonDir}/${name}`);
    if (text === undefined) return packed(commonDir, name);
    if (!text.startsWith('ref:')) return commitIn(text);
    name = text.slice(4).trim();
  }
  return undefined;
}

/** Lines are `COMMIT NAME`; neither comments nor peeled tags can look like one that ends in our name. */
function packed(commonDir: string, ref: string): string | undefined {
  const text = `${textOf(`${commonDir}/packed-refs`) ?? ''}\n`;
  const at = text.indexOf(` ${ref}\n`);
  return at < 0 ? undefined : commitIn(text.slice(text.lastIndexOf('\n', at) + 1, at));
}

/** A directory in place of a file is as good as none: the reference was packed, then its name extended. */
function textOf(file: string): string | undefined {
  try {
    return readFileSync(file, 'utf8');
  } catch {
    return undefined;
  }
}
