import { readText } from '../exec/attempt';

/**
 * Git's settings as the usual files have them, by their names in lower case but for what stands between the dots. It
 * follows no includes: what is only said there is not known.
 */
export function readSettings(commonDir: string, home: string): ReadonlyMap<string, string> {
  const files = [`${home}/.config/git/config`, `${home}/.gitconfig`, `${commonDir}/config`];
  return new Map(files.flatMap((file) => settingsIn(readText(file) ?? '')));
}

function settingsIn(text: string): [name: string, value: string][] {
  const found: [string, string][] = [];
  let section = '';
  for (const line of text.replaceAll('\\\n', '').split('\n')) {
    const [, name, below, rest = line] =
      /^\s*\[\s*([\w.-]+)\s*(?:"((?:\\.|[^"\\])*)")?\s*\](.*)$/.exec(line) ?? [];
    if (name !== undefined) {
      const inner = below === undefined ? '' : `.${below.replace(/\\(.)/g, '$1')}`;
      section = name.toLowerCase() + inner;
    }
    const [, key, value = 'true'] = /^\s*([A-Za-z][\w-]*)\s*(?:=\s*(.*))?$/.exec(rest) ?? [];
    if (key !== undefined && section !== '')
      found.push([`${section}.${key.toLowerCase()}`, plainValue(value)]);
  }
  return found;
}

/** A value without its comment and quotes. */
function plainValue(text: string): string {
  const bare = text.replace(/("(?:\\.|[^"\\])*")|\s*[#;].*$/g, '$1').trim();
  return bare.replace(/"((?:\\.|[^"\\])*)"/g, '$1').replace(/\\(["\\])/g, '$1');
}
