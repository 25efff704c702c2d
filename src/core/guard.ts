import { Script } from 'node:vm';
import type { GitHead } from '../git/head';
import type { Move, Refs } from '../git/refs';
import { type AskGit, askGit } from '../git/run-git';
import type { Host } from '../hosts/host';
import type { ParsedCommand } from '../shell/command-lines';
import type { Change, Document, DocumentRef } from '../state/documents';
import type { Effects } from './command-effects';
import type { Event, EventHeader, EventKind } from './event';
import type { Failure } from './failure';
import type { Invocation, ProjectWithState } from './hook';
import type { HostName } from './host-name';
import type { Json, JsonObject } from './json';
import type { Protection } from './protection';
import { globMatches } from './text';
import type { GuardVerdict, ShadowVerdict, Verdict } from './verdict';

/** The disciplines in the order in which they are asked. */
export const GUARD_NAMES = ['requirements', 'workflow', 'rules', 'gates', 'loop'] as const;

export type Discipline = (typeof GUARD_NAMES)[number];

/** The guard of our own files applies wherever anything is held, and cannot be selected or left out. */
export const OWN_FILES = 'own-files';

export type GuardName = Discipline | typeof OWN_FILES;

export function isGuardName(name: string): name is GuardName {
  return name === OWN_FILES || isDiscipline(name);
}

function isDiscipline(name: string): name is Discipline {
  return (GUARD_NAMES as readonly string[]).includes(name);
}

/** The workflow's rules, by the names with which settings files may call them individually. */
export const WORKFLOW_RULES = [
  'iteration-corridor',
  'skill-validator',
  'gate-blocker',
  'constitution-validator',
  'log-skill-usage',
  'menu-tracker',
  'skill-delegation-enforcer',
  'test-watcher',
  'review-reminder',
  'model-provider-router',
  'delegation-gate',
  'phase-loop-controller',
  'plan-surfacer',
  'phase-sequence-guard',
  'branch-guard',
  'state-write-validator',
  'walkthrough-tracker',
  'discover-menu-guard',
] as const;

/** Variables that switch off or postpone something of ours. */
export const SWITCHES = [
  'HOLDPOINT_DISABLE',
  'CLAUDE_SKIP_REQUIREMENTS',
  'GAUNTLET_STOP_HOOK_ACTIVE',
  'GAUNTLET_STOP_HOOK_ENABLED',
  'GAUNTLET_STOP_HOOK_INTERVAL_MINUTES',
  'IDLE_LOOP_DISABLE',
  'ISDLC_PROJECT',
  'JWZ_STORE',
  'CLAUDE_CODE_STOP_HOOK_BLOCK_CAP',
] as const;

export type Environment = Readonly<Record<string, string | undefined>>;

/** Which guards may decide on an event, and which of their rules if rules were named individually. */
export interface Selection {
  readonly guards: readonly GuardName[];
  readonly rules: readonly string[];
  /** Unknown names given to `--only`. */
  readonly unknown: readonly string[];
}

/** `HOLDPOINT_DISABLE` switches everything off, before anything else is read. */
export function isDisabled(env: Environment): boolean {
  return env['HOLDPOINT_DISABLE'] === '1' || env['HOLDPOINT_DISABLE'] === 'true';
}

/** Each discipline keeps the off switch of the program that it comes from. */
const SWITCHED_OFF: Readonly<Partial<Record<Discipline, (env: Environment) => boolean>>> = {
  requirements: (env) => (env['CLAUDE_SKIP_REQUIREMENTS'] ?? '') !== '',
  gates: (env) => (env['GAUNTLET_STOP_HOOK_ACTIVE'] ?? '') !== '',
  loop: (env) => env['IDLE_LOOP_DISABLE'] === '1',
};

/**
 * Applies `--only`. Unknown names are reported; if no known name is left everything runs, because a misspelt
 * flag must not switch the guards off.
 */
