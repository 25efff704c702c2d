import { resolve } from 'node:path';
import { type Command, defineRule, hold, type RuleContext } from '../../../api';
import { inProject } from './files';

/** So many files one can still review in one go. */
const MOST_FILES = 20;
const SHOWN = 5;
const READING = ['read', 'search', 'web'];

/** A commit of many files is asked to be split. It knows the files that this session changed, and what it added. */
export const smallCommits = defineRule({
  name: 'small-commits',
  on: 'commit',
  description: `A commit has at most ${MOST_FILES} of the files that the session changed.`,
  decide(event, ctx) {
    if (event.kind !== 'tool.before' || event.call.op !== 'shell') return;
    const pending = new Pending(ctx.root);
    for (const call of ctx.history) {
      if (call.outcome === 'failure' || READING.includes(call.op)) continue;
      pending.edited(call.paths);
      for (const command of call.commands) pending.ran(command);
    }
    pending.edited(ctx.paths);
    for (const command of ctx.commands) {
      const files = isGit(command, 'commit') ? pending.committedBy(command) : [];
      if (files.length > MOST_FILES) return hold(tooMany(files));
      pending.ran(command);
    }
    return;
  },
});

function tooMany(files: readonly string[]): string {
  const shown = files.slice(0, SHOWN).join(', ');
  return `this commit has ${files.length} files that were changed since the last one (${shown}, …), more than ${MOST_FILES}. Split it: \`git add\` the files of one change by name, commit, and go on with the next.`;
}

function isGit({ program, arguments: [verb] }: Command, wanted: string): boolean {
  return program === 'git' && verb === wanted;
}

/** Options of `git add` and `git commit` that stand for all files, and words that do. */
const ALL = /^(?:-A|--all|-u|--update|\.|\.\/|:\/|\*)$/;

/** What has been changed and not yet committed, as far as the session's calls tell. */
class Pending {
  readonly #root: string;
  readonly #changed = new Set<string>();
  #staged: string[] | 'all' = [];

  constructor(root: string) {
    this.#root = root;
  }

  edited(paths: RuleContext['paths']): void {
    for (const path of paths) if (inProject(path, this.#root) !== undefined) this.#changed.add(path);
  }

  ran(command: Command): void {
    const { program, arguments: args } = command;
    const [verb, ...rest] = args;
    if (program !== 'git') return;
    if (verb === 'add' || verb === 'stage') this.#stage(rest, command);
    else if (verb === 'reset' || (verb === 'restore' && rest.includes('--staged'))) this.#staged = [];
    else if (verb === 'commit') {
      for (const file of this.committedBy(command)) this.#changed.delete(resolve(this.#root, file));
      this.#staged = [];
    }
  }

  #stage(args: readonly string[], { cwd = this.#root }: Command): void {
    if (args.some((arg) => ALL.test(arg))) this.#staged = 'all';
    if (this.#staged === 'all') return;
    this.#staged.push(...args.filter((arg) => !arg.startsWith('-')).map((arg) => resolve(cwd, arg)));
  }

  /** The changed files that a commit takes, relative to the root. */
  committedBy({ arguments: args, cwd = this.#root }: Command): string[] {
    const isAll = args.some((arg) => arg === '--all' || /^-[a-zA-Z]*a/.test(arg));
    const at = args.indexOf('--');
    const named = at < 0 ? [] : args.slice(at + 1).map((arg) => resolve(cwd, arg));
    const staged = named.length > 0 ? named : this.#staged;
    const isTaken = (path: string): boolean =>
      isAll || staged === 'all' || staged.some((one) => path === one || path.startsWith(`${one}/`));
    return [...this.#changed].filter(isTaken).map((path) => inProject(path, this.#root) ?? path);
  }
}
