import { dirname, isAbsolute, join, resolve } from 'node:path';
import { branchLabel, DETACHED } from '../git/head';
import {
  bareBranch,
  type Effects,
  type FileWrite,
  type GitEffect,
  type RefWrite,
  type UnknownEffect,
} from './command-effects';
import { EFFECTS, type Effect } from './effect-kinds';
import { type Event, mcpToolOf, type ToolCall } from './event';
import type { Context } from './guard';
import { commandLineIn, isReadingTool, leavesFiles, pathsNamedIn, plainToolName } from './mcp-call';
import { isLocal, isUnread, usesNetwork } from './network-use';
import { plainKind } from './plain-command';
import { CONFIG_MARKERS } from './project';
import {
  type CallEffects,
  fileToolEffects,
  isBelow,
  isIgnored,
  removes,
  toCallEffects,
} from './project-paths';

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
  if (command !== undefined)
    return commandEffects({ ...call, command }, base, ctx, wanted.includes('network'));
  if (tool !== undefined) return mcpToolEffects(tool, call, base, ctx);
  const isRemote = call.op === 'web' && !isLocal([String(call.input['url'] ?? '')]);
  const kinds: Effect[] = isRemote ? ['network'] : [];
  return fileToolEffects(call, ctx) ?? toCallEffects({ kinds, isClear: call.op !== 'other' }, ctx);
}

/* MCP tools. */

const MCP_KINDS: readonly (readonly [tool: RegExp, kinds: readonly Effect[]])[] = [
  [
    /(?:create|open|new|submit)_(?:(?:pull|merge)_request|pr|mr)(?=_|$)(?!_(?:review|comment|note|thread|discussion|reply))|(?:(?:pull|merge)_requests?(?:_write)?|(?:^|_)[pm]r)_(?:create|open)/,
    ['pr'],
  ],
  [
    /merge_(?:pull|merge_request|branch|pr|mr)(?=_|$)|(?:(?:pull|merge)_requests?(?:_write)?|(?:^|_)(?:[pm]r|pulls?))_(?:merge|accept)|accept_merge_request|(?:^|_)git_merge|(?<!disable_(?:(?:pull|merge)_request_|[pm]r_)?)auto_merge(?=_|$)/,
    ['merge'],
  ],
  [/push_files|create_or_update_file|(?:^|_)delete_file$|create_commit|(?:^|_)commit(?:$|_)/, ['commit']],
  [/push_files|(?:^|_)push(?:$|_)/, ['push']],
  [
    /(?:^|_)(?:fetch|navigate|browse(?!r)|download|crawl|scrape|http|curl|(?:make|send)_request|web_search|search_web|tavily|brave|(?:get|open|load|read)_(?:url|web\w*))|^request$/,
    ['network'],
  ],
];

/** Tools that move or delete a branch at a forge, or change its protection. Other servers have branches of their own. */
const FORGE_BRANCH = /(?:^|(?<!git)_)(?:(?:update|delete)_(?:ref|reference|branch)|sync_fork)(?=_|$)/;

/** Some tools are told what to do by an argument. */
function verbIn({ input }: ToolCall): string {
  if (input['autoComplete'] === true || /^completed$/i.test(`${input['status']}`)) return '_merge';
  const verb = input['action'] ?? input['method'] ?? input['operation'];
  return typeof verb === 'string' && /^\w+$/.test(verb) ? `_${plainToolName(verb)}` : '';
}

/** These names mean a commit only with a `repo` argument or a git server; otherwise they are file tools. */
function mcpToolEffects(tool: string, call: ToolCall, base: string, ctx: Context): CallEffects {
  const name = plainToolName(tool);
  const { url } = call.input;
  const isHere = typeof url === 'string' && isLocal([url]);
  // Only with an address does a tool of a browser leave the page that is open.
  const goes = typeof url === 'string' && /^browser|_page$/.test(name) ? '_navigate' : '';
  const named = `${name}${verbIn(call)}${goes}`;
  const isForge = call.input['repo'] !== undefined || /git/i.test(call.mcp?.server ?? tool);
  const shown = MCP_KINDS.flatMap(([pattern, all]) => (pattern.test(named) ? all : []));
  const kinds = isForge && FORGE_BRANCH.test(named) ? [...shown, 'push' as const] : shown;
  const isClear = isReadingTool(tool, call.input);
  const meant = kinds.filter((kind) =>
    kind === 'network' ? !isHere : !isClear && (kind !== 'commit' || isForge),
  );
  const isRemoval = /(?:^|_)(?:delete|remove|rm|unlink|move|rename)/.test(name);
  const isTrial = /edit/.test(name) && [call.input['dryRun'], call.input['dry_run']].includes(true);
  const isLeft = isTrial || leavesFiles(tool, call.mcp?.server ?? '', call.input);
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
  { input: { branch, ref, repo } }: ToolCall,
  kinds: readonly Effect[],
  ctx: Context,
): readonly string[] {
  const isWritten = kinds.includes('commit') || kinds.includes('push');
  const named = [branch, ref].filter((one) => typeof one === 'string');
  if (isWritten && named.length > 0) return named.map(bareBranch);
  const isMerged = kinds.includes('merge') && !/git_merge/.test(name);
  return isMerged || (isWritten && repo !== undefined) ? defaultBranches(ctx) : [];
}

