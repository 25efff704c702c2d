/** Words after which a line is no longer plain: they run what follows them, or change what it means. */
const NOT_PLAIN = new Set(
  'sudo doas env nohup nice ionice timeout time command exec xargs find watch bash sh zsh dash eval ssh stdbuf setsid flock source . if then else elif fi for while until do done case esac select function coproc [[ { } ! alias trap'.split(
    ' ',
  ),
);

/** A word of plain characters, a quoted text that nothing is expanded in, an operator, or blanks. */
const TOKEN = /(2>&1)|([\w./=:@%+,^-]+)|'([^']*)'|"([^"$`\\!]*)"|(&&|\|\||;|\|)|([ \t]+)/y;

/**
 * The commands of a line in which a shell would do nothing but split words and chain commands.
 * Most lines of an agent are of that kind, and loading the parser costs a quarter of the event.
 * `undefined` for every other line.
 */
export function plainCommands(text: string): readonly (readonly string[])[] | undefined {
  const commands: string[][] = [[]];
  let word: string | undefined;
  const endWord = (): void => {
    if (word !== undefined) commands.at(-1)?.push(word);
    word = undefined;
  };
  TOKEN.lastIndex = 0;
  while (TOKEN.lastIndex < text.length) {
    const token = TOKEN.exec(text);
    if (token === null) return undefined;
    const [, duplication, plain, single, double, operator] = token;
    const part = plain ?? single ?? double;
    if (part !== undefined) word = (word ?? '') + part;
    else endWord();
    if (duplication !== undefined && isGlued(text, token.index)) return undefined;
    if (operator !== undefined) commands.push([]);
  }
  endWord();
  const filled = commands.filter((words) => words.length > 0);
  return filled.every(isPlain) ? filled.map(withoutDirectory) : undefined;
}

/** `a2>&1` is a word and not a redirection. */
function isGlued(text: string, at: number): boolean {
  return at > 0 && !/[ \t]/.test(text[at - 1] ?? '');
}

function isPlain([first = '', second = '']: readonly string[]): boolean {
  const program = first.slice(first.lastIndexOf('/') + 1);
  if (first.includes('=') || NOT_PLAIN.has(program)) return false;
  return program !== 'git' || !second.startsWith('-');
}

function withoutDirectory([first = '', ...rest]: readonly string[]): readonly string[] {
  return [first.slice(first.lastIndexOf('/') + 1), ...rest];
}
