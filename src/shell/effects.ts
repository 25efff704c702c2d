import { posix } from 'node:path';
import type { Effects, FileWrite, GitEffect, UnknownEffect, WriteKind } from '../core/command-effects';
import { packageWrites, type Target, writerOf } from './file-writes';
import { globExpansion, pathsTo } from './find';
import { gitEffectOf, Repositories } from './git-effects';
import { startsPrograms } from './inline-code';
import { programCommitOf } from './releases';
import type { Start, Watched } from './scope';
import { testCallOf, testPlaces } from './test-runs';
import { type RunCommand, readLine } from './walk';
import {
  Arguments,
  distinct,
  isBelow,
  isOneOf,
  isReader,
  isScript,
  isShell,
  knownWord,
  limited,
  nameTable,
  type PossibleValues,
  programOf,
  resolveFrom,
  saidIn,
  type Word,
} from './words';

/** The effects found so far, possibly with duplicates. */
type Found = { [Kind in Exclude<keyof Effects, 'commits'>]: Effects[Kind][number][] } & {
  readonly links: Link[];
};

/** A link that the line itself creates, and its target. */
interface Link {
  readonly at: string;
  readonly to: string;
}

/** Predicts what a line will do without running it, as far as its text tells; the rest is in `unknown`. */
export function effectsOf(text: string, start: Start): Effects {
  const line = readLine(text, start);
  const found = nothing();
  if (line.kind === 'unreadable')
    found.unknown.push({ kind: 'code', text, ...(line.isTooMuch && { isTooMuch: true }) });
  const repositories = new Repositories(start.repositoryAt, start.cwd);
  const testCommands = (start.testCommands ?? []).map(plainWords);
  for (const command of line.kind === 'read' ? line.commands : []) {
    const [tests, writes, git] = [found.tests.length, found.writes.length, found.git.length];
    if (command.guessed) {
      addGuessed(found, command, repositories, start);
      continue;
    }
    const runsTests = addTests(found, command, start, testCommands);
    if (command.container === undefined) addEffects(found, command, repositories, start, runsTests);
    if (tests > 0 && changesTree(found.writes.slice(writes), found.git.slice(git)))
      found.tests = found.tests.map((one, at) => (at < tests ? { ...one, followed: true } : one));
  }
  const commits = found.git.filter(({ operation, dryRun }) => operation === 'commit' && !dryRun).length;
  return {
    git: distinct(found.git),
    writes: distinct(found.writes),
    tests: distinct(found.tests),
    forge: distinct(found.forge),
    unknown: distinct(found.unknown),
    ...(commits > 1 && { commits }),
  };
}

function nothing(): Found {
  return { git: [], writes: [], tests: [], forge: [], unknown: [], links: [] };
}

/** What a command would do if it runs at all. That files change is seen afterwards, unless they are ours. */
function addGuessed(found: Found, command: RunCommand, repositories: Repositories, start: Start): void {
  const own = nothing();
  addEffects(own, command, repositories, start, true);
  found.git.push(...own.git.map((one) => ({ ...one, guessed: true as const })));
  found.writes.push(...own.writes.map((one) => ({ ...one, aside: true as const })));
  found.forge.push(...own.forge);
}

/** Whether a command changes the files that earlier tests saw: it edits them, or checks out others. */
function changesTree(writes: readonly FileWrite[], git: readonly GitEffect[]): boolean {
  const switches = ({ operation, refsWritten }: GitEffect): boolean =>
    ['stash', 'restore'].includes(operation) ||
    (['checkout', 'switch'].includes(operation) && refsWritten.length === 0);
  return writes.some(({ how }) => ['sed-i', 'perl-i', 'patch'].includes(how)) || git.some(switches);
}

/** A declared command as it appears among those that run: without wrappers such as `poetry run`. */
function plainWords(text: string): readonly string[] {
  const line = readLine(text, { cwd: '/' });
  const [only, ...more] = line.kind === 'read' ? line.commands : [];
  return only === undefined || more.length > 0
    ? text.trim().split(/\s+/)
    : only.words.map((word) => word.text);
}

