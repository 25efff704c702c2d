import { relative } from 'node:path';
import type { ToolCall } from '../../core/event';
import type { Context } from '../../core/guard';
import { isJsonObject, type Json, type JsonObject, objectIn } from '../../core/json';
import { type CallEffects, isBelow, isIgnored, isPlan, projectPaths } from '../../core/project-paths';
import { globMatches, isSameSessionName, matchesName, matchesPath } from '../../core/text';
import { evidenceText, type Obstacle, replaceNames } from './messages';
import type { DynamicRequirement, Evidence, Requirement, Trigger } from './section';
import { presentValue, VALUES_FILE, type View } from './view';

/** The commands of a line, each as its words; `undefined` if the line does not parse. */
type CommandLines = readonly (readonly string[])[] | undefined;

/** The requirements that a call triggers, by its tool's name or by its effects. */
export function triggeredBy(
  call: ToolCall,
  view: View,
  commandLines: CommandLines,
  callEffects: CallEffects | undefined,
): Requirement[] {
  const named = triggeredByTool(call, view, commandLines);
  const tracked = callEffects && withoutIgnored(callEffects, view.ctx);
  return view.config.requirements.filter((requirement) => {
    // A rule that names paths may mean just such a file.
    const counted = requirement.paths.length > 0 ? callEffects : tracked;
    return (
      named.includes(requirement) || (counted !== undefined && hasRuleEffect(requirement, counted, view))
    );
  });
}

function withoutIgnored(callEffects: CallEffects, ctx: Context): CallEffects {
  const left = (paths: readonly string[]): readonly string[] => paths.filter((path) => !isIgnored(path, ctx));
  const paths = {
    ...callEffects.paths,
    edit: left(callEffects.paths.edit),
    delete: left(callEffects.paths.delete),
  };
  const kinds = [...callEffects.kinds].filter(
    (kind) =>
      !(kind === 'edit' || kind === 'delete') ||
      paths[kind].length > 0 ||
      // A line that cannot be read may change any file.
      callEffects.paths[kind].length === 0,
  );
  return { ...callEffects, kinds: new Set(kinds), paths };
}

/** Whether a call has an effect that the rule is about; for a protected branch, an effect on that branch. */
function hasRuleEffect(requirement: Requirement, callEffects: CallEffects, view: View): boolean {
  const { effects, paths, excludePaths } = requirement;
  if ('branches' in requirement) {
    const isEdit =
      effects.includes('edit') && (callEffects.kinds.has('edit') || callEffects.kinds.has('delete'));
    const isMeant = isEdit && appliesToPaths(callEffects.paths.edit, view.project, paths, excludePaths);
    const edited = isMeant ? (callEffects.editedOn ?? [view.branch]) : [];
    if (effects.length === 0) return false;
    const touched = [...edited, ...callEffects.branches, ...perhapsPushedTo(requirement, callEffects)];
    return touched.some((branch) => isProtected(requirement, branch));
  }
  return effects.some((effect) => {
    if (!callEffects.kinds.has(effect)) return false;
    const touched =
      effect === 'edit' || effect === 'delete' || effect === 'config' ? callEffects.paths[effect] : [];
    return appliesToPaths(touched, view.project, paths, excludePaths);
  });
}

function triggeredByTool(call: ToolCall, view: View, commandLines: CommandLines): Requirement[] {
  const fits = (trigger: Trigger): boolean =>
    trigger.kind === 'tool' ||
    (call.command !== undefined && matchesCommand(trigger.pattern, call.command, commandLines));
  const named = view.config.requirements.filter(({ triggers }) =>
    triggers.some((trigger) => namesTool(trigger, call) && fits(trigger)),
  );
  if (named.length === 0) return [];
  const touched = call.command === undefined ? projectPaths(call.paths, view.ctx) : call.paths;
  // Files outside the project trigger nothing.
  if (touched.length === 0 && call.paths.length > 0) return [];
  return named.filter(({ paths, excludePaths }) =>
    appliesToPaths(touched, view.project, paths, excludePaths),
  );
}