export function selectGuards(only: readonly string[], env: Environment): Selection {
  const ruled = only.filter((name) => (WORKFLOW_RULES as readonly string[]).includes(name));
  const named = only.filter(isDiscipline);
  const unknown = only.filter((name) => !isDiscipline(name) && !ruled.includes(name));
  const wanted = new Set<Discipline>(ruled.length > 0 ? [...named, 'workflow'] : named);
  // Naming the whole guard as well selects all of its rules.
  const rules = named.includes('workflow') ? [] : ruled;
  const guards = GUARD_NAMES.filter(
    (name) => (wanted.size === 0 || wanted.has(name)) && !SWITCHED_OFF[name]?.(env),
  );
  return { guards, rules, unknown };
}

/* What a guard asks, and what it learns. */

/** A guard's question about a file that is not one of our documents. */
export interface FileAsk {
  /** Absolute, or relative to the project root. */
  readonly path: string;
  /** Without it, only size and times are read. */
  readonly maxTextBytes?: number;
  /** The caller only wants to know about hard links. */
  readonly linksOnly?: true;
  /** The file must be below this directory once symlinks are resolved; otherwise it is not read. */
  readonly within?: string;
}

export type FileFact =
  | { readonly kind: 'missing' }
  | { readonly kind: 'directory'; readonly mtimeMs: number }
  | {
      readonly kind: 'file';
      readonly size: number;
      readonly mtimeMs: number;
      /** Time of the last change of any kind; no program can set it. */
      readonly ctimeMs?: number;
      /** Equal for all hard links to a file; absent if there is only one. */
      readonly linked?: string;
      readonly text?: string;
    }
  | { readonly kind: 'unreadable'; readonly why: string };

export interface EffectsAsk {
  readonly command: string;
  /** The project's own test commands, as configured. */
  readonly testCommands: readonly string[];
  /** Files to report whenever the line reaches them, as part of a directory or by a search. */
  readonly watched?: () => readonly string[];
  /** Do not run git: what its files do not show stays unknown. */
  readonly offline?: true;
}

export interface TranscriptAsk {
  /** The agent's last message. */
  readonly lastText?: boolean;
  /** The tokens used since a byte offset in the file. */
  readonly tokensFrom?: number;
  /** The tokens used since a time, in milliseconds since the epoch. */
  readonly tokensSince?: number;
  /** By tool call id: who let the call run, and its result. */
  readonly decidedOn?: string;
  /** Origin of a prompt that a hook blocked after `sinceMs`; without it, of the prompt handled now. */
  readonly promptBlocked?: { readonly prompt: string; readonly sinceMs?: number };
}

/** Answers from the transcript; each part only if asked for. */
export interface TranscriptFacts {
  readonly lastText?:
    | { readonly kind: 'text'; readonly text: string; readonly at?: number }
    | { readonly kind: 'none' }
    | { readonly kind: 'unread'; readonly why: string };
  /** `until` is the offset to continue from next time. */
  readonly tokens?: { readonly used: number; readonly until: number };
  /** The same for `tokensSince`; absent if the transcript cannot be read. */
  readonly newTokens?: { readonly used: number; readonly until: number };
  /** Absent if the call has no result yet. */
  readonly decidedOn?: { readonly source: string; readonly result: JsonObject };
  /** Absent if the client has noted nothing yet; `scheduled` if something other than a person sent it. */
  readonly promptBlocked?: 'typed' | 'scheduled';
}

/** A session in the registry, and whether its host process still runs. */
export interface LiveSession {
  /** Its key in the registry. */
  readonly id: string;
  /** The whole id, if known. */
  readonly sessionId: string;
  readonly projectDir: string;
  readonly branch: string;
  readonly startedAt: number;
  readonly lastActive: number;
  /** Whether we were called when it started. */
  readonly began: boolean;
  readonly alive: boolean;
}

/** How often stops were held since the prompt. */
export interface RefusedStops {
  readonly byGuard: Readonly<Partial<Record<GuardName, number>>>;
  readonly inRow: number;
  /** Whether another process of ours has already held this same stop. */
  readonly elsewhere?: boolean;
  /** Whether a server has counted this same stop as held, without giving an answer; not counted here. */
  readonly isUnanswered?: true;
}

