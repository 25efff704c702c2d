import type { Assignment } from './scope';
import { Arguments, nameTable, type Word } from './words';

/* Programs that commit to the current branch themselves, mostly release tools. */

interface CommittingProgram {
  /** Commits only with one of these words. */
  readonly needs?: string;
  /** Does not commit with one of these words. `--no-a` also matches `--a=false`. */
  readonly off?: string;
  /** Needs an operand; without one it only prints. */
  readonly operand?: true;
  /** Commits only for a package at the root of the work tree. */
  readonly root?: true;
}

const BUMPS = '--new-version --major --minor --patch --premajor --preminor --prepatch --prerelease';
const NPM_OFF = '--no-git-tag-version -w --workspace --workspaces -ws';
const CARGO_STEPS = 'version replace hook publish tag owner config changes';

/** By program and first operands, joined with `+`. */
const committerNamed = nameTable<CommittingProgram>(() => [
  ['npm+version npm+verison pnpm+version bun+pm+version', { operand: true, off: NPM_OFF, root: true }],
  ['yarn+version', { needs: BUMPS, off: '--no-git-tag-version' }],
  ['lerna+version lerna+publish', { off: '--no-git-tag-version --canary from-git from-package' }],
  ['nx+release', { off: '--dry-run -d --no-git-commit version plan publish' }],
  ['cargo+release', { needs: '--execute -x', off: CARGO_STEPS }],
  ['cargo+smart-release', { needs: '--execute -e' }],
  ['cargo+workspaces+version cargo+ws+version', { off: '--no-git-commit' }],
  ['cargo+workspaces+publish cargo+ws+publish', { off: '--no-git-commit --from-git --publish-as-is' }],
  ['standard-version commit-and-tag-version', { off: '--dry-run --skip.commit --skip.commit=true' }],
  ['release-it', { off: '--dry-run --no-git --no-git.commit --release-version --changelog' }],
  ['np', { off: '--preview' }],
  ['bumpp', { off: '--no-commit' }],
  ['changelogen', { needs: '--release', off: '--no-commit' }],
  ['cz+bump', { off: '--dry-run --files-only --version-files-only --get-next' }],
  ['cz+commit cz+c git-cz cog+commit', { off: '--dry-run' }],
  ['cog+bump', { off: '--dry-run' }],
  ['oco opencommit aicommits', { off: 'config hook commitlint' }],
  ['bump2version bumpversion bump-my-version+bump', { off: '--no-commit --dry-run -n' }],
  ['tbump', { operand: true, off: '--dry-run --only-patch init' }],
  ['fullrelease', {}],
  ['versionize dotnet+versionize', { off: '--dry-run -d --skip-commit' }],
  ['mvn+release:prepare mvnw+release:prepare', { off: '-DdryRun -DdryRun=true' }],
  ['sbt+release', {}],
]);

const VALUES =
  '-m --message --preid --prefix -C --dir --cwd --tag-version-prefix --loglevel --registry -p --package --manifest-path';

/** A command that makes git commit. */
export interface ProgramCommit {
  readonly by: string;
  readonly root: boolean;
  /** The directory that an option tells it to work in. */
  readonly directory: Word | undefined;
}

/** How a command makes git commit; `undefined` if it does not. */
export function programCommitOf(
  words: readonly Word[],
  assignments: readonly Assignment[],
): ProgramCommit | undefined {
  const [first, ...rest] = words;
  const program = (first?.value ?? '').replace(/^.*\//, '').replace(/(?<=.)@.*$/, '');
  // These also run the project's installed programs by name.
  const isRunner = ['yarn', 'pnpm', 'bun'].includes(program) && /^[^-]/.test(rest[0]?.text ?? '');
  const named = committerFor(program, rest);
  if (named === undefined) return isRunner ? programCommitOf(rest, assignments) : undefined;
  const { name, committer, args } = named;
  const { needs, off = '', operand, root = false } = committer;
  const texts = rest.map(({ text }) => text);
  const has = (list: string) => list.split(' ').some((option) => isGiven(option, texts));
  const isOff = has(`--help -h --version ${off}`) || assignments.some(switchesOff);
  const isComplete = operand !== true || args.all.length >= name.split('+').length;
  if (isOff || !isComplete || (needs !== undefined && !has(needs))) return undefined;
  const directory = args.valueOf('--prefix -C --dir --cwd');
  return { by: name.replaceAll('+', ' '), root, directory };
}

function committerFor(program: string, rest: readonly Word[]) {
  const args = new Arguments(rest, VALUES);
  const [verb = '', second = ''] = args.operands.map(({ text }) => text);
  // Maven takes any number of goals.
  const goals = args.operands
    .filter(({ text }) => text.includes(':'))
    .map(({ text }) => `${program}+${text}`);
  for (const name of [`${program}+${verb}+${second}`, `${program}+${verb}`, ...goals, program]) {
    const committer = committerNamed(name);
    if (committer !== undefined) return { name, committer, args };
  }
  return undefined;
}

function isGiven(option: string, texts: readonly string[]): boolean {
  if (option === '') return false;
  const positive = option.startsWith('--no-') ? `--${option.slice(5)}` : undefined;
  return texts.some(
    (text, at) =>
      text === option ||
      (text.startsWith(`${option}=`) && !text.endsWith('=false')) ||
      (positive !== undefined &&
        (text === `${positive}=false` || (text === positive && texts[at + 1] === 'false'))),
  );
}

function switchesOff({ name, value }: Assignment): boolean {
  return name.toLowerCase() === 'npm_config_git_tag_version' && value.text === 'false';
}
