import { isAbsolute, join, resolve } from 'node:path';
import { branchLabel } from '../git/head';
import {
  type Effects,
  type FileWrite,
  type GitEffect,
  possibleValues,
  type UnknownEffect,
} from './command-effects';
import { EFFECTS, type Effect } from './effect-kinds';
import { type Event, mcpToolOf, type ToolCall } from './event';
import type { Context } from './guard';
import { commandLineIn, isReadingTool, leavesFiles, pathsNamedIn, plainToolName } from './mcp-call';
import { plainKind } from './plain-command';
import { type CallEffects, fileToolEffects, isBelow, isIgnored, toCallEffects } from './project-paths';

/* What a call is about to do, with any tool, as far as its input shows. The rest is judged after the call. */

export function callEffects(
  event: Event & { readonly call: ToolCall },
  ctx: Context,
  wanted: readonly Effect[],
): CallEffects {
  const { call } = event;
  const base = isAbsolute(event.cwd) ? event.cwd : ctx.projectRoot;
  const tool = mcpToolOf(call);
  const command = call.command ?? (tool && commandLineIn(tool, call.input, base));
  if (command !== undefined) return commandEffects(command, base, ctx, wanted.includes('network'));
  if (tool !== undefined) return mcpToolEffects(tool, call, base, ctx);
  const isRemote = call.op === 'web' && !isLocal([String(call.input['url'] ?? '')]);
  const kinds: Effect[] = isRemote ? ['network'] : [];
  return fileToolEffects(call, ctx) ?? toCallEffects({ kinds, isClear: call.op !== 'other' }, ctx);
}

/* MCP tools. */

const MCP_KINDS: readonly (readonly [tool: RegExp, kinds: readonly Effect[]])[] = [
  [
    /(?:create|open|new|submit)_(?:(?:pull|merge)_request|pr|mr)(?=_|$)|(?:(?:pull|merge)_requests?(?:_write)?|(?:^|_)[pm]r)_(?:create|open)/,
    ['pr'],
  ],
  [
    /merge_(?:pull_request|merge_request|branch|pr|mr)(?=_|$)|(?:(?:pull|merge)_requests?(?:_write)?|(?:^|_)[pm]r)_(?:merge|accept)|accept_merge_request|(?:^|_)git_merge/,
    ['merge'],
  ],
  [/push_files|create_or_update_file|(?:^|_)delete_file$|create_commit|(?:^|_)commit(?:$|_)/, ['commit']],
  [/push_files|(?:^|_)push(?:$|_)/, ['push']],
  [
    /(?:^|_)(?:fetch|navigate|browse(?!r)|download|crawl|scrape|http|curl|(?:make|send)_request|web_search|search_web|tavily|brave|(?:get|open|load|read)_(?:url|web\w*))|^request$/,
    ['network'],
  ],
];

/** Some tools are told what to do by an argument. */
function verbIn({ input }: ToolCall): string {
  const verb = ['action', 'method', 'operation']
    .map((key) => input[key])
    .find((value) => value !== undefined);
  return typeof verb === 'string' && /^\w+$/.test(verb) ? `_${plainToolName(verb)}` : '';
}

/** These names mean a commit only with a `repo` argument or a git server; otherwise they are file tools. */
function mcpToolEffects(tool: string, call: ToolCall, base: string, ctx: Context): CallEffects {
  const name = plainToolName(tool);
  const { url } = call.input;
  const isHere = typeof url === 'string' && isLocal([url]);
  // Only with an address does a tool of a browser leave the page that is open.
  const goes = typeof url === 'string' && name.startsWith('browser') ? '_navigate' : '';
  const named = `${name}${verbIn(call)}${goes}`;
  const kinds = MCP_KINDS.flatMap(([pattern, all]) => (pattern.test(named) ? all : [])).filter(
    (kind) => kind !== 'network' || !isHere,
  );
  const isForge = call.input['repo'] !== undefined || /git/i.test(call.mcp?.server ?? tool);
  const isClear = isReadingTool(tool, call.input);
  const meant = kinds.filter((kind) => (isClear ? kind === 'network' : kind !== 'commit' || isForge));
  const isRemoval = /(?:^|_)(?:delete|remove|rm|unlink|move|rename)/.test(name);
  const isLeft = leavesFiles(tool, call.mcp?.server ?? '', call.input);
  const all = isLeft ? [] : pathsNamedIn(call.input).map((path) => resolve(base, path));
  // A directory is usually where to work, for example for a git server.
  const changed = isRemoval ? all : all.filter((path) => ctx.file({ path }).kind !== 'directory');
  const removed = isRemoval ? changed : [];
  return toCallEffects(
    {
      kinds: meant,
      changed,
      removed,
      branches: branchesOfTool(name, call, meant, ctx),
      commits: meant.includes('commit') ? 1 : 0,
      isClear,
    },
    ctx,
  );
}

