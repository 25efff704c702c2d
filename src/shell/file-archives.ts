import { allOperands, has, readArguments, valueOfOption } from './arguments';
import { constantOf, knownWord, textOf, type Word } from './command';
import { eachOf, type Writer } from './file-targets';

/** Programs that unpack, patch or mirror: which files they write is not in their arguments. */

export const tar: Writer = (words) => {
  const [first, ...others] = words;
  const text = constantOf(first) ?? '';
  // The old style has its letters without a dash.
  const spelled =
    first === undefined || text === '' || text.startsWith('-') ? words : [knownWord(`-${text}`), ...others];
  const args = readArguments(spelled, '-f --file -C --directory -T --files-from --exclude -X');
  const directory = valueOfOption(args, '-C', '--directory') ?? knownWord('.');
  if (has(args, '-x', '--extract', '--get')) return eachOf('archive', [directory]);
  const archive = valueOfOption(args, '-f', '--file');
  const writes = has(args, '-c', '--create', '-r', '--append', '-u', '--update', '-A');
  return writes && archive !== undefined ? eachOf('archive', [archive]) : [];
};

export const unzip: Writer = (words) => {
  const args = readArguments(words, '-d -x');
  if (has(args, '-l', '-t', '-v', '-p', '-Z')) return [];
  return eachOf('archive', [valueOfOption(args, '-d') ?? knownWord('.')]);
};

export const zip: Writer = (words) =>
  eachOf('archive', allOperands(readArguments(words, '-x -i')).slice(0, 1));

export const patch: Writer = (words) => {
  const args = readArguments(words, '-p -i --input -d --directory -o --output -B -r');
  if (has(args, '--dry-run')) return [];
  const [file] = args.operands;
  return eachOf('patch', [file ?? { kind: 'unknown', text: 'patch' }]);
};

/** The last operand is where it goes; with a host before a colon that is elsewhere. */
export const mirror: Writer = (words) => {
  const args = readArguments(
    words,
    '-e --rsh --exclude --include --filter -P -i -F -o --exclude-from --files-from',
  );
  if (has(args, '-n', '--dry-run')) return [];
  const operands = allOperands(args);
  const target = operands.length > 1 ? operands.at(-1) : undefined;
  return target === undefined || isElsewhere(target) ? [] : eachOf('cp', [target]);
};

function isElsewhere(word: Word): boolean {
  const text = textOf(word);
  const colon = text.indexOf(':');
  return colon > 0 && !text.slice(0, colon).includes('/');
}
