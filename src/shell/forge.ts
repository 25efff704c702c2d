import { readArguments } from './arguments';
import { constantOf, type Word } from './command';

const READS = ['list', 'view', 'status', 'checks', 'diff', 'browse', 'download', 'watch', 'search'];

/** What a forge's own program is told to change there, such as `pr merge`; `undefined` for looking things up. */
export function forgeOperation(program: string, words: readonly Word[]): string | undefined {
  if (program !== 'gh' && program !== 'glab') return undefined;
  const args = readArguments(words, '-R --repo -b --body -t --title -F --body-file -H --head -B --base');
  const [topic, verb] = args.operands.map(constantOf);
  if (topic === 'api') return 'api';
  if (topic === undefined || verb === undefined || READS.includes(verb)) return undefined;
  if (['auth', 'config', 'help', 'search', 'status', 'browse', 'alias', 'extension'].includes(topic))
    return undefined;
  return `${topic} ${verb}`;
}