/* Commands. */

/** How long or deep a line is, is up to the agent: one that cannot be read counts as everything that it may do. */
function anything(ctx: Context): CallEffects {
  const branches = [...defaultBranches(ctx), branchLabel(ctx.git)];
  const effects = { kinds: EFFECTS, branches, mayPushTo: [''], commits: 2, isClear: false };
  return { ...toCallEffects(effects, ctx), isTooMuch: true };
}

function commandEffects(call: ToolCall, base: string, ctx: Context, asksNetwork: boolean): CallEffects {
  const { command = '', paths } = call;
  const plain = plainKind(command);
  if (plain !== undefined) return toCallEffects({ isClear: plain === 'reads' }, ctx);
  const effects = ctx.effects({ command, testCommands: [], offline: true });
  if (effects.unknown.some(({ isTooMuch }) => isTooMuch)) return anything(ctx);
  const here = effects.git.filter((one) => !one.dryRun && isThisRepository(one, ctx));
  const commits = effects.git.filter(
    (one) => !one.dryRun && isCommit(one) && (here.includes(one) || isNested(one, ctx)),
  ).length;
  const forge = [...effects.forge.map(({ operation }) => operation), ...effects.unknown.flatMap(callsInCode)];
  forge.push(...hiddenQueries(forge, command, base, ctx));
  const pushes = here.filter(
    ({ operation, refsWritten }) => operation === 'push' || refsWritten.some(({ remote }) => remote),
  );
  const unread = unreadKinds(command, effects, ctx);
  const requested = mergedByPush(command, pushes, ctx);
  const kinds: (Effect | false)[] = [
    ...unread,
    ...FORGE_KINDS.flatMap(([kind, pattern]) => (forge.some((one) => pattern.test(one)) ? [kind] : [])),
    commits > 0 && 'commit',
    pushes.length > 0 && 'push',
    (here.some(isMerge) || requested.length > 0) && 'merge',
    opensRequest(command, pushes) && 'pr',
    asksNetwork && usesNetwork(command, effects, ctx) && 'network',
  ];
  const patched = paths.map((path) => ({ path, isRemoved: removes(call) }));
  const others = filesWritten(command, effects, newWorktrees(here, effects, base), base, ctx);
  const written: Written[] = [...patched, ...others];
  return toCallEffects(
    {
      kinds: kinds.filter((kind) => kind !== false),
      changed: written.map(({ path }) => path),
      removed: written.flatMap(({ path, isRemoved }) => (isRemoved ? [path] : [])),
      branches: [
        ...here.flatMap((one) => branchesOf(one, ctx)),
        ...requested,
        ...branchesAtForge(command, forge, ctx),
      ],
      mayPushTo: [
        ...here.flatMap((one) => unseenPushes(one, command)),
        ...(unread.includes('push') && /\bgit\b/.test(command.replace(IN_SUBMODULES, '')) ? [''] : []),
      ],
      editedOn: branchesLeftFor([...written, ...here.filter(isCommit).map((one) => one.likely ?? one)]),
      commits: Math.max(commits, effects.commits ?? 0, commits > 0 && picksSeveral(command, ctx) ? 2 : 0),
      isClear: isClear(effects),
    },
    ctx,
  );
}

function filesWritten(
  command: string,
  { writes }: Effects,
  trees: readonly string[],
  base: string,
  ctx: Context,
): Written[] {
  // A relative word is relative to our directory, unless the line changes directories.
  const from = /\b(?:cd|pushd|chdir)\b/.test(command) ? undefined : base;
  return writes
    .flatMap((write) => (write.aside ? [] : filesWrittenBy(write, from, base, ctx)))
    .map((one) => ({ ...one, path: inThisTree(one.path, trees, ctx) }));
}