/** Returns true if the command runs tests and does nothing else. */
function addTests(
  found: Found,
  { words, assignments, cwd, container, certain }: RunCommand,
  start: Start,
  testCommands: readonly (readonly string[])[],
): boolean {
  const call = testCallOf(words, assignments, testCommands);
  if (call === undefined) return false;
  const places = container ?? testPlaces(words, cwd);
  found.tests.push({ ...call, certain, places: places.map((place) => plainPlace(place, start)) });
  return call.idle === undefined;
}

/** If a place is reached through a symlink, use the root of its repository instead. */
function plainPlace(place: string | undefined, { repositoryAt }: Start): string | undefined {
  const root = place === undefined ? undefined : repositoryAt?.(place)?.root;
  return root === undefined || `${place}/`.startsWith(`${root}/`) ? place : root;
}

function addEffects(
  found: Found,
  command: RunCommand,
  repositories: Repositories,
  start: Start,
  runsTests: boolean,
): void {
  const { words, outputs, input, cwd, likelyCwd, histories } = command;
  const { watched } = start;
  const [name, ...args] = words;
  const text = words.map(({ text }) => text).join(' ');
  const addWrites = (targets: readonly Target[], from: PossibleValues, likely = from) => {
    const on = repositories.branchLeft(cwd, histories);
    for (const target of targets) {
      const writes = writeTo(target, from, likely, watched);
      for (const write of [...writes, ...writes.flatMap((one) => throughLinks(one, found.links))]) {
        const branch = repositories.branchMadeAt(write.path, histories, start) ?? on;
        found.writes.push(branch === undefined ? write : { ...write, branch: limited(branch) });
      }
      found.links.push(...linksMadeBy(target, from));
    }
  };
  addWrites(
    outputs.map(({ target, append }) => ({ how: append ? 'append' : 'redirect', candidates: [target] })),
    cwd,
    likelyCwd,
  );
  if (name?.value === '') return;
  const program = programOf(name);
  const operation = forgeOperation(program, args);
  if (operation !== undefined) found.forge.push({ program, operation });
  if (program === 'git') {
    const { effect, targets, dir, runsCode } = gitEffectOf(command, repositories);
    if (effect !== undefined) found.git.push(effect);
    addWrites(targets, dir);
    if (runsCode) found.unknown.push({ kind: 'code', text, ...runsCode });
    return;
  }
  found.git.push(...commitsBy(command, repositories));
  const writer = writerOf(program);
  addWrites(writer?.(args) ?? packageWrites(program, args), cwd, likelyCwd);
  if (runsTests) return;
  const kind = unknownKind(name?.value, args);
  if (kind === undefined || (writer !== undefined && kind !== 'script')) return;
  // Include the input, since an interpreter may read code from it.
  const fed = input === undefined ? text : `${text}\n${input.text}`;
  found.unknown.push({
    kind,
    text: fed,
    ...(name?.value?.includes('/') && { file: limited(resolveFrom(cwd, name.value)) }),
    ...(startsPrograms(program, args, input) && { starts: true }),
  });
}

/** The commits that a program other than git makes. */
function commitsBy(command: RunCommand, repositories: Repositories): readonly GitEffect[] {
  const commits = programCommitOf(command.words, command.assignments);
  const made = commits && gitEffectOf(command, repositories, commits).effect;
  return made === undefined ? [] : [made];
}

const SPECIAL_FILES = ['/dev/null', '/dev/stdout', '/dev/stderr', '/dev/tty', '/dev/fd'];

/** They fail if given a directory. */
const EDITS: readonly WriteKind[] = ['redirect', 'append', 'tee', 'sed-i', 'perl-i', 'truncate'];

const MOST_ASIDE = 16;
/** Stands for an unknown path; no path is below it. */
const UNKNOWN_PLACE = '?';