/** The host process that runs this session, as far as we can tell. */
export interface HostProcess {
  readonly pid: number;
  /** The kernel's start time, if readable: distinguishes a process from a later one with the same pid. */
  readonly start?: string;
}

/** What matters about the client that called us when we check a person's answer. */
export interface ClientFacts {
  /** Its command line, program first; empty if it cannot be read. */
  readonly args: readonly string[];
  /** Whether a person started it in their own terminal. */
  readonly isAttended: boolean;
  /** Whether the event comes from it, and not from a command that an agent runs. */
  readonly isSender: boolean;
}

/**
 * Which events a guard wants to see. Compiled into the config cache, so that an event nobody watches costs no
 * more than reading this list.
 */
export interface Interest {
  readonly kind: EventKind;
  /** Tool names or globs with `*`; absent means every tool. */
  readonly tools?: readonly string[];
  /** Excluded tools, in the same form. */
  readonly except?: readonly string[];
  /** `false`: skip command lines of plain words that only read; see plain-command.ts. */
  readonly reading?: false;
  readonly hosts?: readonly HostName[];
  /** Only if one of these files exists, in the git directory or between the cwd and the project root. */
  readonly whenFile?: readonly string[];
  /** `false`: skip command lines of plain words that name nothing of ours; see plain-command.ts. */
  readonly plain?: false;
}

/** Whether any of a guard's interests matches. `exists` is called last, since it reads the disk. */
export function isConcerned(
  interests: readonly Interest[],
  header: EventHeader,
  exists: (file: string) => boolean,
  commands?: { isPlain(): boolean; isReading(): boolean },
): boolean {
  for (const interest of interests) {
    const { kind, whenFile, plain, reading, hosts } = interest;
    if (kind !== header.kind || (hosts !== undefined && !hosts.includes(header.host))) continue;
    if (!isOfTool(interest, header.toolNames)) continue;
    const isIdle = (plain === false && commands?.isPlain()) || (reading === false && commands?.isReading());
    if (!isIdle && (whenFile === undefined || whenFile.some(exists))) return true;
  }
  return false;
}

function isOfTool({ tools, except }: Interest, names: readonly string[]): boolean {
  if (tools !== undefined && !isNamed(names, tools)) return false;
  return except === undefined || !isNamed(names, except);
}

function isNamed(names: readonly string[], patterns: readonly string[]): boolean {
  return patterns.some((pattern) => names.some((name) => globMatches(pattern, name)));
}

/** One discipline. `Config` is its compiled config section, after a round trip through JSON. */
export interface Guard<Config = Json> {
  readonly name: GuardName;
  interest(config: Config): readonly Interest[];
  /** May be called again for the same event, if something it read changes before its changes are written. */
  decide(event: Event, config: Config, ctx: Context): Promise<Verdict>;
  /**
   * Whether only command lines can make `decide` slow: config patterns are matched against nothing else, or
   * under the guard's own watchdog.
   */
  isQuick?(config: Config): boolean;
  readonly shadow?: ShadowRules<Config>;
}

/**
 * A guard's rules in shadow mode. They are decided separately, once the answer is settled, so that they
 * cannot affect it; see shadow-rules.ts. The guard's own `interest` and `decide` leave them out.
 */
interface ShadowRules<Config> {
  interest(config: Config): readonly Interest[];
  /** Whether all rules are in shadow mode, so that the guard otherwise counts as not configured. */
  isAll(config: Config): boolean;
  /** What they would decide. It goes to the journal only. */
  decide(event: Event, config: Config, ctx: Context): Promise<Verdict>;
}

