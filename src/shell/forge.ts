import { has, readArguments, valueOfOption } from './arguments';
import { constantOf, textOf, type Word } from './command';

const READS = ['list', 'view', 'status', 'checks', 'diff', 'browse', 'download', 'watch', 'search'];

/** What a forge's own program is told to change there, such as `pr merge`; `undefined` for looking things up. */
export function forgeOperation(program: string, words: readonly Word[]): string | undefined {
  if (program !== 'gh' && program !== 'glab') return undefined;
  const args = readArguments(words, '-R --repo -b --body -t --title -F --body-file -H --head -B --base');
  const [topic, verb] = args.operands.map(constantOf);
  if (topic === 'api') return apiCall(words);
  if (topic === undefined || verb === undefined || READS.includes(verb)) return undefined;
  if (['auth', 'config', 'help', 'search', 'status', 'browse', 'alias', 'extension'].includes(topic))
    return undefined;
  return `${topic} ${verb}`;
}

const API_VALUES =
  '-X --method -f -F --field --raw-field --input -H --header -q --jq -t --template --hostname --cache -p --preview';

/** A request that changes something: by its method, or by what is sent along. A query is sent along too. */
function apiCall(words: readonly Word[]): string | undefined {
  const args = readArguments(words, API_VALUES);
  const path = args.operands[1];
  const sends = has(args, '-f', '-F', '--field', '--raw-field', '--input');
  const method = valueOfOption(args, '-X', '--method');
  const verb = method === undefined ? (sends ? 'POST' : 'GET') : textOf(method).toUpperCase();
  const isQuery = constantOf(path) === 'graphql' && !words.some((word) => textOf(word).includes('mutation'));
  return verb === 'GET' || isQuery ? undefined : `api ${verb} ${path === undefined ? '' : textOf(path)}`;
}