function writeTo(
  { how, candidates, reaches, means }: Target,
  cwd: PossibleValues,
  likelyCwd: PossibleValues,
  watched: Watched | undefined,
): readonly FileWrite[] {
  if (EDITS.includes(how) && candidates.every(({ value }) => value?.endsWith('/'))) return [];
  const places = candidates.flatMap((word) => resolveFrom(cwd, word.value));
  const likely = candidates.flatMap((word) => resolveFrom(likelyCwd, word.value));
  const path = limited(likely);
  if (path.every((option) => SPECIAL_FILES.some((file) => option?.startsWith(file)))) return [];
  const text = candidates[0] === undefined ? '' : candidates[0].text;
  const reached = watched
    ?.files()
    .filter(
      (file) =>
        candidates.some((word) => globExpansion(word, cwd, takenAlong(file, how)).length > 0) ||
        places.some((place = UNKNOWN_PLACE) => reaches?.({ file, place, cwd, watched }) === true),
    );
  const others = new Set(places.filter((one) => one !== undefined && !path.includes(one)));
  const written = { path, text, how };
  const meant = { ...written, ...(means && { means }) };
  return [
    meant,
    ...[...others].slice(0, MOST_ASIDE).map((value) => ({ ...meant, path: [value], aside: true as const })),
    ...(reached ?? []).map((value) => ({ ...written, path: [value] })),
  ];
}

/**
 * The paths that a glob may match to write this file: a directory that is removed or moved takes its files along.
 * Installed packages are removed all the time.
 */
function takenAlong(file: string, how: WriteKind): readonly string[] {
  return (how !== 'rm' && how !== 'mv') || file.includes('/node_modules/') ? [file] : pathsTo(file);
}

/** A relative target counts from the link's directory for a symlink, from `cwd` for a hard link: try both. */
function linksMadeBy({ candidates, leadsTo }: Target, cwd: PossibleValues): readonly Link[] {
  if (leadsTo === undefined) return [];
  const known = (paths: PossibleValues): string[] => paths.filter((path) => path !== undefined);
  return candidates
    .flatMap((word) => known(resolveFrom(cwd, word.value)))
    .flatMap((at) =>
      known(resolveFrom([...cwd, posix.dirname(at)], leadsTo.value)).map((to) => ({ at, to })),
    );
}

/** The same write, resolved through the links that the line creates. */
function throughLinks(write: FileWrite, links: readonly Link[]): readonly FileWrite[] {
  const isOfLink = ['ln', 'rm', 'mv'].includes(write.how);
  return write.path.flatMap((path = UNKNOWN_PLACE) =>
    links
      .filter(({ at }) => (path === at && !isOfLink) || isBelow(at, path))
      .map(({ at, to }) => ({
        ...write,
        path: [to + path.slice(at.length)],
      })),
  );
}

const FORGE_READS = 'list view status checks diff browse download watch search'.split(' ');
const FORGE_OWN_TOPICS = 'auth config help search status browse alias extension'.split(' ');
const API_VALUES =
  '-X --method -f -F --field --raw-field --input -H --header -q --jq -t --template --hostname --cache -p --preview';

const isForgeProgram = isOneOf(
  'gh glab hub tea az aws bb gt gs git-spice git-town ghstack arc spr sl git-cl git-codereview git-review',
);

/** The change that a forge's own program makes, such as `pr merge`; `undefined` if it only reads. */
function forgeOperation(program: string, words: readonly Word[]): string | undefined {
  if (isWebClient(program)) return webCall(words);
  if (!isForgeProgram(program === 'git' ? `git-${words[0]?.text}` : program)) return undefined;
  const line = [program, ...words.map(({ text }) => text)].join(' ');
  if (OTHER_REQUESTS.test(line)) return 'pr create';
  if (OTHER_MERGES.test(line)) return 'pr merge';
  if (!['gh', 'glab', 'tea'].includes(program)) return undefined;
  const args = new Arguments(words, FORGE_VALUES);
  const [topic, verb] = args.operands.map(({ value }) => value);
  if (topic === 'api') return apiCall(words);
  // An alias is judged where it is made: later its name tells nothing.
  if (topic === 'alias' && verb === 'set')
    return forgeOperation('gh', (args.operands[3]?.text ?? '').replace(/^gh /, '').split(' ').map(knownWord));
  if (topic === undefined || verb === undefined || args.has('--help --dry-run')) return undefined;
  if (FORGE_READS.includes(verb) || FORGE_OWN_TOPICS.includes(topic)) return undefined;
  return operationNamed(`${topic} ${verb}`, args);
}

