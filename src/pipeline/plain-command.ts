/** Programs that run another command given as their arguments, and those whose options come before the verb. */
const NOT_PLAIN = new Set(
  'sudo doas env nohup nice ionice timeout time command exec xargs find watch bash sh zsh dash eval git ssh stdbuf setsid flock'.split(
    ' ',
  ),
);

/**
 * The words of a line that is one plain command: nothing in it that a shell would make more of.
 * Most lines of an agent are, and need no parser. `undefined` for all others.
 */
export function plainCommand(text: string): readonly string[] | undefined {
  if (!/^[\w./=:@%+,~ -]+$/.test(text)) return undefined;
  const words = text.split(' ').filter((word) => word !== '');
  const [first = ''] = words;
  if (first.includes('=')) return undefined;
  const program = first.slice(first.lastIndexOf('/') + 1);
  const isPlain = !NOT_PLAIN.has(program) || (program === 'git' && words[1]?.startsWith('-') !== true);
  return isPlain ? [program, ...words.slice(1)] : undefined;
}