/** The directories of work trees that the line adds. */
function newWorktrees(git: Effects['git'], { writes }: Effects, base: string): string[] {
  if (!git.some(({ operation }) => operation === 'worktree')) return [];
  const made = writes.filter(({ how, means }) => how === 'git' && means === undefined);
  return made.flatMap(({ path }) => path.flatMap((one) => (one === undefined ? [] : [resolve(base, one)])));
}

/** A file of a work tree that the line itself adds has no project yet: it counts as the same file here. */
function inThisTree(path: string, trees: readonly string[], { projectRoot }: Context): string {
  const tree = trees.find((one) => path.startsWith(`${one}/`));
  return tree === undefined ? path : join(projectRoot, path.slice(tree.length));
}

const REPOSITORY: readonly Effect[] = ['commit', 'push', 'merge', 'pr'];

/** What may be git with a subcommand, or a shell that runs what a command prints. */
const UNREAD_CALL =
  /^\S+ (?:-\S+ )*(?:(?:submodule .{0,40}?foreach|bisect run) .*\bgit )?(?:commit|push|merge|pr)(?![\w./-])/;
/** The branches of submodules are their own. */
const IN_SUBMODULES = /\bgit submodule .{0,40}?foreach[^;&|\n]*/g;
/** What may define a subcommand that git does not have. */
const MAKES_ALIAS = /\balias\.\w|\[alias\]/;
const RUNS_OUTPUT = /^(?:\S*\/)?(?:(?:ba|da|k|z)?sh|source|\.) .*<\(/s;

/** Code that cannot be followed is matched as text: better to hold too often than not at all. */
function unreadKinds(command: string, effects: Effects, ctx: Context): Effect[] {
  const isRead = (one: UnknownEffect): boolean =>
    one.kind === 'program' || (one.kind === 'script' && !runsElsewhere(one, ctx));
  const calls = effects.unknown.filter(
    (one) => (!isRead(one) && UNREAD_CALL.test(one.text)) || RUNS_OUTPUT.test(one.text),
  );
  const texts = isUnread(command, effects) ? [command] : calls.map(({ text }) => text);
  const isDone = (wanted: string): boolean => effects.git.some(({ operation }) => operation === wanted);
  const isHidden = MAKES_ALIAS.test(command) && isDone('unknown') && !isDone('push');
  if (isHidden) texts.push(/\bpush\b/.exec(command)?.[0] ?? '');
  return REPOSITORY.filter((kind) => texts.some((text) => new RegExp(`\\b${kind}\\b`).test(text)));
}

/** Whether it runs a program outside the project by its path: what that is, its name does not tell. */
function runsElsewhere({ file }: UnknownEffect, ctx: Context): boolean {
  const root = ctx.realPath(ctx.projectRoot);
  const isHere = (path: string | undefined): boolean =>
    path !== undefined && isBelow(ctx.realPath(path), root);
  return file !== undefined && !file.every(isHere);
}

const FORGE_COMMITS =
  /^api (?:PUT|POST|PATCH|DELETE) (?!graphql ).*\/(?:contents|git\/(?:commits|refs))|^api \S+ graphql .*\b(?:createCommitOnBranch|(?:create|update|delete)Refs?)\b/s;
const FORGE_MERGES =
  /^(?:pr|mr) (?:merge|accept)|^repo sync \S|^api \S+ (?:\S*\/)?merges?\b|^api \S+ graphql .*\b(?:mergePullRequest|mergeBranch|enqueuePullRequest|enablePullRequestAutoMerge)\b/s;
const FORGE_REQUESTS =
  /^(?:pr|mr) (?:create|new|for|ready|reopen|revert)\b|^api POST (?:\S*\/)?(?:pulls|merge_requests|pullrequests)$|^api \S+ graphql .*\b(?:(?:create|reopen|revert)PullRequest|markPullRequestReadyForReview)\b/s;

const FORGE_KINDS: readonly (readonly [kind: Effect, operation: RegExp])[] = [
  ['commit', FORGE_COMMITS],
  ['push', /^repo push$/],
  ['merge', FORGE_MERGES],
  ['pr', FORGE_REQUESTS],
];
/** What protects branches at a forge. */
const FORGE_RULES = /^api \S+ \S*\/rulesets\b/;

const LONGEST_QUERY = 64 * 1024;
const MOST_QUERIES = 10;

/** A query may come from a variable, the input or a file: what the line says counts, and the files that it names. */
function hiddenQueries(forge: readonly string[], command: string, base: string, ctx: Context): string[] {
  if (!forge.some((operation) => /^api \S+ graphql\b/.test(operation))) return [];
  const named = Array.from(command.matchAll(/(?:@|--input[ =]|\bcat |<\s?)["']?([\w./-]+)/g));
  const texts = named.slice(0, MOST_QUERIES).map(([, name = '']) => {
    const fact = ctx.file({ path: resolve(base, name), maxTextBytes: LONGEST_QUERY });
    return fact.kind === 'file' ? fact.text : '';
  });
  return [`api POST graphql ${[command, ...texts].join('\n')}`];
}

/** The branches that calls of a forge write, or whose protection they change. */
function branchesAtForge(command: string, forge: readonly string[], ctx: Context): readonly string[] {
  const named = forge.flatMap((operation) => {
    const [, moved, ruled] =
      /^api \S+ \S*\/(?:git\/refs\/heads\/(\S+)|branches\/([^/\s]+))/.exec(operation) ?? [];
    return moved ?? ruled ?? SYNC_OF_BRANCH.exec(operation)?.[1] ?? [];
  });
  const isAny = (operation: string): boolean =>
    (FORGE_MERGES.test(operation) && !SYNC_OF_BRANCH.test(operation)) || FORGE_RULES.test(operation);
  if (forge.some(isAny)) return [...named, ...defaultBranches(ctx)];
  if (named.length > 0 || !forge.some((operation) => FORGE_COMMITS.test(operation))) return named;
  // Only a field of its own counts: a message may say anything.
  const words = (ctx.commandLines(command) ?? []).flat();
  const given = words.flatMap((word) => /^(?:branch|ref)=(?:refs\/heads\/)?(\S+)$/.exec(word)?.[1] ?? []);
  return given.length > 0 ? given : defaultBranches(ctx);
}

/** Of a fork; without a repository it is the one here that is brought up to date. */
const SYNC_OF_BRANCH = /^repo sync \S+ ([\w./-]+)$/;

/** The branches that a push asks the forge to merge into, by its options. */
function mergedByPush(command: string, pushes: readonly GitEffect[], ctx: Context): readonly string[] {
  const asks = /\bmerge_request\.(?:merge_when_pipeline_succeeds|auto_merge)\b/.test(command);
  if (pushes.length === 0 || !asks) return [];
  const targets = Array.from(command.matchAll(/\bmerge_request\.target=([\w./-]+)/g), ([, to = '']) => to);
  return targets.length > 0 ? targets : defaultBranches(ctx);
}

/** Where a forge writes unless it is told otherwise: what a pull request is merged into is not in the call. */
function defaultBranches(ctx: Context): readonly string[] {
  const known = ctx.defaultBranch();
  return known === undefined ? ['main', 'master'] : [known];
}

/** Whether a push opens a pull request. */
function opensRequest(command: string, pushes: readonly GitEffect[]): boolean {
  const refs = pushes.flatMap(({ refsWritten }) => refsWritten.flatMap(({ ref }) => ref));
  if (pushes.length > 0 && /\bmerge_request\.create\b/.test(command)) return true;
  return refs.some((ref) => ref?.startsWith('refs/for/'));
}

/** How code names a method that changes something, or gives data. */
const SENDS =
  /(?:\.|->|::|\bmethod\W+|\brequest\W+)(post|put|patch|delete)\b|[(,]\s*data\s*=(?![=>])|,\s*data\s*\)/i;

/** Code that names a forge's API on another machine may have the paths apart from the address. */
const NAMES_API =
  /\bapi\.(?:github\.com|bitbucket\.org)\b|https?:\/\/(?!localhost|127\.)[^\s"'`]*?\/(?:api\/v[34]\b|(?:repos|projects|repositories)\/)/;
const PATH_OF_API =
  /[/"'`}]((?:(?:repos|projects|repositories)\/|(?:pulls|merge_requests|pullrequests|merges)\b)[^\s"'`]*)/g;

/** The calls of a forge's API in code that changes something there. */
function callsInCode({ text }: UnknownEffect): string[] {
  const [found, method = 'post'] = SENDS.exec(text) ?? [];
  if (found === undefined || !NAMES_API.test(text)) return [];
  const calls = Array.from(text.matchAll(PATH_OF_API), ([, path]) => `api ${method.toUpperCase()} ${path}`);
  return text.includes('graphql') ? [...calls, `api POST graphql ${text}`] : calls;
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
  const isUnknown = ({ path }: FileWrite): boolean => path.includes(undefined);
  return unknown.length === 0 && git.length === 0 && tests.length === 0 && !writes.some(isUnknown);
}

/** Whether a command runs in this repository. A push to an address may leave no trace, so it counts if it may. */
function isThisRepository({ operation, repository, likely }: GitEffect, { git }: Context): boolean {
  const where = likely?.repository ?? repository;
  return where.includes(git?.commonDir) || (operation === 'push' && where.includes(undefined));
}

/** Whether a command runs in a repository below the project that has no config, and so follows the project's rules. */
function isNested({ dir }: GitEffect, ctx: Context): boolean {
  const root = ctx.realPath(ctx.projectRoot);
  return dir.some((one) => {
    const real = one === undefined ? root : ctx.realPath(one);
    if (real === root || !isBelow(real, root) || isUntracked(real, ctx)) return false;
    for (let at = real; at !== root; at = dirname(at))
      if (CONFIG_MARKERS.some((name) => ctx.file({ path: `${at}/${name}` }).kind !== 'missing')) return false;
    return true;
  });
}

const COMMITTING = ['commit', 'rebase', 'cherry-pick', 'revert', 'am', 'history'];

/** A new commit or rewritten history on a branch. Going back to an older commit only undoes one. */
function isCommit(effect: GitEffect): boolean {
  const { operation } = effect;
  const refs = effect.refsWritten.filter(({ follows, maybe }) => !follows && !maybe);
  if (COMMITTING.includes(operation) || operation === 'merge') return refs.length > 0;
  const isBranch = (name: string | undefined): boolean => name !== undefined && !/^refs\//.test(name);
  return operation === 'update-ref' && refs.some(({ ref }) => ref.some(isBranch));
}

function isMerge({ operation, refsWritten }: GitEffect): boolean {
  return ['merge', 'pull'].includes(operation) && refsWritten.some(({ follows }) => !follows);
}

/** The branches that a command writes, here or at a remote; a push that names none pushes the current one. */
function branchesOf({ refsWritten, likely, branch }: GitEffect, ctx: Context): string[] {
  return (likely?.refsWritten ?? refsWritten)
    .filter(({ follows }) => !follows)
    .flatMap(({ ref, implied, all }) => (all ? branchesToPush(ctx) : implied ? branch : ref))
    .flatMap((name) => (name === undefined ? [] : [bareBranch(name)]));
}

/** Where the part of a name begins that a shell or other code fills in. */
const COMPUTED = /[$`{%(*?[\\'"]/;

/** How branches begin that are pushed to without a trace here, if the line does not spell out their names. */
function unseenPushes(effect: GitEffect, command: string): string[] {
  const { operation, refsWritten, likely, branch } = effect;
  const isUnseen = ({ remote, untraced, all }: RefWrite): boolean =>
    (untraced && !all) || (operation === 'unknown' && remote !== undefined && /\bpush\b/.test(command));
  return (likely?.refsWritten ?? refsWritten)
    .filter(isUnseen)
    .flatMap(({ ref, implied }) => (implied ? branch : ref))
    .flatMap((name = '$') => (COMPUTED.test(name) ? [bareBranch(name).split(COMPUTED, 1)[0] ?? ''] : []));
}

/** The branches that `git push --all` would write: those that are not at a remote as they are here. */
function branchesToPush(ctx: Context): string[] {
  const { heads = {}, remotes = {} } = ctx.refs() ?? {};
  const isThere = (name: string, commit: string): boolean =>
    Object.entries(remotes).some(([at, tip]) => tip === commit && at.replace(/^[^/]+\//, '') === name);
  return Object.entries(heads).flatMap(([name, commit]) => (isThere(name, commit) ? [] : [name]));
}

/** The branches of these writes, named as in state; `undefined` if one may be on the branch the line starts on. */
function branchesLeftFor(written: readonly Pick<FileWrite, 'branch'>[]): readonly string[] | undefined {
  const names = written.flatMap(({ branch }) => (branch ? branch : [undefined]));
  const known = names.flatMap((name) => name ?? []).map((name) => (name === 'HEAD' ? DETACHED : name));
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
  const named = path.map((one) => one ?? (isPatch ? base : guess));
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
