import { readArguments, valueOfOption } from './arguments';
import { constantOf, type EnvironmentEntry, knownWord, textOf, type Word } from './command';
import { baseName } from './paths';
import { assignmentIn } from './variables';
import { type Wrapper, wrappersByName } from './wrapper-table';

/** What a wrapper leads to. */
export type Wrapped =
  | {
      readonly kind: 'command';
      readonly words: readonly Word[];
      readonly assignments: readonly EnvironmentEntry[];
      readonly directory: Word | undefined;
      readonly maybe: boolean;
    }
  | { readonly kind: 'code'; readonly code: Word; readonly maybe: boolean };

/** Options after which a whole command line stands in one word. */
const CODE_OPTIONS: ReadonlyMap<string, readonly string[]> = new Map([
  ['npx', ['-c', '--call']],
  ['npm', ['-c', '--call']],
  ['flock', ['-c', '--command']],
  ['env', ['-S', '--split-string']],
]);

/** The command inside `env`, `sudo`, `timeout`, `xargs`, `find -exec` and the like; nothing when there is none. */
export function wrappedIn(words: readonly Word[]): readonly Wrapped[] {
  const name = baseName(constantOf(words[0]) ?? '');
  if (name === 'find') return commandsOfFind(words);
  if (name === 'watch') return [codeOfWatch(words)];
  if (name === 'su') return codeAfter(words, ['-c', '--command']);
  const twoWords = `${name} ${constantOf(words[1]) ?? ''}`;
  const wide = wrappersByName().get(twoWords);
  const wrapper = wide ?? wrappersByName().get(name);
  if (wrapper === undefined) return [];
  const code = codeAfter(words, CODE_OPTIONS.get(name) ?? []);
  if (code.length > 0) return code;
  if (name === 'command' && ['-v', '-V'].includes(constantOf(words[1]) ?? '')) return [];
  return insideOf(wrapper, name, words.slice(wide === undefined ? 1 : 2));
}

function insideOf(wrapper: Wrapper, name: string, words: readonly Word[]): readonly Wrapped[] {
  const { start, directory } = skipOptions(wrapper, words);
  const assignments: EnvironmentEntry[] = [];
  let index = start;
  for (; wrapper.assigns && index < words.length; index++) {
    const word = words[index];
    const entry = word === undefined ? undefined : assignmentIn(word);
    if (entry === undefined) break;
    assignments.push(entry);
  }
  index += wrapper.operands;
  if (index >= words.length) return [];
  const inner = words.slice(index);
  return [
    {
      kind: 'command',
      words: name === 'xargs' ? withInput(words.slice(0, start), inner) : inner,
      assignments,
      directory,
      maybe: wrapper.maybe,
    },
  ];
}

function skipOptions(
  wrapper: Wrapper,
  words: readonly Word[],
): { start: number; directory: Word | undefined } {
  let directory: Word | undefined;
  let index = 0;
  for (; index < words.length; index++) {
    const text = constantOf(words[index]);
    if (text === '--') return { start: index + 1, directory };
    if (text === undefined || !isOption(text)) break;
    const [option = '', value] = text.split('=', 2);
    const separate = value === undefined && takesValue(wrapper, text) ? words[++index] : undefined;
    if (wrapper.directory.includes(option)) directory = value === undefined ? separate : knownWord(value);
  }
  return { start: index, directory };
}

function isOption(text: string): boolean {
  return text.startsWith('-') && text !== '-';
}

function takesValue(wrapper: Wrapper, option: string): boolean {
  if (wrapper.values.includes(option)) return true;
  const isCluster = !option.startsWith('--') && option.length > 2;
  return (
    isCluster &&
    wrapper.values.includes(`-${option.slice(-1)}`) &&
    !wrapper.values.includes(option.slice(0, 2))
  );
}

const FIND_RUNS = ['-exec', '-execdir', '-ok', '-okdir'];

function commandsOfFind(words: readonly Word[]): readonly Wrapped[] {
  const found: Wrapped[] = [];
  for (let index = 0; index < words.length; index++) {
    if (!FIND_RUNS.includes(constantOf(words[index]) ?? '')) continue;
    let end = index + 1;
    while (end < words.length && ![';', '+'].includes(constantOf(words[end]) ?? '')) end++;
    const inner = words.slice(index + 1, end).map((word) => replaced(word, '{}'));
    const directory: Word | undefined = constantOf(words[index])?.endsWith('dir') ? ELSEWHERE : undefined;
    if (inner.length > 0)
      found.push({ kind: 'command', words: inner, assignments: [], directory, maybe: true });
    index = end;
  }
  return found;
}

/** `-execdir` runs where it finds something. */
const ELSEWHERE: Word = { kind: 'unknown', text: 'where it was found' };

function replaced(word: Word, placeholder: string): Word {
  return textOf(word).includes(placeholder) ? { kind: 'unknown', text: textOf(word) } : word;
}

/** `xargs` appends what it reads, or with `-I` puts it in place of a text. */
function withInput(options: readonly Word[], inner: readonly Word[]): readonly Word[] {
  const args = readArguments(options, '-I --replace');
  const placeholder = valueOfOption(args, '-I', '--replace');
  if (placeholder !== undefined) return inner.map((word) => replaced(word, textOf(placeholder)));
  return [...inner, { kind: 'unknown', text: '…' }];
}

const WATCH: Wrapper = {
  values: ['-n', '--interval'],
  operands: 0,
  assigns: false,
  directory: [],
  maybe: true,
};

function codeOfWatch(words: readonly Word[]): Wrapped {
  const { start } = skipOptions(WATCH, words.slice(1));
  const inner = words.slice(start + 1);
  const isKnown = inner.every((word) => word.kind === 'known');
  const text = inner.map(textOf).join(' ');
  return { kind: 'code', code: isKnown ? knownWord(text) : { kind: 'unknown', text }, maybe: true };
}

function codeAfter(words: readonly Word[], options: readonly string[]): readonly Wrapped[] {
  const at = words.findIndex((word) => options.includes(constantOf(word) ?? ''));
  const code = at < 0 ? undefined : words[at + 1];
  return code === undefined ? [] : [{ kind: 'code', code, maybe: false }];
}