/** The kinds of the triggers that name the call's tool; empty for a call that can trigger nothing by name. */
export function triggerKinds(call: ToolCall, requirements: readonly Requirement[]): Trigger['kind'][] {
  const triggers = requirements.flatMap((one) => one.triggers).filter((one) => namesTool(one, call));
  return triggers.map(({ kind }) => kind);
}

function namesTool(trigger: Trigger, call: ToolCall): boolean {
  return call.names.some((name) => globMatches(trigger.tool, name));
}

/**
 * Calls that are never held, and therefore use up no pass: writing plans, and our own command alone, which satisfies
 * rules. Any character that is special to a shell disqualifies the latter.
 */
export function isExempt({ command, paths }: ToolCall, context: Context): boolean {
  if (command === undefined) return paths.length > 0 && paths.every((path) => isPlan(path, context));
  return /^\s*(req|holdpoint)([ \t][^;&|<>`$()\\\n\r]*)?$/.test(command);
}

/**
 * Whether a pattern of the config matches one of these commands: its name, an option, a subcommand, or a command that
 * it runs. It never matches inside a quoted argument, which is prose, and a pattern that begins with a letter matches
 * only where a word begins.
 */
export function matchesCommand(pattern: string, text: string, lines: CommandLines): boolean {
  const expression = new RegExp(pattern, 'gi');
  // Match a line that does not parse as text: better to hold once too often than never.
  if (lines === undefined) return expression.test(text);
  return lines.some((words) => matchesWords(expression, words));
}

function matchesWords(expression: RegExp, words: readonly string[]): boolean {
  const line = words.join(' ');
  const named = /^(?:\\b|\(\?:|\()*[A-Za-z]/.test(expression.source);
  // These commands only print their arguments, and run none of them.
  const program = words.find((word) => !/^\w+=/.test(word));
  const isPrinter = program === 'echo' || program === 'printf';
  for (const { index, 0: found } of line.matchAll(expression)) {
    if (index === 0) return true;
    if (isPrinter) return false;
    const startsWord = line[index - 1] === ' ';
    if ((startsWord || !named) && !isInsideProse(index, found.length, words)) return true;
  }
  return false;
}

function isInsideProse(from: number, length: number, words: readonly string[]): boolean {
  let start = 0;
  for (const word of words) {
    const end = start + word.length;
    if (from >= start && from < end) return from + length <= end && /\s/.test(word);
    start = end + 1;
  }
  return false;
}

/** Commands that cannot be undone, each with what it would do. Matched at the start of a command, never in prose. */
const DANGEROUS: readonly (readonly [pattern: RegExp, what: string])[] = [
  [/^git push (?:.* )?(?:--force|-[a-z]*f[a-z]*|\+\S+)(?: |$)/, 'rewrites a branch that others use'],
  [/^git reset (?=.*--hard\b)(?=.*\b(?:origin|upstream)\/)/, 'discards local commits'],
  [/^git clean (?!(?:.* )?(?:-\w*n|--dry-run))(?:.* )?(?:-\w*f|--force)/, 'deletes untracked files'],
  [
    /^(?!sqlite3 :memory:(?![\s\S]*(?:\battach\b|\s\.[a-z])))(?:psql|mysql|sqlite3|mariadb) .*\b(?:drop\s+(?:table|database|schema)\b|truncate\s)/i,
    'destroys data',
  ],
  [/^(?:dd .*\bof=|mkfs\S* .*)\/dev\/(?!(?:null|zero|full|tty|stdout|stderr|fd)\b)/, 'overwrites a device'],
];

/** What the first dangerous command would do; `undefined` if there is none. */
export function dangerOf(lines: readonly (readonly string[])[], home: string): string | undefined {
  for (const words of lines.filter((one) => !isHarmlessGit(one))) {
    const line = words.join(' ');
    const what = removesRoot(words, home)
      ? 'deletes a root or home directory, or one right below'
      : DANGEROUS.find(([pattern]) => pattern.test(line))?.[1];
    if (what !== undefined) return `\`${labelOf(words)}\` ${what}`;
  }
  return undefined;
}

/** A push that is only tried, or a cleaning of ignored files alone. With options that take a value, it is not certain. */
function isHarmlessGit([program, verb, ...args]: readonly string[]): boolean {
  const has = (option: RegExp): boolean => args.some((arg) => option.test(arg));
  if (program !== 'git' || args.includes('--')) return false;
  if (verb === 'push')
    return has(/^(?:--dry-run|-[vqfud]*n[vqfud]*)$/) && !has(/^(?:-\w*o|--(?:no-d|push-o|repo|rec|exec))/);
  return verb === 'clean' && has(/^-[dfq]*X[dfq]*$/) && !has(/^(?:-\w*[xe]|--e)/);
}

function removesRoot([program, ...args]: readonly string[], home: string): boolean {
  const isRecursive = args.some((arg) => /^(?:-\w*[rR]\w*|--recursive)$/.test(arg));
  return program === 'rm' && isRecursive && args.some((arg) => isRootlike(arg, home));
}

/** `/`, the home directory, anything directly below them, and the current directory or one above it. */
function isRootlike(arg: string, home: string): boolean {
  const path = arg.replaceAll('"', '').replace(/\/+$/, '') || arg;
  if (/^\.\.?(?:\/\.\.?)*$/.test(path) || path === '/') return true;
  const tilde = home !== '' && `${path}/`.startsWith(`${home}/`) ? `~${path.slice(home.length)}` : path;
  return /^(?:~\w*|\$HOME|\$\{HOME\})?(?:\/[^/]*)?$/.test(tilde) && path !== '';
}

/** Only the program and its verb: the rest may contain what must not be in the journal. */
function labelOf([program = '', verb = '']: readonly string[]): string {
  return /^[a-z-]{1,20}$/.test(verb) ? `${program} ${verb}` : program;
}

/**
 * Whether a rule applies to a call that touches these paths: one of them is wanted and not excluded. It applies if no
 * path is known, because then nothing can be excluded.
 */
export function appliesToPaths(
  paths: readonly string[],
  root: string,
  wanted: readonly string[],
  excluded: readonly string[],
): boolean {
  if (paths.length === 0 || (wanted.length === 0 && excluded.length === 0)) return true;
  return paths.some((path) => {
    const below = belowRoot(path, root);
    const isWanted =
      wanted.length === 0 || wanted.some((glob) => isMatch(glob, below, path) || isAbove(below, glob));
    return isWanted && !excluded.some((glob) => isMatch(glob, below, path));
  });
}

/** Touching a directory touches everything in it, and so what a glob matches there. */
function isAbove(dir: string, glob: string): boolean {
  const fixed = glob.replace(/^\.?\//, '').replace(/[*?[{].*$/s, '');
  return dir === '' || fixed.startsWith(`${dir}/`);
}

/** A leading slash means the project root; if nothing matches there, the root of the file system. */
function isMatch(glob: string, below: string, path: string): boolean {
  if (!glob.startsWith('/')) return matchesPathBelow(glob, below);
  return matchesPathBelow(glob.slice(1), below) || matchesPathBelow(glob, path.replaceAll('\\', '/'));
}

/** Ignores a leading `./`; a glob that ends with a slash matches everything below. */
export function matchesPathBelow(glob: string, path: string): boolean {
  const pattern = glob.replace(/^(?:\.\/)+/, '');
  return matchesPath(pattern.endsWith('/') ? `${pattern}**` : pattern, path);
}

/** Relative to the root, with forward slashes; a path outside stays absolute. */
function belowRoot(path: string, root: string): string {
  return (isBelow(path, root) ? relative(root, path) : path).replaceAll('\\', '/');
}

/** What the effect found: a value or why there is none, or whether the evidence for a requirement exists. */
export type Finding =
  | { readonly kind: 'value'; readonly value: number; readonly summary: string; readonly base: string }
  /** There is nothing to measure, for example the size of the main branch. */
  | { readonly kind: 'none' }
  | { readonly kind: 'shown' }
  | { readonly kind: 'failed' | 'lacking'; readonly why: string };

/** Input of the effect `gather`, which may start processes. */
export type GatherInput = {
  readonly branch: string;
  readonly asks: readonly (
    | { readonly name: string; readonly calculator: string }
    | { readonly name: string; readonly evidence: Evidence }
  )[];
};

/** Returns what was found for the requirement of this name, possibly from the cache. */
export type Findings = (name: string) => Finding | undefined;

const KEPT_SECONDS = 86_400;

/**
 * The findings known so far: just gathered, or a value that is cached and still fresh. Evidence is looked for in each
 * event, since it may be gone, and a held agent adds it and tries again at once.
 */
export function findingsOf(
  cached: Json | undefined,
  gathered: Json | undefined,
  requirements: readonly Requirement[],
  branch: string,
  now: number,
): Findings {
  return (name) => {
    const fresh = objectIn(gathered, findingKey(branch, name));
    if (fresh['kind'] !== undefined) return findingFrom(fresh);
    const known = objectIn(cached, findingKey(branch, name));
    const requirement = requirements.find((one) => one.name === name);
    if (requirement?.type !== 'dynamic' || typeof known['at'] !== 'number') return undefined;
    const age = now - known['at'];
    return age >= 0 && age < requirement.cacheTtl ? findingFrom(known) : undefined;
  };
}

export function findingKey(branch: string, name: string): string {
  return `${branch} ${name}`;
}

function findingFrom({ kind, value, summary, base, why }: JsonObject): Finding | undefined {
  if (kind === 'value' && typeof value === 'number') {
    return { kind, value, summary: String(summary ?? ''), base: String(base ?? '') };
  }
  if (kind === 'none' || kind === 'shown') return { kind };
  return kind === 'failed' || kind === 'lacking' ? { kind, why: String(why ?? '') } : undefined;
}

/** How a requirement stands for a session, or for one of its calls. */
export type Standing =
  | { readonly kind: 'done' }
  /** An effect has to run before it can be judged. */
  | { readonly kind: 'unmeasured' }
  /** The effect failed; nobody is held for that. */
  | { readonly kind: 'failed'; readonly why: string }
  /** It does not hold yet, but has reached its warning threshold. One warning is enough for `seconds`. */
  | { readonly kind: 'near'; readonly fact: string; readonly seconds: number }
  /** `lacking`: it is satisfied, and only its evidence is missing. `fact`: in the words of the config. */
  | ({ readonly kind: 'open' } & { readonly [Key in 'cause' | 'lacking' | 'fact' | 'branch']?: string });

/** What a call or the end of a turn has to do about a requirement. */
export type Evaluation =
  | (Exclude<Standing, { kind: 'open' }> & { readonly requirement: Requirement })
  | ({ readonly kind: 'obstacle' } & Obstacle);

const DONE: Standing = { kind: 'done' };

export function obstaclesIn(evaluations: readonly Evaluation[]): Obstacle[] {
  return evaluations.filter((evaluation) => evaluation.kind === 'obstacle');
}

/** Judges with cached findings first. An effect gathers what is still pending, and the results are cached. */
export async function withFindings(
  { ctx, config: { requirements }, branch, now }: View,
  judge: (findings: Findings) => Evaluation[],
): Promise<Evaluation[]> {
  const cached = cachedIn(requirements, ctx);
  const evaluations = judge(findingsOf(cached, undefined, requirements, branch, now));
  const asks = evaluations.flatMap((one): GatherInput['asks'] => {
    if (one.kind !== 'unmeasured') return [];
    const { name, evidence, ...rest } = one.requirement;
    if (rest.type === 'dynamic') return [{ name, calculator: rest.calculator }];
    return evidence === undefined ? [] : [{ name, evidence }];
  });
  if (asks.length === 0) return evaluations;
  const input: GatherInput = { branch, asks };
  const gathered = await ctx.run({ name: 'gather', input, rules: asks.map(({ name }) => name) });
  const apply = (current: Json | undefined): Json | undefined => withGathered(current, gathered, now);
  ctx.change({ document: VALUES_FILE, what: 'computed values', apply });
  return judge(findingsOf(cached, gathered, requirements, branch, now));
}

function cachedIn(requirements: readonly Requirement[], ctx: Context): Json | undefined {
  const usesEffect = requirements.some(({ type, evidence }) => type === 'dynamic' || evidence !== undefined);
  return usesEffect ? presentValue(ctx.document(VALUES_FILE)) : undefined;
}

/** The cache with what was gathered, without entries older than a day. */
function withGathered(cached: Json | undefined, gathered: Json, now: number): Json | undefined {
  if (!isJsonObject(gathered)) return cached;
  const young = Object.entries(isJsonObject(cached) ? cached : {}).filter(
    ([, one]) => isJsonObject(one) && now - Number(one['at'] ?? 0) < KEPT_SECONDS,
  );
  const stamped = Object.keys(gathered).map((key) => [key, { ...objectIn(gathered, key), at: now }] as const);
  return Object.fromEntries([...young, ...stamped]);
}

/** Judges one requirement. `subject` is what would be held: the tool or the turn. */
export function evaluateRequirement(
  requirement: Requirement,
  view: View,
  findings: Findings,
  subject: string,
  callEffects?: CallEffects,
): Evaluation {
  const { name, type, scope, effects, evidence } = requirement;
  const standing = standingOf(requirement, view, findings(name), callEffects);
  const held = (why: string, more: Partial<Obstacle> = {}): Evaluation => {
    return { kind: 'obstacle', requirement, fact: `${subject} is held ${why}`, ...more };
  };
  const isForOneCommit = type === 'blocking' && scope === 'single_use' && effects.includes('commit');
  // Said before a person approves what would still be held.
  if (isForOneCommit && (callEffects?.commits ?? 0) > 1)
    return held('because one approval is for one commit, and the call makes several', {
      remedy: 'make one commit in each call',
    });
  if (standing.kind !== 'open') return { ...standing, requirement };
  const { cause, lacking, fact, branch } = standing;
  // Only evidence helps: satisfying it again would not.
  if (lacking !== undefined && evidence !== undefined)
    return held(`because \`${name}\` is marked as satisfied, but ${lacking}`, {
      cause: lacking,
      remedy: evidenceText(evidence),
    });
  if (cause === undefined) return held(`until ${satisfyHint(requirement)} ${scopePhrase(requirement, view)}`);
  if (fact !== undefined) return { kind: 'obstacle', requirement, fact, cause };
  // No command can name a branch whose name the shell has yet to make.
  if (branch !== undefined && /[$`]/.test(branch))
    return held(`because ${cause}`, { cause, remedy: 'write out the name of the branch' });
  const isElsewhere = 'branches' in requirement && cause !== protectedText(view.branch);
  const instead = isElsewhere ? { instead: otherBranchText(callEffects) } : {};
  return held(`because ${cause}`, { cause, branch, ...instead });
}

/** What a standing depends on, besides what was found. */
export type Surroundings = Pick<View, 'branch' | 'project' | 'sessionId' | 'isSatisfied' | 'onBranch'> & {
  readonly ctx: Pick<Context, 'sessions'>;
};

/** How a requirement stands: what holds a call, what `status` shows, and what a session is told in advance. */
export function standingOf(
  requirement: Requirement,
  around: Surroundings,
  found: Finding | undefined,
  callEffects?: CallEffects,
): Standing {
  if (requirement.type === 'condition') {
    const found = causeOf(requirement, around, callEffects);
    return found === undefined ? DONE : { kind: 'open', ...found };
  }
  const isSatisfied = around.isSatisfied(requirement);
  if (requirement.type === 'dynamic') return isSatisfied ? DONE : standingOfValue(requirement, found);
  if (!isSatisfied) return { kind: 'open' };
  const isOpenThere = (branch: string): boolean =>
    branch !== around.branch && !around.onBranch(branch).isSatisfied(requirement);
  const branch = requirement.scope === 'branch' ? callEffects?.editedOn?.find(isOpenThere) : undefined;
  if (branch !== undefined)
    return { kind: 'open', cause: `\`${requirement.name}\` is not satisfied on branch ${branch}`, branch };
  if (requirement.evidence === undefined || found?.kind === 'shown') return DONE;
  return found?.kind === 'lacking' ? { kind: 'open', lacking: found.why } : { kind: 'unmeasured' };
}

/** Why it is not known whether something is left to do. */
export function whyUnknown({ type }: Requirement, standing: Standing): string | undefined {
  if (standing.kind === 'failed') return `not measured: ${standing.why}`;
  if (standing.kind !== 'unmeasured') return undefined;
  return type === 'dynamic' ? 'not measured yet' : 'evidence not checked yet';
}

/** What is left to do, for what is shown in advance; `undefined` if it is nothing, or not known. */
export function openObstacle(requirement: Requirement, standing: Standing): Obstacle | undefined {
  if (standing.kind !== 'open') return undefined;
  const { lacking } = standing;
  return {
    requirement,
    fact: '',
    ...(lacking !== undefined && { remedy: `add the missing evidence: ${lacking}` }),
  };
}

/** What to do instead of writing a protected branch that is not the current one. */
function otherBranchText(callEffects: CallEffects | undefined): string {
  const { kinds, mayPushTo } = callEffects ?? {};
  const unnamed = mayPushTo?.length ? ', and write its name out' : '';
  if (kinds?.has('push')) return `push to a branch of your own${unnamed}`;
  return kinds?.has('merge')
    ? 'leave the merge to the user'
    : 'leave it to the user, and work on a branch of your own';
}

/** Why a condition holds a call; `undefined` if it does not. */
function causeOf(
  requirement: Extract<Requirement, { type: 'condition' }>,
  around: Surroundings,
  callEffects: CallEffects | undefined,
): { readonly cause: string; readonly branch?: string } | undefined {
  const { editedOn = [around.branch], branches = [] } = callEffects ?? {};
  const isOpen = (name: string): boolean => isOpenOn(requirement, name, around);
  const found = [...branches, ...editedOn].find(isOpen);
  if (found !== undefined)
    return {
      cause: protectedText(found),
      ...(isWaivedApart(requirement, found, around) && { branch: found }),
    };
  const perhaps = perhapsPushedTo(requirement, callEffects).find(isOpen);
  if (perhaps !== undefined)
    return { cause: `the line does not tell which branch it pushes to, and ${perhaps} is protected` };
  if (requirement.condition === 'protected_branch' || around.isSatisfied(requirement)) return undefined;
  const other = earlierSession(around);
  return other === undefined ? undefined : { cause: `session ${other} is already working in this project` };
}

function protectedText(branch: string): string {
  return `branch ${branch} is protected`;
}

function satisfyHint({ name, agentMaySatisfy }: Requirement): string {
  return agentMaySatisfy ? `\`${name}\` is satisfied` : `a person approves \`${name}\``;
}

function scopePhrase({ scope, perBranch }: Requirement, { branch }: View): string {
  switch (scope) {
    case 'session':
      return perBranch ? `in this session on branch ${branch}` : 'in this session';
    case 'branch':
      return `on branch ${branch}`;
    case 'permanent':
      return 'in this project';
    case 'single_use':
      return 'for this action';
  }
}

/** The protected branches, as configured, that may be the ones which a call pushes to without naming them. */
function perhapsPushedTo(
  requirement: Requirement,
  callEffects: Pick<CallEffects, 'mayPushTo'> | undefined,
): readonly string[] {
  if (!('branches' in requirement)) return [];
  const mayBegin = (pattern: string, start: string): boolean => {
    const [fixed = ''] = pattern.split(/[*?[\\]/, 1);
    return fixed.startsWith(start) || (fixed !== pattern && start.startsWith(fixed));
  };
  return requirement.branches.filter((one) => callEffects?.mayPushTo.some((start) => mayBegin(one, start)));
}

export function isProtected(requirement: Requirement, branch: string): boolean {
  return 'branches' in requirement && requirement.branches.some((pattern) => matchesName(pattern, branch));
}

/** On a protected branch, a person waives that one alone. */
function isWaivedApart(
  requirement: Requirement,
  branch: string,
  around: Pick<Surroundings, 'branch'>,
): boolean {
  return requirement.perBranch && branch !== around.branch && isProtected(requirement, around.branch);
}

/** Whether a branch is protected and not waived. */
export function isOpenOn(
  requirement: Requirement,
  branch: string,
  around: Pick<Surroundings, 'branch' | 'isSatisfied' | 'onBranch'>,
): boolean {
  if (!isProtected(requirement, branch)) return false;
  const place = isWaivedApart(requirement, branch, around) ? around.onBranch(branch) : around;
  return !place.isSatisfied(requirement);
}

/** Only the later session is held, or two would hold each other; on a tie, the one with the greater key. */
function earlierSession({
  ctx,
  project,
  sessionId,
}: Pick<Surroundings, 'ctx' | 'project' | 'sessionId'>): string | undefined {
  const here = ctx.sessions().filter((one) => one.projectDir === project && one.alive);
  const own = here.find((one) => isSameSessionName(sessionId, one.sessionId));
  const { startedAt, id } = own ?? { startedAt: Number.POSITIVE_INFINITY, id: '' };
  return here.find((one) => one.startedAt < startedAt || (one.startedAt === startedAt && one.id < id))?.id;
}

/** How requirements stand by what is known already, for what is shown: nothing is run. */
export function standings(view: View): (requirement: Requirement) => Standing {
  const { ctx, config, branch, now } = view;
  const findings = findingsOf(
    undefined,
    cachedIn(config.requirements, ctx),
    config.requirements,
    branch,
    now,
  );
  return (requirement) => standingOf(requirement, view, findings(requirement.name));
}

function standingOfValue(requirement: DynamicRequirement, found: Finding | undefined): Standing {
  const { name, block, warn = block, blockingMessage, approvalTtl } = requirement;
  if (found?.kind === 'none') return DONE;
  if (found?.kind === 'failed') return { kind: 'failed', why: found.why };
  if (found?.kind !== 'value') return { kind: 'unmeasured' };
  const { value, summary, base } = found;
  if (value < Math.min(block, warn)) return DONE;
  const size = `\`${name}\` is ${value}${base && ` against ${base}`}`;
  const parts = summary && ` (${summary})`;
  if (value < block) {
    const fact = `${size}${parts}; calls are held from ${block} on`;
    return { kind: 'near', fact, seconds: approvalTtl };
  }
  if (blockingMessage === undefined)
    return { kind: 'open', cause: `${size}, and the limit is ${block}${parts}` };
  const said = replaceNames(blockingMessage.trim(), {
    total: String(value),
    value: String(value),
    summary,
    base_branch: base,
    warn_threshold: String(requirement.warn ?? ''),
    block_threshold: String(block),
  });
  const fact = said.replace(/\s+/g, ' ');
  return { kind: 'open', fact, cause: fact.replace(/\.$/, '') };
}
