import { resolve } from 'node:path';
import { type Command, defineRule, hold, type RuleContext } from '../../../api';
import { isIgnoredBy } from '../../../core/text';
import { inProject } from './files';

/** As many files as a person can still review in one go. */
const MOST_FILES = 20;
const SHOWN = 5;
const READING = ['read', 'search', 'web'];

/** Asks to split a commit of many files. It only knows what this session changed, and its `git add` calls. */
export const smallCommits = defineRule({
  name: 'small-commits',
  on: 'commit',
  description: `A commit has at most ${MOST_FILES} of the files that the session changed.`,
  decide(event, ctx) {
    if (event.kind !== 'tool.before' || event.call.op !== 'shell') return;
    const pending = new Pending(ctx);
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

/** Options of `git add` that stage all files, and those that stage nothing by themselves. */
const EVERYTHING = /^(?:-A|--all|-u|--update)$/;
const NOTHING = /^(?:-n|--dry-run|-N|--intent-to-add|-p|--patch|-i|--interactive|-e|--edit)$/;

/** A path given to `git add`: a file, or a directory with everything in it. */
interface Staged {
  readonly path: string;
  /** Only files that git tracks, as with `-u`. */
  readonly isTracked: boolean;
}

/** Changed files that are not yet committed, as far as the session's calls show. */
class Pending {
  readonly #ctx: RuleContext;
  readonly #root: string;
  readonly #changed = new Set<string>();
  #staged: Staged[] = [];
  #index: string | undefined;

  constructor(ctx: RuleContext) {
    this.#ctx = ctx;
    this.#root = ctx.root;
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

  #stage(args: readonly string[], command: Command): void {
    if (args.some((arg) => NOTHING.test(arg))) return;
    const isTracked = args.some((arg) => arg === '-u' || arg === '--update');
    const named = args.filter((arg) => !arg.startsWith('-'));
    const isAll = named.length === 0 && args.some((arg) => EVERYTHING.test(arg));
    const paths = isAll ? [this.#root] : this.#pathsOf(named, command);
    this.#staged.push(...paths.map((path) => ({ path, isTracked })));
  }

  /** None if it is unknown what they are relative to. */
  #pathsOf(words: readonly string[], { cwd }: Command): string[] {
    if (cwd === undefined) return [];
    return words.map((word) => (word === ':/' ? this.#root : resolve(cwd, word === '*' ? '.' : word)));
  }

  /** The changed files that a commit contains, relative to the root. */
  committedBy(command: Command): string[] {
    const args = command.arguments;
    // `-a` includes tracked files, but no new ones.
    const isAll = args.some((arg) => arg === '--all' || /^-[pqsvneio]*a/.test(arg));
    const at = args.indexOf('--');
    const named = at < 0 ? [] : this.#pathsOf(args.slice(at + 1), command);
    const taken = [
      ...(isAll ? [{ path: this.#root, isTracked: true }] : []),
      ...(at < 0 ? this.#staged : named.map((path) => ({ path, isTracked: true }))),
    ];
    const files = [...this.#changed].filter((path) => this.#isTaken(path, taken));
    return files.map((path) => inProject(path, this.#root) ?? path);
  }

  #isTaken(path: string, taken: readonly Staged[]): boolean {
    const ways = taken.filter((one) => path === one.path || path.startsWith(`${one.path}/`));
    const below = inProject(path, this.#root) ?? path;
    const isNewTaken = ways.some(({ isTracked }) => !isTracked);
    if (isNewTaken && !isIgnoredBy(this.#ctx.read('.gitignore') ?? '', below)) return true;
    return ways.length > 0 && this.#isTracked(below);
  }

  /** In git's index each path is between its length and a NUL. In other formats, no file is found. */
  #isTracked(below: string): boolean {
    this.#index ??= this.#readIndex();
    const length = Buffer.byteLength(below) % 256;
    const before = length < 128 ? String.fromCharCode(length) : '\ufffd';
    return this.#index.includes(`${before}${below}\0`);
  }

  #readIndex(): string {
    const [, linked] = /^gitdir: (.+)/.exec(this.#ctx.read('.git') ?? '') ?? [];
    return this.#ctx.read(resolve(this.#root, linked ?? '.git', 'index')) ?? '';
  }
}
