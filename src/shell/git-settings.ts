import { type Arguments, has, readArguments, valueOfOption } from './arguments';
import { constantOf, type Word } from './command';
import { type GitPlan, type Planner, plan, refTo } from './git-plan';

/** The commands that write git's own settings: hooks, aliases, filters and remotes are all named there. */

const CONFIG_VALUES = '-f --file --blob --type --default --comment --value --url -t';
const READS = [
  '--get',
  '--get-all',
  '--get-regexp',
  '--get-urlmatch',
  '--get-color',
  '--get-colorbool',
  '-l',
  '--list',
  '--blob',
];
const WRITES = [
  '--add',
  '--unset',
  '--unset-all',
  '--replace-all',
  '--rename-section',
  '--remove-section',
  '-e',
  '--edit',
];
const READING_VERBS = ['get', 'list', 'get-color', 'get-colorbool'];
const WRITING_VERBS = ['set', 'unset', 'rename-section', 'remove-section', 'edit'];

export const config: Planner = (words) => {
  const args = readArguments(words, CONFIG_VALUES);
  return writesConfig(args) ? plan('config', whereOf(args)) : undefined;
};

/** Either the verb says it, or an option, or that there is a value beside the name. */
function writesConfig(args: Arguments): boolean {
  const verb = constantOf(args.operands[0]) ?? '';
  if (has(args, ...READS) || READING_VERBS.includes(verb)) return false;
  return has(args, ...WRITES) || WRITING_VERBS.includes(verb) || args.operands.length > 1;
}

const OF_THE_USER: Word = { kind: 'unknown', text: '~/.gitconfig' };
const OF_THE_SYSTEM: Word = { kind: 'unknown', text: '/etc/gitconfig' };

function whereOf(args: Arguments): Partial<GitPlan> {
  const file = valueOfOption(args, '-f', '--file');
  if (file !== undefined) return { files: [file] };
  if (has(args, '--global')) return { files: [OF_THE_USER] };
  return has(args, '--system') ? { files: [OF_THE_SYSTEM] } : { settings: true };
}

export const remote: Planner = (words) => {
  const args = readArguments(words, '-t -m');
  const [verb, name] = args.operands.map(constantOf);
  if (verb === 'set-head') {
    const follows = has(args, '-a', '--auto');
    const ref = refTo([name === undefined ? undefined : `refs/remotes/${name}/HEAD`]);
    return plan('update-ref', { refs: [follows ? { ...ref, follows } : ref] });
  }
  const isRead = verb === undefined || ['show', 'get-url', 'update', 'prune', '-v'].includes(verb);
  return isRead ? undefined : plan('config', { settings: true });
};
