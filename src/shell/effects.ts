import type {
  Effects,
  FileWrite,
  ForgeEffect,
  GitEffect,
  TestRun,
  UnknownEffect,
} from '../core/command-effects';
import { optionsOf } from '../core/command-effects';
import { constantOf, type SimpleCommand, textOf } from './command';
import type { Target } from './file-targets';
import { WRITERS } from './file-writers';
import { forgeOperation } from './forge';
import { gitEffectsOf } from './git-effects';
import { baseName, resolveFrom } from './paths';
import { type Options, possibleOf } from './possible';
import { redirectionTargets } from './redirections';
import { Repositories } from './repositories';
import type { Step } from './scope';
import { commandOf, walkLine, withoutRepeats } from './simple-commands';
import type { Start } from './start';
import { testRunOf } from './test-runs';
import { unfollowed } from './unfollowed';

/** What a line is about to do, as far as its text tells; what it does not tell is in `unknown`. */
export function effectsOf(text: string, start: Start): Effects {
  const walked = walkLine(text, start);
  if (walked.kind === 'unparsable') return { ...NONE, unknown: [{ kind: 'code', text }] };
  const found = new Collection(start);
  for (const step of walked.steps) found.add(commandOf(step, walked.outcome), step);
  return found.effects();
}

const NONE: Effects = { git: [], writes: [], tests: [], forge: [], unknown: [] };
const SPECIAL_FILES = ['/dev/null', '/dev/stdout', '/dev/stderr', '/dev/tty', '/dev/fd'];

class Collection {
  readonly #start: Start;
  readonly #repositories: Repositories;
  readonly #git: GitEffect[] = [];
  readonly #writes: FileWrite[] = [];
  readonly #tests: TestRun[] = [];
  readonly #forge: ForgeEffect[] = [];
  readonly #unknown: UnknownEffect[] = [];

  constructor(start: Start) {
    this.#start = start;
    const itself = { root: start.cwd, branch: start.branch };
    this.#repositories = new Repositories(
      start.repositoryAt ?? ((directory) => (directory === start.cwd ? itself : undefined)),
    );
  }

  add(command: SimpleCommand, step: Step): void {
    const { certain } = command;
    this.#write(redirectionTargets(command.redirections), step.cwd, certain);
    const name = constantOf(command.name);
    if (name === '') return;
    const program = name === undefined ? '' : baseName(name);
    if (program === 'git') {
      this.#addGit(command, step);
      return;
    }
    const operation = forgeOperation(program, command.args);
    if (operation !== undefined) this.#forge.push({ program, operation, dir: command.cwd, certain });
    const writer = WRITERS.get(program);
    if (writer !== undefined) this.#write(writer(command.args), step.cwd, certain);
    if (this.#addTest(command, step)) return;
    const unknown = unfollowed([command.name, ...command.args]);
    if (unknown !== undefined && (writer === undefined || unknown.kind === 'script'))
      this.#unknown.push(withInput(unknown, step));
  }

  effects(): Effects {
    return {
      git: withoutRepeats(this.#git),
      writes: withoutRepeats(this.#writes),
      tests: withoutRepeats(this.#tests),
      forge: withoutRepeats(this.#forge),
      unknown: withoutRepeats(this.#unknown),
    };
  }

  #addGit(command: SimpleCommand, step: Step): void {
    const { effects, files, code } = gitEffectsOf(command, step, this.#repositories);
    this.#git.push(...effects);
    this.#write(files.targets, files.cwd, command.certain);
    if (code)
      this.#unknown.push({ kind: 'code', text: [command.name, ...command.args].map(textOf).join(' ') });
  }

  #addTest(command: SimpleCommand, step: Step): boolean {
    const run = testRunOf([command.name, ...command.args], this.#start.testCommands ?? []);
    if (run === undefined) return false;
    const dir = run.directory === undefined ? step.cwd : resolveFrom(step.cwd, constantOf(run.directory));
    this.#tests.push({ runner: run.runner, dir: possibleOf(dir), certain: command.certain });
    return true;
  }

  #write(targets: readonly Target[], cwd: Options, certain: boolean): void {
    for (const { how, candidates } of targets) {
      const path = possibleOf(candidates.flatMap((word) => resolveFrom(cwd, constantOf(word))));
      if (optionsOf(path).every((option) => SPECIAL_FILES.some((file) => option?.startsWith(file)))) continue;
      const isCertain = certain && path.kind === 'known' && how !== 'git' && how !== 'archive';
      this.#writes.push({
        path,
        text: candidates[0] === undefined ? '' : textOf(candidates[0]),
        how,
        certain: isCertain,
      });
    }
  }
}

/** What an interpreter is fed belongs to what it is told. */
function withInput(unknown: UnknownEffect, { input }: Step): UnknownEffect {
  return input === undefined ? unknown : { ...unknown, text: `${unknown.text}\n${textOf(input)}` };
}
