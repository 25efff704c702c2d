import { MOST_WRITTEN_OUT, writtenOut } from './path-globs';

/* Why a glob would not mean what it seems to: said when the config is read, or it would silently match nothing. */

/** Of a path below the project. */
export function pathTrouble(glob: string): string | undefined {
  if (glob.startsWith('!'))
    return `begins with \`!\`; what is left out stands in \`exclude_paths\`, and ${PLAIN}`;
  if (glob.startsWith('~')) return 'begins with `~`, which is not filled in; write the directory out';
  if (glob.split('/').includes('..')) return 'leads out of the project with `..`; write the directory out';
  return nameTrouble(glob);
}

/** Of a name, such as that of a branch. */
export function nameTrouble(glob: string): string | undefined {
  if (glob.startsWith('!')) return `begins with \`!\`, which turns nothing round here; ${PLAIN}`;
  const bare = glob.replace(/\\./gs, '_');
  if (/[?*+@!]\(/.test(bare)) return `has a group in round brackets with a sign before it; ${PLAIN}`;
  if (bare.endsWith('\\')) return 'ends with a backslash that stands before nothing';
  return classTrouble(bare) ?? braceTrouble(bare) ?? countTrouble(glob);
}

/** Of a tool, whose name has none of these signs: there only `*` and alternatives are of use. */
export function toolTrouble(glob: string): string | undefined {
  if (/[?[\]!\\]/.test(glob)) return 'takes `*` and `{a,b}` only; no tool has such a sign in its name';
  return nameTrouble(glob);
}

const PLAIN = 'a backslash before it makes it a plain sign';

function classTrouble(bare: string): string | undefined {
  const rest = bare.replace(CLASSES, (whole) => (isReversed(whole) ? '[' : ''));
  if (/\[\[?[:.=]/.test(bare)) return 'has a class such as `[[:alpha:]]`; write the signs out, as in `[a-z]`';
  if (/\[/.test(rest)) return `has a class in square brackets that is open, empty or reversed; ${PLAIN}`;
  return undefined;
}

const CLASSES = /\[[!^]?\]?[^\]/]*\]/g;

function isReversed(text: string): boolean {
  return [...text.slice(1, -1).matchAll(/(.)-(.)/gs)].some(([, from = '', to = '']) => from > to);
}

function braceTrouble(bare: string): string | undefined {
  if (/\{[^{},]*\.\.[^{},]*\}/.test(bare))
    return 'has a range in braces; write its members out, as in `{1,2,3}`';
  let depth = 0;
  for (const sign of bare) {
    depth += sign === '{' ? 1 : sign === '}' ? -1 : 0;
    if (depth < 0) break;
  }
  return depth === 0 ? undefined : `has a brace without its other half; ${PLAIN}`;
}

function countTrouble(glob: string): string | undefined {
  if (writtenOut([glob]).length <= MOST_WRITTEN_OUT) return undefined;
  return `stands for more than ${MOST_WRITTEN_OUT} globs; write fewer alternatives`;
}