/** The branches at a forge that a tool writes: the one that it is given, else the default one. */
function branchesOfTool(
  name: string,
  { input: { branch, repo } }: ToolCall,
  kinds: readonly Effect[],
  ctx: Context,
): readonly string[] {
  const isWritten = kinds.includes('commit') || kinds.includes('push');
  if (isWritten && typeof branch === 'string') return [branch.replace(/^refs\/heads\//, '')];
  const isMerged = kinds.includes('merge') && !/git_merge/.test(name);
  return isMerged || (isWritten && repo !== undefined) ? defaultBranches(ctx) : [];
}

/* Commands. */

function commandEffects(command: string, base: string, ctx: Context, asksNetwork: boolean): CallEffects {
  const plain = plainKind(command);
  if (plain !== undefined) return toCallEffects({ isClear: plain === 'reads' }, ctx);
  const effects = ctx.effects({ command, testCommands: [], offline: true });
  // How long or deep a line is, is up to the agent: it counts as everything that it may do.
  if (effects.unknown.some(({ isTooMuch }) => isTooMuch)) {
    const branches = [...defaultBranches(ctx), branchLabel(ctx.git)];
    return {
      ...toCallEffects({ kinds: EFFECTS, branches, commits: 2, isClear: false }, ctx),
      isTooMuch: true,
    };
  }
  const here = effects.git.filter((one) => !one.dryRun && isThisRepository(one, ctx));
  const commits = here.filter(isCommit).length;
  const forge = effects.forge.map(({ operation }) => operation);
  const isForge = (pattern: RegExp): boolean => forge.some((operation) => pattern.test(operation));
  const pushes = here.filter(
    ({ operation, refsWritten }) => operation === 'push' || refsWritten.some(({ remote }) => remote),
  );
  const kinds: (Effect | false)[] = [
    ...unreadKinds(command, effects, ctx),
    (commits > 0 || isForge(FORGE_COMMITS)) && 'commit',
    pushes.length > 0 && 'push',
    (here.some(isMerge) || isForge(FORGE_MERGES)) && 'merge',
    (opensRequest(command, pushes, effects) || isForge(FORGE_REQUESTS)) && 'pr',
    asksNetwork && usesNetwork(command, effects, ctx) && 'network',
  ];
  // A relative word is relative to our directory, unless the line changes directories.
  const from = /\b(?:cd|pushd|chdir)\b/.test(command) ? undefined : base;
  const trees = newWorktrees(here, effects, base);
  const written = effects.writes
    .flatMap((write) => (write.aside ? [] : filesWrittenBy(write, from, base, ctx)))
    .map((one) => ({ ...one, path: inThisTree(one.path, trees, ctx) }));
  return toCallEffects(
    {
      kinds: kinds.filter((kind) => kind !== false),
      changed: written.map(({ path }) => path),
      removed: written.flatMap(({ path, isRemoved }) => (isRemoved ? [path] : [])),
      branches: [...here.flatMap((one) => branchesOf(one, ctx)), ...branchesAtForge(command, forge, ctx)],
      editedOn: branchesLeftFor(written),
      commits: Math.max(commits, effects.commits ?? 0, commits > 0 && picksSeveral(command, ctx) ? 2 : 0),
      isClear: isClear(effects),
    },
    ctx,
  );
}

/** The directories of work trees that the line adds. */
function newWorktrees(git: Effects['git'], { writes }: Effects, base: string): string[] {
  if (!git.some(({ operation }) => operation === 'worktree')) return [];
  const made = writes.filter(({ how, means }) => how === 'git' && means === undefined);
  return made.flatMap(({ path }) =>
    possibleValues(path).flatMap((one) => (one === undefined ? [] : [resolve(base, one)])),
  );
}

/** A file of a work tree that the line itself adds has no project yet: it counts as the same file here. */
function inThisTree(path: string, trees: readonly string[], { projectRoot }: Context): string {
  const tree = trees.find((one) => path.startsWith(`${one}/`));
  return tree === undefined ? path : join(projectRoot, path.slice(tree.length));
}

const REPOSITORY: readonly Effect[] = ['commit', 'push', 'merge', 'pr'];

/** What may be git with a subcommand, or a shell that runs what a command prints. */
const UNREAD_CALL = /^\S+ (?:-\S+ )*(?:commit|push|merge|pr)(?![\w./-])/;
const RUNS_OUTPUT = /^(?:\S*\/)?(?:(?:ba|da|k|z)?sh|source|\.) .*<\(/s;

/** Code that cannot be followed is matched as text: better to hold too often than not at all. */
function unreadKinds(command: string, effects: Effects, ctx: Context): Effect[] {
  const isRead = (one: UnknownEffect): boolean =>
    one.kind === 'program' || (one.kind === 'script' && !runsElsewhere(one, ctx));
  const calls = effects.unknown.filter(
    (one) => (!isRead(one) && UNREAD_CALL.test(one.text)) || RUNS_OUTPUT.test(one.text),
  );
  const texts = isUnread(command, effects) ? [command] : calls.map(({ text }) => text);
  return REPOSITORY.filter((kind) => texts.some((text) => new RegExp(`\\b${kind}\\b`).test(text)));
}

/** Whether it runs a program outside the project by its path: what that is, its name does not tell. */
function runsElsewhere({ file }: UnknownEffect, ctx: Context): boolean {
  const root = ctx.realPath(ctx.projectRoot);
  const isHere = (path: string | undefined): boolean =>
    path !== undefined && isBelow(ctx.realPath(path), root);
  return file !== undefined && !possibleValues(file).every(isHere);
}

function isUnread(command: string, { unknown }: Effects): boolean {
  return unknown.some(({ kind, text }) => kind === 'code' && text === command);
}

const FORGE_COMMITS =
  /^api (?:PUT|POST|PATCH|DELETE) .*\/(?:contents|git\/(?:commits|refs))|^api \S+ graphql .*\b(?:createCommitOnBranch|(?:create|update|delete)Refs?)\b/s;
const FORGE_MERGES =
  /^(?:pr|mr) (?:merge|accept)|^api \S+ \S*\/merges?\b|^api \S+ graphql .*\b(?:mergePullRequest|mergeBranch|enablePullRequestAutoMerge)\b/s;
const FORGE_REQUESTS =
  /^(?:pr|mr) (?:create|new|for|ready|reopen)\b|^api POST \S*\/(?:pulls|merge_requests|pullrequests)$|^api \S+ graphql .*\bcreatePullRequest\b/s;

/** The branches that calls of a forge write, or whose protection they change. */
function branchesAtForge(command: string, forge: readonly string[], ctx: Context): readonly string[] {
  const named = forge.flatMap((operation) => {
    const [, moved, ruled] =
      /^api \S+ \S*\/(?:git\/refs\/heads\/(\S+)|branches\/([^/\s]+))/.exec(operation) ?? [];
    return moved ?? ruled ?? [];
  });
  if (forge.some((operation) => FORGE_MERGES.test(operation))) return [...named, ...defaultBranches(ctx)];
  if (named.length > 0 || !forge.some((operation) => FORGE_COMMITS.test(operation))) return named;
  // Only a field of its own counts: a message may say anything.
  const words = (ctx.commandLines(command) ?? []).flat();
  const given = words.flatMap((word) => /^(?:branch|ref)=(?:refs\/heads\/)?(\S+)$/.exec(word)?.[1] ?? []);
  return given.length > 0 ? given : defaultBranches(ctx);
}

/** Where a forge writes unless it is told otherwise: what a pull request is merged into is not in the call. */
function defaultBranches(ctx: Context): readonly string[] {
  const known = ctx.defaultBranch();
  return known === undefined ? ['main', 'master'] : [known];
}

/** Whether a pull request is opened without the program of a forge: by a push, or by code. */
function opensRequest(command: string, pushes: readonly GitEffect[], { unknown }: Effects): boolean {
  const refs = pushes.flatMap(({ refsWritten }) => refsWritten.flatMap(({ ref }) => possibleValues(ref)));
  if (pushes.length > 0 && /\bmerge_request\.create\b/.test(command)) return true;
  return refs.some((ref) => ref?.startsWith('refs/for/')) || unknown.some(postsRequest);
}

/** The address under which code opens a pull request; with a number behind it, it is an existing one. */
const REQUEST_IN_CODE = /https?:\/\/[^\s"'`]*\/(?:pulls|merge_requests|pullrequests)["'`]/;

function postsRequest({ text }: UnknownEffect): boolean {
  return REQUEST_IN_CODE.test(text) && /\b(?:post|data)\b/i.test(text);
}

/** Whether several commits are picked or reverted at once. */
function picksSeveral(command: string, ctx: Context): boolean {
  return (ctx.commandLines(command) ?? []).some((words) => {
    const verb = words.findIndex((word) => word === 'cherry-pick' || word === 'revert');
    if (words[0] !== 'git' || verb < 0) return false;
    const isValue = (at: number): boolean =>
      /^(?:-m|--mainline|-X|--strategy(?:-option)?)$/.test(words[at - 1] ?? '');
    const named = words.filter((word, at) => at > verb && !word.startsWith('-') && !isValue(at));
    return named.length > 1 || named.some((word) => word.includes('..'));
  });
}

/** Tests may do anything to files, so a line that runs them is not clear. */
function isClear({ unknown, writes, git, tests }: Effects): boolean {
  const isUnknown = ({ path }: FileWrite): boolean => possibleValues(path).includes(undefined);
  return unknown.length === 0 && git.length === 0 && tests.length === 0 && !writes.some(isUnknown);
}

/** Whether a command runs in this repository. A push to an address may leave no trace, so it counts if it may. */
function isThisRepository({ operation, repository, likely }: GitEffect, { git }: Context): boolean {
  const where = possibleValues(likely?.repository ?? repository);
  return where.includes(git?.commonDir) || (operation === 'push' && where.includes(undefined));
}

const COMMITTING = ['commit', 'rebase', 'cherry-pick', 'revert', 'am', 'history'];

/** A new commit or rewritten history on a branch. Going back to an older commit only undoes one. */
function isCommit(effect: GitEffect): boolean {
  const { operation } = effect;
  const refs = effect.refsWritten.filter(({ follows, maybe }) => !follows && !maybe);
  if (COMMITTING.includes(operation) || operation === 'merge') return refs.length > 0;
  const isBranch = (name: string | undefined): boolean => name !== undefined && !/^refs\//.test(name);
  return operation === 'update-ref' && refs.some(({ ref }) => possibleValues(ref).some(isBranch));
}

function isMerge({ operation, refsWritten }: GitEffect): boolean {
  return ['merge', 'pull'].includes(operation) && refsWritten.some(({ follows }) => !follows);
}

/** The branches that a command writes, here or at a remote; a push that names none pushes the current one. */
function branchesOf({ refsWritten, likely, branch }: GitEffect, ctx: Context): string[] {
  return (likely?.refsWritten ?? refsWritten)
    .filter(({ follows }) => !follows)
    .flatMap(({ ref, implied, all }) => (all ? branchesToPush(ctx) : possibleValues(implied ? branch : ref)))
    .flatMap((name) => (name === undefined ? [] : [name.replace(/^(?:refs\/)?heads\//, '')]));
}

/** The branches that `git push --all` would write: those that are not at a remote as they are here. */
function branchesToPush(ctx: Context): string[] {
  const { heads = {}, remotes = {} } = ctx.refs() ?? {};
  const isThere = (name: string, commit: string): boolean =>
    Object.entries(remotes).some(([at, tip]) => tip === commit && at.replace(/^[^/]+\//, '') === name);
  return Object.entries(heads).flatMap(([name, commit]) => (isThere(name, commit) ? [] : [name]));
}

/** The branches of these writes; `undefined` if one is, or may be, on the branch the line starts on. */
function branchesLeftFor(written: readonly Written[]): readonly string[] | undefined {
  const names = written.flatMap(({ branch }) =>
    branch === undefined ? [undefined] : possibleValues(branch),
  );
  const known = names.filter((name) => name !== undefined);
  return known.length === 0 || known.length < names.length ? undefined : known;
}

interface Written extends Pick<FileWrite, 'branch'> {
  readonly path: string;
  readonly isRemoved: boolean;
}

/** The files that we know a write changes. A directory stands for everything in it. */
function filesWrittenBy(
  { path, text, how, means, branch }: FileWrite,
  from: string | undefined,
  base: string,
  ctx: Context,
): Written[] {
  if (text === '-' || how === 'mkdir' || (how === 'git' && means === undefined)) return [];
  const isRemoved = means === 'removal' || how === 'rm';
  const isPatch = how === 'patch' || how === 'git';
  // What a pattern matches is ignored if the pattern itself would be.
  const isLeftOut = from !== undefined && /[*?]/.test(text) && isUntracked(resolve(from, text), ctx);
  const guess = isLeftOut ? undefined : guessed(text, from);
  const named = possibleValues(path).map((one) => one ?? (isPatch ? base : guess));
  return named.flatMap((one) => {
    if (one === undefined || isUntracked(one, ctx)) return [];
    const isThere = ctx.file({ path: one }).kind !== 'missing';
    // Removing or formatting a missing file, or touching an existing one, changes nothing.
    const isIdle = isThere ? how === 'touch' : (isRemoved || how === 'format') && !/[*?[]/.test(one);
    return isIdle ? [] : [{ path: one, isRemoved, ...(branch && { branch }) }];
  });
}

/** The target as written, for a copy; the directory, for a pattern such as `src/*.js`. */
function guessed(text: string, from: string | undefined): string | undefined {
  const [, fixed = '', pattern] = /^([\w.@/-]*)([*?[{].*)?$/s.exec(text) ?? [];
  if (from === undefined || fixed + (pattern ?? '') === '' || text.includes('$')) return undefined;
  return pattern === undefined ? resolve(from, fixed) : resolve(from, `${fixed}_`, '..');
}

/** What git does not track is not part of the project. */
function isUntracked(path: string, ctx: Context): boolean {
  return isBelow(path, join(ctx.projectRoot, '.git')) || isIgnored(path, ctx);
}

/* The network. */

const NETWORK_PROGRAMS =
  ' curl wget ssh scp sftp ftp lftp nc ncat socat telnet mosh autossh rsync dig nslookup host ping gh glab http https aria2c lynx w3m svn hg mail sendmail aws gcloud az kubectl helm psql mysql mongosh redis-cli uvx pipx ';
/** Network access by the shell itself. */
const SHELL_SOCKET = /[<>]\s*["']?\/dev\/(?:tcp|udp)\//;
/** These mostly run what is installed, and fetch with these words; some always fetch. */
const FETCHING_RUN =
  /(?:^|[\s;&|(])(?:(?:npx|bunx)\s+(?:-y\b|--yes\b|["']?[@\w][^\s@"']*@\S)|(?:uvx|(?:pnpm|yarn)\s+dlx|pipx\s+run|uv\s+tool\s+run|npm\s+(?:exec|x)|bun\s+x)\s)/;
const INTERPRETERS = /^(?:python|node|deno|bun|perl|ruby|php)$/;
/** Network access in inline code. */
const NETWORK_CODE =
  /(?:\b|(?<=-[rM]))(?:urllib|requests\.|(?:import|from) (?:requests|ftplib|smtplib|imaplib)|http\.client|aiohttp|httpx|(?:create_connection|connect(?:_ex)?)\(\((?!\s*['"](?:localhost|127\.))|open_connection|gethostby|getaddrinfo|inet_aton|fetch\(|(?<!\.)axios(?!["']\]|\/package)|axios(?:\.\w+)?\(|https?\.(?:get|request)|net\.connect|IO::Socket|LWP|HTTP::Tiny|net\/http|open-uri|WebSocket\()|['"](?:node:)?(?:https?|net|tls|dns|undici)['"][\s\S]*\.(?:get|request|connect|createConnection|lookup)\(/;
/** What of it makes no request to another machine: one to this machine, a version, an import of what is not used. */
const HARMLESS_CODE = [
  /(?<![\w.])[\w.]*\(\s*[bf]?(["'`])(?:https?|wss?):\/\/(?:localhost|127\.0\.0\.1)(?::(?:\d+|\$?\{\w+\}))?(?:[/?][^"'`]*)?\1/g,
  /\burllib\.(?:parse|error)\b|\brequests\.__\w+__/g,
  /\b(?:from (?:requests|urllib\.request) )?import (requests|urllib\.request|urlopen|get)(?=[ \t]*(?:[;\r\n]|$))(?![\s\S]*?\b\1\b)/g,
];
/** An interpreter without a script, followed by the input that it runs. */
const RUNS_INPUT = /^(?:\S*\/)?(?:python|node|deno|bun|perl|ruby|php)[\d.]*(?: -\S*)*(?:(?<= -) [^\n]*)?\n/;
/** Programs that use the network for some subcommands; an empty alternative matches a call without one. */
const NETWORK_VERBS: Readonly<Record<string, RegExp>> = {
  git: /^(?:clone|fetch|pull|push|ls-remote|lfs (?:push|pull|fetch|clone)|submodule (?:update|add|foreach)|remote (?:update|show|prune)|send-email)/,
  npm: /^(?:install|i|ci|add|update|up|publish|unpublish|deprecate|dist-tag|ping|token|whoami|view|info|search|audit|outdated|login|exec|create|init .+)\b/,
  pnpm: /^(?:install|i|add|update|up|publish|fetch|dlx|create|audit|outdated)\b/,
  yarn: /^(?:$|install|add|workspace \S+ add|up|upgrade|npm|dlx|create|audit|outdated)/,
  bun: /^(?:install|i|add|update|x|create|publish)\b/,
  deno: /^(?:add|install|i|cache|publish)\b/,
  dotnet: /^(?:add (?:\S+ )?package|package add|restore|tool install)\b/,
  conda: /^(?:install|create|update|search)\b/,
  pip: /^(?:install|download|search|index)\b/,
  uv: /^(?:sync|add|lock|pip install|tool install|python install)\b/,
  poetry: /^(?:install|add|update|lock|publish)\b/,
  pdm: /^(?:install|add|update|lock|publish|sync)\b/,
  pipenv: /^(?:install|update|lock|sync)\b/,
  python: /^pip (?:install|download|index)\b/,
  cargo: /^(?:install|add|update|fetch|publish|search)\b/,
  go: /^(?:get|install|mod (?:download|tidy))\b/,
  gem: /^(?:install|update|push|fetch)\b/,
  bundle: /^(?:$|install|update|add)/,
  composer: /^(?:install|update|require)\b/,
  apt: /^(?:install|update|upgrade|download|source)\b/,
  brew: /^(?:install|update|upgrade|fetch)\b/,
  docker: /^(?:compose )?(?:pull|push|login|build|run|up)\b/,
  openssl: /^s_client\b/,
};
/** Options that select a package or directory; they may precede the subcommand. */
const LOCATION_OPTIONS = /^(?:\w+ (?:--(?:filter|prefix|workspace|dir|cwd)|-[CF])|npm -w)$/;
const PROGRAM_ALIASES: Readonly<Record<string, string>> = {
  pip3: 'pip',
  mamba: 'conda',
  micromamba: 'conda',
  python3: 'python',
  bundler: 'bundle',
  'apt-get': 'apt',
  podman: 'docker',
  hub: 'gh',
};

/** A word with a variable is given as written, with its quotes. */
const LOCAL_HOST =
  /^file:\/\/\/|^"?(?:\w+:\/\/)?(?:[^/?#\\@\s]*@)?(?:(?:[\w-]+\.)*localhost|127\.\d+\.\d+\.\d+|0\.0\.0\.0|\[?::1\]?)(?::(?:\d+|\$\{?\w*PORT(?::-\d+)?\}?))?(?:[/?#]|"?$)/i;

function isUnknown([program]: readonly string[], { unknown }: Effects, isScript = false): boolean {
  const isMeant = (kind: string): boolean => kind === 'program' || (isScript && kind === 'script');
  return unknown.some(({ kind, text }) => isMeant(kind) && `${text} `.startsWith(`${program} `));
}

function makesRequest(code: string): boolean {
  const rest = HARMLESS_CODE.reduce((text, harmless) => text.replace(harmless, ''), code);
  // A proxy may be on another machine.
  const isSentOn = rest !== code && /prox(?:y|ies)/i.test(rest) && rest.includes('://');
  return NETWORK_CODE.test(isSentOn ? code : rest);
}

/** What programs that we do not know call the work that they need the network for. */
const NETWORK_WORK = /^(?:publish|deploy|upload|download|login)\b|^install \S/;
const CLIENTS = /^(?:git|gh|glab|aws|gcloud|az|kubectl|helm)$/;
/** Calls of network programs that only concern the program itself, or files of this machine. */
const STAYS_HERE = [
  /^(?:gh|glab|aws|gcloud|az|kubectl|helm) (?:version|help|completion|config)\b/,
  /^(?:gh|glab) alias list\b|^aws configure (?:list|get|set)\b|^cargo install (?:.* )?--list(?: |$)/,
  /^helm (?!.*(?::\/\/| --(?:validate|repo|dep|dry-run[= ]server)))(?:lint|create|env|template (?:[\w-]+ )?(?:\.{1,2}|\.{0,2}\/\S*))(?: |$)/,
  /^(?:python[\d.]* -m )?pip[\d.]* install (?!.*(?:\/\/|@))(?:.* )?--no-index(?: |$)/,
];

/** Whether a word is an address of another machine. */
function isElsewhere(word: string): boolean {
  return /^(?!file:)[a-z]+:\/\//.test(word) && !LOCAL_HOST.test(word);
}

/** Options that send a request to another host than the URL says. */
const REDIRECTING_OPTION =
  /^(?:wget -e|\w* (?:-x|-K|--(?:execute|proxy|preproxy|resolve|connect-to|socks\w*|config|url|interface)\b))/;

const LOCAL_PROGRAMS = ' curl wget http https nc ncat telnet ping mongosh ';

/** Without the name of a server, these talk to this machine. */
const DATABASES = ' psql mysql redis-cli ';
/** Names a server: an option with its value, `host=x`, a variable, an address, or settings in which one may be named. */
const SERVER = /^(?:-h|--host=|host(?:addr)?=)(.+)|^"?(?:\$|\w+:\/\/|service=|--defaults|--login-path).*/s;
const SERVER_VARIABLE = /\b(?:PGHOST|PGSERVICE|MYSQL_HOST)\w*=/;

function staysLocal(program: string, args: readonly string[], command: string): boolean {
  if (DATABASES.includes(` ${program} `)) return !SERVER_VARIABLE.test(command) && isLocalDatabase(args);
  // `http :3000/x` asks this machine.
  const named = /^https?$/.test(program) ? args.map((arg) => arg.replace(/^:(?=\d)/, 'localhost:')) : args;
  return LOCAL_PROGRAMS.includes(` ${program} `) && isLocal(named, program);
}

function isLocalDatabase(args: readonly string[]): boolean {
  const words = args.flatMap((arg) => (/^\w+=/.test(arg) ? arg.split(' ') : [arg]));
  const servers = words.flatMap((word, at) => {
    if (/^(?:-h|--host)$/.test(words[at - 1] ?? '')) return [word];
    const [all, host = all] = SERVER.exec(word) ?? [];
    return host === undefined ? [] : [host];
  });
  return servers.every((server) => LOCAL_HOST.test(server) || server.startsWith('/'));
}

/** Options whose value is not an address, such as the data to send. */
const VALUED: Readonly<Record<string, RegExp>> = {
  curl: /^(?:-[sSfLkvigGIN]*[dHoXFuAwbcmTDe]|--(?:referer|data(?:-\w+)?|json|header|output|request|form(?:-string)?|user(?:-agent)?|write-out|cookie(?:-jar)?|max-time|upload-file))$/,
  wget: /^(?:-[qcS]*[oOtTU]|--(?:post-(?:data|file)|body-(?:data|file)|header|output-document|method|user-agent))$/,
};

/** Whether a program talks to this machine only: it names this machine and no other. */
function isLocal(args: readonly string[], program = ''): boolean {
  const isOther = (arg: string): boolean => /:\/\/|^[\w-]+(?:\.[\w-]+)+(?::\d+)?(?:\/|$)|@/.test(arg);
  const named = withoutOptions(args, VALUED[program]);
  return (
    named.some((arg) => LOCAL_HOST.test(arg)) &&
    !args.some((arg) => REDIRECTING_OPTION.test(`${program} ${arg}`)) &&
    !named.some((arg) => isOther(arg) && !LOCAL_HOST.test(arg))
  );
}

function withoutOptions(args: readonly string[], valued: RegExp | undefined): string[] {
  const named: string[] = [];
  for (let at = 0; at < args.length; at++) {
    const arg = args[at] ?? '';
    if (valued?.test(arg)) at++;
    else if (!arg.startsWith('-')) named.push(arg);
  }
  return named;
}

function verbsOf(name: string, program: string, effects: Effects): RegExp {
  return NETWORK_VERBS[name] ?? (isUnknown([program], effects) ? NETWORK_WORK : /(?!)/);
}

/** Whether a call only shows help or a version, or needs nothing but this machine. */
function staysHere([program = '', ...args]: readonly string[]): boolean {
  if (/^(?:--?(?:version|help)|-[Vvh])$/.test(args.join(' '))) return true;
  const isHelp = args.at(-1) === '--help' && !args.at(-2)?.startsWith('-') && !args.includes('--');
  // After a package or an image, it would be the option of what is run.
  if (isHelp && (CLIENTS.test(program) || (args.length === 2 && NETWORK_VERBS[nameOf(program)]))) return true;
  const line = [program, ...args].map((word) => word.replace(/\s/g, '_')).join(' ');
  return STAYS_HERE.some((pattern) => pattern.test(line));
}

function nameOf(program: string): string {
  return PROGRAM_ALIASES[program] ?? program.replace(/^(python|pip)3?(?:\.\d+)?$/, '$1');
}

/** Whether git clones a directory of this machine. Git takes only a word with a colon for an address elsewhere. */
function clonesHere([program, verb, ...args]: readonly string[]): boolean {
  const isPlace = (arg: string): boolean => /^(?:\.{0,2}\/|\.{1,2}$|~|file:)/.test(arg);
  const isElse = (arg: string): boolean => /^(?!file:).*:|^--recurse/.test(arg);
  return program === 'git' && verb === 'clone' && args.some(isPlace) && !args.some(isElse);
}

function usesNetwork(command: string, effects: Effects, ctx: Context): boolean {
  const { unknown, git } = effects;
  const isDone = (...wanted: string[]): boolean => git.some(({ operation }) => wanted.includes(operation));
  if (isDone('push', 'pull', 'fetch')) return true;
  const lines = ctx.commandLines(command);
  if (lines === undefined || isUnread(command, effects))
    return isDone('clone') || /\b(?:curl|wget|ssh(?!-(?:agent|add|keygen)\b)|scp|sftp)\b/.test(command);
  const clones = git.filter(({ operation }) => operation === 'clone');
  if (clones.length > lines.filter(clonesHere).length) return true;
  if (SHELL_SOCKET.test(command) || FETCHING_RUN.test(command)) return true;
  if (unknown.some(({ text }) => RUNS_INPUT.test(text) && makesRequest(text))) return true;
  const isCalled = (words: readonly string[]): boolean =>
    words.some(isElsewhere) && words[1] !== 'config' && isUnknown(words, effects, true);
  if (lines.some(isCalled)) return true;
  const acting = lines.filter((words) => !staysHere(words) && !clonesHere(words));
  return acting.some(([program = '', ...args]) => {
    const name = nameOf(program);
    if (name === 'git' && args[0] === 'archive') return args.some((arg) => arg.startsWith('--remote'));
    if (INTERPRETERS.test(name) && args.some((arg) => /^-\w*[ceEpr]$|^(?:--?)?eval/.test(arg)))
      return makesRequest(args.join(' '));
    if (name === 'rsync') return args.some((arg) => /^[^/]+:/.test(arg));
    if (NETWORK_PROGRAMS.includes(` ${name} `)) return !staysLocal(name, args, command);
    if (args.includes('--offline')) return false;
    const words = args.filter(
      (arg, at) => !arg.startsWith('-') && !LOCATION_OPTIONS.test(`${name} ${args[at - 1]}`),
    );
    return verbsOf(name, program, effects).test(words.join(' '));
  });
}