/** Everything that a guard may read. */
export interface WorldFacts {
  readonly refusedStops: RefusedStops;
  /** When the process that the host started for this event began, if known. */
  startedAt(): number | undefined;
  /** Empty if the variable is not set. */
  env(name: string): string;
  document(ref: DocumentRef): Document;
  file(ask: FileAsk): FileFact;
  /** An absolute path with all symlinks resolved, including that of its last component. */
  realPath(path: string): string;
  sessions(): readonly LiveSession[];
  hostProcess(): HostProcess;
  /** A closer look at that process: whether a person's answer can come through it. */
  client(): ClientFacts;
  /** The ancestors of the hook process, nearest first, with the command line of the nearest one. */
  ancestors(): readonly (HostProcess & { readonly line?: string })[];
  /** Hooks of others that could answer for a person when this tool asks, as `EVENT in FILE`. */
  answeringHooks(tool: string): readonly string[];
  /**
   * The commands of a command line, each as its plain words, with `asWritten` also with what stands before them;
   * `undefined` if it does not parse.
   */
  commandLines(text: string, asWritten?: boolean): readonly (readonly string[])[] | undefined;
  /** The same with each command's working directory. `cwd` is where the line runs, if not where the event does. */
  commands(text: string, cwd?: string): readonly ParsedCommand[] | undefined;
  effects(ask: EffectsAsk): Effects;
  /** Where branches and remote branches point now; `undefined` without git. */
  refs(): Refs | undefined;
  /** The last moves of a ref, given by full name or as `HEAD`; empty if git keeps no reflog for it. */
  moves(ref: string): readonly Move[];
  /** Whether a commit is in the history of one of the others. Runs git. */
  isIn(commit: string, histories: readonly string[]): boolean;
  /** Whether one of the commits that it adds to these histories is a merge. */
  addsMerge(commit: string, histories: readonly string[]): boolean;
  /** Loads a part that few events need. */
  part<Name extends keyof Parts>(name: Name): Parts[Name];
  readonly compile: Chunks['compile'];
  /** The remote's default branch, if known. */
  defaultBranch(): string | undefined;
  /** Facts that only the host's transcript of the session contains. */
  transcript(ask: TranscriptAsk): TranscriptFacts;
}

/** Everything that a guard may read and change. Each fact is looked up only once per event. */
export interface Context extends WorldFacts {
  /** Milliseconds since the epoch. */
  readonly now: number;
  /** The id of the decision that is being made. */
  readonly decisionId: string;
  readonly projectRoot: string;
  readonly home: string;
  readonly git: GitHead | undefined;
  readonly pid: number;
  /** How many stops may be held in a row before the next one is released. */
  readonly stopLimit: number;
  /** The verdicts of the guards before this one. */
  readonly earlier: readonly GuardVerdict[];
  /** The guard's rules that were named on the command line; empty means all. */
  readonly rules: readonly string[];
  /** Called by `gates stop-hook`, which takes the host's input literally and always gives an answer. */
  readonly gauntletCompat: boolean;
  /** Runs the guard's effect of that name, once per event, while no lock is held. */
  run(effect: EffectRequest): Promise<Json>;
  change(change: Change): void;
  /** Reports something that the guard could not find out; it decides without it. */
  trouble(failure: Failure): void;
  /** At the start of a session: what the guard will hold, in a few words, such as `3 requirements`. */
  armed(what: string): void;
  /** The rules that were consulted, for the statistics. */
  asked(rules: readonly string[]): void;
  /** What rules in shadow mode would have decided. */
  shadow(said: ShadowVerdict): void;
  /** Rules that cannot be judged because facts are missing, as in a past session. */
  unknown(rules: readonly string[]): void;
  /** How the guard came to its verdict, for people who asked for debug output. */
  note(text: string): void;
}

/** Work that takes time: checks, reviews, commands. */
export interface EffectRequest {
  readonly name: string;
  readonly input: Json;
  /** A few words for the journal before it starts, if it may take so long that we get killed. */
  readonly announce?: string;
  /** The rules that cannot be judged without it. */
  readonly rules?: readonly string[];
  /** Distinguishes several runs of one effect in the same event. */
  readonly run?: string;
}