/** In one spelling; with the fork and its branch that are synced, as without a fork it is the repository here. */
function operationNamed(said: string, args: Arguments): string {
  if (said === 'repo create' && args.has('--push')) return 'repo push';
  const fork = args.operands[2];
  if (said === 'repo sync' && fork !== undefined)
    return `repo sync ${fork.text} ${args.valueOf('-b --branch')?.text ?? ''}`.trimEnd();
  return said.replace(/^(?:pulls? m(?:erge)?|pr m)$/, 'pr merge');
}

const FORGE_VALUES =
  '-R --repo -b --body -t --title -F --body-file -H --head -B --base -a --assignee -l --label -m --milestone -p --project -r --reviewer -T --template --recover -A --author-email --match-head-commit -d --description -s --source-branch --branch --source --login';

/** A request that changes something, by its method or its data. A GraphQL query that we see has data but only reads. */
function apiCall(words: readonly Word[]): string | undefined {
  const args = new Arguments(words, API_VALUES);
  const path = args.operands[1];
  const method = args.valueOf('-X --method');
  const implied = args.has('-f -F --field --raw-field --input') ? 'POST' : 'GET';
  const verb = method === undefined ? implied : method.text.toUpperCase();
  const isGraph = path?.value === 'graphql';
  const said = words.map(({ text }) => text).join(' ');
  const isQuery = isGraph && /\bquery=["'\s]*(?:query|fragment|\{)/.test(said) && !said.includes('mutation');
  if (verb === 'GET' || isQuery) return undefined;
  return apiOperation(verb, path === undefined ? '' : saidIn(path), said);
}

/** Of a query, all that is said counts. */
function apiOperation(verb: string, path: string, said: string): string {
  const plain = path.replace(/[?#].*$/s, '').replace(/\/+$/, '');
  return `api ${verb} ${plain}${plain === 'graphql' ? ` ${said}` : ''}`;
}

/** Other programs that open a pull request. */
const OTHER_REQUESTS =
  /^(?:hub pull-request|tea (?:pr|pulls?) (?:create|c)|az repos pr create|aws codecommit create-pull-request|gt (?:stack )?(?:submit|ss?)|(?:gs|git-spice) \w+ submit|ghstack(?= -| submit|$)|arc diff|spr (?:diff|update)|sl pr submit|git[- ](?:town propose|cl upload|codereview mail|review(?! --?(?:[dlshmNxX]\b|download|list|setup|help|version))))\b/;
/** Other programs that have one merged. */
const OTHER_MERGES =
  /^(?:gt merge|bb pr merge|git[- ]town ship|(?:spr|ghstack|arc) land|az repos pr update .*--(?:status[ =]completed|auto-complete[ =]true)|aws codecommit merge-(?:pull|branches))\b/;

/** The address of a forge's API on another machine, or one whose beginning is unknown. */
const FORGE_API =
  /^(?!(?:https?:\/\/)?(?:localhost|127\.|0\.0\.0\.0|\[::1))(?:(?:https?:\/\/)?api\.(?:github\.com|bitbucket\.org)|https?:\/\/[^/]+\/api\/(?:v[34]|v1(?=\/repos\/))|[^$]*\$.*?(?=\/(?:repos|projects)\/|\/(?:pulls|merge_requests)\b))\/(.*)$/s;

const isWebClient = isOneOf('curl wget http https xh curlie');

/** A request to a forge's API with curl or a program like it. */
function webCall(words: readonly Word[]): string | undefined {
  if (!words.some(({ text }) => /:\/\/|\$|^api\./.test(text))) return undefined;
  const args = new Arguments(words, '-X --request -d --data -H --header -u --user -o --output -F -T');
  const [, path] =
    args.operands.map((word) => FORGE_API.exec(saidIn(word))).find((found) => found !== null) ?? [];
  if (path === undefined) return undefined;
  const sends =
    args.has('-d -F') ||
    words.some(({ text }) => /^--(?:data|json|form|(?:post|body)-(?:data|file))/.test(text));
  // Some programs take the method as a word.
  const method = words.find(({ text }) => /^(?:--method=)?(?:post|put|patch|delete)$/i.test(text));
  const implied = sends && !args.has('-G --get') ? 'POST' : 'GET';
  const named = args.valueOf('-X --request') ?? method;
  const verb = named?.text.replace(/^--method=/, '').toUpperCase() ?? implied;
  return verb === 'GET' ? undefined : apiOperation(verb, path, words.map(({ text }) => text).join(' '));
}

const isCode = isOneOf('eval source . trap busybox su watch');

/** Whether it only prints version or help. For shells and Python `-v` means verbose: they still run code. */
function isAboutItself(name: string, option: string): boolean {
  const isVerbose = isShell(name) || name.startsWith('python');
  const pattern = isVerbose ? /^--(?:version|help)$/ : /^(?:--version|-V|--help|-h|-v)$/;
  return !name.includes('/') && pattern.test(option);
}

/** What is unknown about a command; `undefined` if it is known to write nothing. */
function unknownKind(name: string | undefined, args: readonly Word[]): UnknownEffect['kind'] | undefined {
  if (name === undefined) return 'code';
  const program = posix.basename(name);
  if (args.length === 1 && isAboutItself(name, args[0]?.value ?? '')) return undefined;
  const texts = args.map(({ text }) => text);
  if (isCode(name) || isShell(program)) return codeKind(program, texts);
  if (isScript(program) || /^python[0-9.]+$/.test(program)) return 'script';
  const acts = actsOf(program);
  if (acts !== undefined) return acts(texts) ? 'script' : undefined;
  if (isReader(program) && /^(?:[^/]+|\/(?:usr\/(?:local\/)?)?bin\/.*)$/.test(name)) return undefined;
  return name.includes('/') ? 'script' : 'program';
}

/** Options of a shell before the file that it runs. With others, such as `-c` and `-s`, it may run something else. */
const SHELL_OPTION = /^(?:[-+][abefhiklmnpruvx]*(?:o \w+)?|--(?:login|norc|noprofile|posix|verbose)) /;

/** A shell that runs a file counts as a script. */
function codeKind(program: string, words: readonly string[]): 'code' | 'script' {
  let rest = `${words.join(' ')} `;
  while (isShell(program) && SHELL_OPTION.test(rest)) rest = rest.replace(SHELL_OPTION, '');
  const runsFile = isShell(program) || program === 'source' || program === '.';
  return runsFile && /^[^-\s]/.test(rest) ? 'script' : 'code';
}

/** `s/a/b/` without its flags, and an address `/a/`: their contents are text, not commands. */
const SUBSTITUTION = /s([^\s\w\\])(?:\\.|(?!\1)[^\\])*\1(?:\\.|(?!\1)[^\\])*\1/g;
const ADDRESS = /\/(?:\\.|[^\\/])*\//g;

/** A sed script can write files and run commands, with `w` and `e`. */
function sedActs(words: readonly string[]): boolean {
  const args = new Arguments(words.map(knownWord), '-e --expression -l --line-length');
  if (args.has('-f --file')) return true;
  const given = args.valuesOf('-e --expression');
  return (given.length > 0 ? given : args.operands.slice(0, 1)).some(({ text }) => {
    const bare = text.replace(SUBSTITUTION, 's').replace(ADDRESS, '');
    return /(^|[;{}\s\d$,])([wW]\s*\S|e(\s|$|;))|s[gIpMm0-9]*[we]/.test(bare);
  });
}

/** Programs that write files or run commands only if their arguments say so. */
const actsOf = nameTable<(words: readonly string[]) => boolean>(() => [
  [
    'awk gawk',
    (words) => words.some((text) => /^(?:-f|--fi)|\bsystem\s*\(|\|\s*getline|\bprintf?\b.*[>|]/.test(text)),
  ],
  ['sed gsed', sedActs],
  // Some actions of `find` print into a file.
  ['find', (words) => words.some((text) => /^-f(?:print[0f]?|ls)$/.test(text))],
  ['fd', (words) => words.some((text) => /^(?:-[a-zA-Z]*[xX]|--exec)/.test(text))],
  ['rg', (words) => words.some((text) => /^--(?:pre|hostname-bin)(?:=|$)/.test(text))],
]);