/** Runs one guard's effects; in a chunk separate from the guard's. */
export type EffectRunner = (name: string, input: Json, context: EffectContext) => Promise<Json>;

export interface EffectContext {
  readonly projectRoot: string;
  readonly env: Environment;
  /** Milliseconds since the epoch by which the effect must have ended. */
  readonly deadline: number;
  /** Aborted when nobody waits for the answer any more. */
  readonly signal?: AbortSignal | undefined;
}

/* Code that is loaded only where an event needs it. */

/** Code in separate files, by the names that the build gives them; loaded only by the events that need it. */
export interface Parts {
  readonly decide: typeof import('./pipeline');
  readonly 'compile-config': typeof import('./compile-config');
  readonly 'lost-hooks': typeof import('./lost-hooks');
  readonly recording: typeof import('./recording/tape');
  readonly 'own-files-calls': typeof import('./own-files/calls');
  readonly session: SessionParts;
  readonly shell: typeof import('../shell');
  readonly markdown: typeof import('../guards/loop/markdown');
  readonly skill: typeof import('../hosts/claude-code/skill');
  readonly person: typeof import('../hosts/claude-code/person');
  readonly 'claude-code-transcript': typeof import('../hosts/claude-code/transcript');
  readonly people: typeof import('../guards/requirements/people');
  readonly 'effect-rules': typeof import('../guards/requirements/effect-rules');
  readonly signed: typeof import('../guards/requirements/signed');
  readonly 'test-run': typeof import('../guards/workflow/test-run');
  readonly 'built-in-rules': typeof import('../guards/rules/built-in');
  readonly client: { clientFacts(pid: number, home: string, cwd: string): ClientFacts };
  readonly 'start-uplink': { readonly startUplink: StartUplink };
}

/** See src/main/session.ts. */
type SessionParts = typeof import('./session-watch') & {
  readonly requirements: typeof import('../guards/requirements/session');
  /** Costs as much as many events, so only the start of a session calls it. */
  protectionAtStart(
    project: ProjectWithState,
    sessionId: string,
    invocation: Pick<Invocation, 'env' | 'chunks'>,
  ): Protection;
};

/** Keeps this machine linked to its hub; see src/server/start-uplink.ts. */
export type StartUplink = (where: {
  readonly env: Invocation['env'];
  readonly home: string;
  readonly roots: readonly string[];
}) => void;

/** What an event needs besides its own chunk. Recordings and replays put their own in place of some of these. */
export interface Chunks {
  part<Name extends keyof Parts>(name: Name): Parts[Name];
  guard(name: GuardName): Guard;
  effects(name: GuardName): EffectRunner;
  /** Any host but Claude Code. */
  host(name: HostName): Host;
  readonly askGit: AskGit;
  readonly toolUsedSince: Parts['claude-code-transcript']['toolUsedSince'];
  readonly commandLines: Parts['shell']['commandLines'];
  readonly commandsOf: Parts['shell']['commandsOf'];
  readonly effectsOf: Parts['shell']['effectsOf'];
  /** Compiles code that is not a chunk, with V8's cached code if the caller has any; see src/main/code-cache.ts. */
  compile(name: string, key: string, text: string, filename: string): Script;
}

export function chunksFrom(
  load: (name: string) => unknown,
  compile: Chunks['compile'] = (_name, _key, text, filename) => new Script(text, { filename }),
): Chunks {
  const part = load as Chunks['part'];
  return {
    part,
    guard: (name) => (load(`guard-${name}`) as { guard: Guard }).guard,
    effects: (name) => (load(`guard-${name}-effects`) as { runEffect: EffectRunner }).runEffect,
    host: (name) => (load(`host-${name}`) as { host: Host }).host,
    askGit,
    toolUsedSince: (...args) => part('claude-code-transcript').toolUsedSince(...args),
    commandLines: (...args) => part('shell').commandLines(...args),
    commandsOf: (...args) => part('shell').commandsOf(...args),
    effectsOf: (...args) => part('shell').effectsOf(...args),
    compile,
  };
}
