import { existsSync } from 'node:fs';
import { isAbsolute, join } from 'node:path';
import { nearest } from '../config/diagnostics';
import type { GitHead } from '../git/head';
import { readHeader } from '../hosts/claude-code/index';
import { senderOf } from '../hosts/protocol';
import type { Layout } from '../state/documents';
import { isHeartbeatDue, startProjectOf } from '../state/sessions';
import type { Facts } from './context';
import { type EventHeader, mayBeHeld } from './event';
import { detailOf, type Failure, fail, type Result, succeed } from './failure';
import {
  type Chunks,
  chunksFrom,
  type Environment,
  type GuardName,
  isConcerned,
  isDisabled,
  OWN_FILES,
  type Selection,
  SWITCHES,
  selectGuards,
} from './guard';
import { HOST_NAMES, type HostName } from './host-name';
import { isJsonObject, type JsonObject, nameIn, objectIn } from './json';
import { isPlainCall, isReadingCall } from './plain-command';
import {
  type CompiledConfig,
  configOrDefaults,
  findMessageStore,
  findProject,
  hasManualRun,
  hasMessages,
  loopOnlyProject,
  MESSAGES,
  type Project,
  workflowOnlyProject,
} from './project';
import { otherProjects } from './project-paths';
import { plainRecordName, SESSION_RECORDS, upward } from './text';
import { type Answer, NO_ANSWER } from './verdict';

/** One call of the hook: by its own process, by the server, or inside a host. */
export type HookCall = Omit<Invocation, 'host' | 'only' | 'chunks'> & {
  readonly args: readonly string[];
  /** Not called if everything that was asked for is disabled. */
  read(): Result<string>;
  load(name: string): unknown;
  readonly compile?: Chunks['compile'];
};

/** Answers one event, whatever the input. Throws only if this process cannot run what the event needs. */
export async function answerHook({ args, read, load, compile, ...given }: HookCall): Promise<Answer> {
  const { host, only, problems } = optionsFrom(args);
  const chunks = chunksFrom(load, compile);
  const isIdle = ({ env }: Environments): boolean => selectGuards(only, env).guards.length === 0;
  if (isIdle(given) && isIdle(withAcceptedSwitches(given, () => [], chunks))) return NO_ANSWER;
  const input = read();
  const call = withAcceptedSwitches(given, () => directoriesIn(input, given.env), chunks);
  const isOff = isDisabled(call.env);
  // A person reads this only at the start of a session.
  if (isOff && !(input.ok && /sessionStart/i.test(input.value))) return { ...NO_ANSWER, stderr: DISABLED };
  const warning = isOff ? DISABLED : problems.map((line) => `holdpoint: ${line}\n`).join('');
  try {
    const answer = await handleEvent(input, { ...call, host, only, chunks });
    return { ...answer, stderr: warning + answer.stderr };
  } catch (error) {
    if (error instanceof Error && error.name === 'LeaveEvent') throw error;
    const { detail, report } = internalError(error, ['hook', ...args], input.ok ? input.value : '', load);
    const text = `holdpoint: internal error: ${detail}. The event was allowed unchecked.\n${report}`;
    return { ...NO_ANSWER, stderr: warning + text };
  }
}

const DISABLED = 'holdpoint: turned off by HOLDPOINT_DISABLE.\n';

/** Where the agent is, and where its session began. */
function directoriesIn(input: Result<string>, env: Environment): string[] {
  const raw = input.ok ? readInput(input.value) : input;
  if (!raw.ok) return [];
  const begun = startProjectOf(env['HOME'] ?? '', nameIn(raw.value, 'session_id') ?? '');
  return [nameIn(raw.value, 'cwd') ?? '', begun ?? ''];
}

type Environments = Pick<Invocation, 'env' | 'effectEnv'>;

/**
 * Removes switches that settings have set while an agent works: whoever starts the agent may turn us off, the
 * agent may not. A host keeps the settings that it started with, so that project is checked beside `directories`.
 */
export function withAcceptedSwitches<T extends Environments>(
  call: T,
  directories: () => readonly string[],
  chunks: Chunks,
): T {
  const { env } = call;
  if (!SWITCHES.some((name) => (env[name] ?? '') !== '')) return call;
  try {
    const projects = ['', ...directories()].map((directory) => findProject(directory, env));
    const unagreed = projects.flatMap((project) => chunks.part('lost-hooks').unacceptedVariables(project));
    if (unagreed.length === 0) return call;
    const without = (all: Environment | undefined): Environment | undefined =>
      all && Object.fromEntries(Object.entries(all).filter(([name]) => !unagreed.includes(name)));
    const { effectEnv = () => env } = call;
    return { ...call, env: without(env), effectEnv: () => without(effectEnv()) };
  } catch {
    return call;
  }
}

/**
 * The message for an internal error, with the path of its report if one could be written. A chunk writes the
 * report, and chunks may be what is broken.
 */
export function internalError(
  error: unknown,
  args: readonly string[],
  input: string,
  load: (name: string) => unknown,
): { readonly detail: string; readonly report: string } {
  const detail = detailOf(error);
  try {
    const { reportBug } = load('report-bug') as typeof import('./report-bug');
    const file = reportBug({ error, args, input, env: process.env, now: Date.now() });
    return { detail, report: file === undefined ? '' : `holdpoint: please report it and attach ${file}\n` };
  } catch {
    return { detail, report: '' };
  }
}

interface HookOptions {
  readonly host: HostName | undefined;
  readonly only: readonly string[];
  /** Invalid arguments. The event is checked anyway: a hook must run. */
  readonly problems: readonly string[];
}

const FLAGS = ['--host', '--only'];

/** Parses `--host NAME` and `--only A,B`, each also with `=`. */
function optionsFrom(args: readonly string[]): HookOptions {
  const given = new Map<string, string>();
  const unread: string[] = [];
  for (let at = 0; at < args.length; at++) {
    const arg = args[at] ?? '';
    const flag = FLAGS.find((name) => arg === name || arg.startsWith(`${name}=`));
    const value = arg === flag ? args[at + 1] : arg.slice(`${flag}=`.length);
    if (flag === undefined || value === undefined || given.has(flag)) unread.push(arg);
    else given.set(flag, value);
    if (arg === flag) at++;
  }
  const named = given.get('--host');
  const host = HOST_NAMES.find((name) => name === named);
  const problems = named === undefined || host !== undefined ? [] : [unknownHost(named)];
  if (unread.length > 0) problems.push(ignoredArguments(unread));
  return { host, only: given.get('--only')?.split(',').filter(Boolean) ?? [], problems };
}

function unknownHost(name: string): string {
  const meant = nearest(name, HOST_NAMES);
  const hint = meant === undefined ? `the hosts are ${HOST_NAMES.join(', ')}` : `did you mean ${meant}?`;
  return `unknown --host ${JSON.stringify(name)} (${hint}). Unless the event shows who sent it, it is treated as one of Claude Code.`;
}

function ignoredArguments(args: readonly string[]): string {
  const shown = args.map((arg) => JSON.stringify(arg.slice(0, 40))).join(', ');
  return `the hook takes --host NAME and --only NAME,… once each; ${shown} was ignored.`;
}

/** What the caller provides: everything outside this process. */
export interface Invocation {
  readonly host: HostName | undefined;
  readonly only: readonly string[];
  /** Called by `gates stop-hook`; see `Context`. */
  readonly gauntletCompat?: boolean;
  readonly env: Environment;
  readonly chunks: Chunks;
  /** Milliseconds since the epoch. */
  readonly now: number;
  /** When the process that the host started for this event began. */
  startedAt?(): number | undefined;
  /** Set if a server was asked before and gave no answer; it may have counted the event. */
  readonly isUnanswered?: true;
  /** The parent of the process that the host started; by default our own parent. */
  readonly parentPid?: number;
  /** The environment for programs that the event runs, if not `env`; `undefined` if it cannot be known. */
  effectEnv?(): Environment | undefined;
  /** Aborted when nobody waits for the answer any more. */
  readonly signal?: AbortSignal;
  /** For an event of a past session that we replay: what is known of the world at that time. */
  readonly past?: { readonly facts: Facts; readonly git: GitHead | undefined };
}

/** Handles one event, from the host's bytes to the bytes for the host. */
export async function handleEvent(input: Result<string>, invocation: Invocation): Promise<Answer> {
  const routed = routeEvent(input, invocation);
  const [first, ...others] = routed.filter((one) => one.kind !== 'unwatched');
  const { chunks } = invocation;
  const answer =
    first === undefined ? NO_ANSWER : await chunks.part('decide').decideEvent([first, ...others], invocation);
  const recorded = routed.flatMap((one): WatchedEvent[] => {
    if (one.kind === 'unwatched') return one.recorded === undefined ? [] : [one.recorded];
    const isSilent = one.kind === 'shadowed' && one.config?.head.recording !== undefined;
    return isSilent ? [{ ...one, kind: 'watched' }] : [];
  });
  if (recorded.length === 0) return answer;
  const after = () =>
    recorded.map((one) => chunks.part('recording').recordUnwatched(one, invocation) ?? '').join('');
  return { ...answer, after: () => (answer.after?.() ?? '') + after() };
}

/** Prefix of our own files in the git directory; without git our directory has another name. */
const OURS = 'holdpoint/';

/** A project with a place for state. */
export type ProjectWithState = Project & { readonly layout: Layout };

/** The result of routing. Most events end here, so the hook's first chunk contains no more than this. */
export type Routed =
  /** No rule applies, or the host also calls us through its own settings. */
  | { readonly kind: 'unwatched'; readonly answeredFor?: HostName; readonly recorded?: WatchedEvent }
  /** The input is not an event, or has no existing directory. */
  | { readonly kind: 'no-event'; readonly failure: Failure; readonly project: Project | undefined }
  /** A session starts in a project without config, or whose config holds nothing. */
  | (UnconfiguredStart & { readonly kind: 'unconfigured' | 'unarmed' })
  /** A session starts where there is config, but neither git nor a directory of ours for state. */
  | (RawEvent & { readonly kind: 'homeless' })
  /** The project that the session started in has lost both its git directory and its config. */
  | (RawEvent & { readonly kind: 'vanished'; readonly root: string })
  /** The host's settings have changed, and something is configured or installed here. */
  | ({ readonly kind: 'settings-changed' } & SettingsChange)
  /** Only shadow rules watch it: the answer is the same as if no rule applied. */
  | (Omit<WatchedEvent, 'kind'> & { readonly kind: 'shadowed' })
  | WatchedEvent;

/** The event's header with the host's whole document. */
interface RawEvent {
  readonly header: EventHeader;
  readonly raw: JsonObject;
}

export interface UnconfiguredStart extends RawEvent {
  readonly project: ProjectWithState;
}

/** A change of the host's settings; `records` are the files that say where we are installed. */
export interface SettingsChange extends RawEvent {
  readonly project: Project | undefined;
  readonly records: readonly string[];
}

/** An event that concerns a guard. */
export interface WatchedEvent extends RawEvent {
  readonly kind: 'watched';
  /** Set if the project is not the one of the event's directory. */
  readonly elsewhere?: true;
  readonly project: ProjectWithState;
  readonly selection: Selection;
  readonly config: CompiledConfig | undefined;
  /** Indexes of the guards that it concerns, in the config. */
  readonly concerned: readonly number[];
  /** The same for their shadow rules. */
  readonly shadow: readonly number[];
  readonly failures: readonly Failure[];
}

/** Routes an event: first in the project of its directory, then in every other project whose rules apply. */
export function routeEvent(
  input: Result<string>,
  invocation: Invocation,
): readonly [here: Routed, ...elsewhere: Routed[]] {
  const { env, host, chunks } = invocation;
  const raw = input.ok ? readInput(input.value) : input;
  const sender = raw.ok ? senderOf(raw.value, host) : 'claude-code';
  const other = sender === 'claude-code' ? undefined : chunks.host(sender);
  const header = raw.ok ? (other?.readHeader ?? readHeader)(raw.value) : undefined;
  const project = findProject(header?.cwd ?? '', env);
  if (!raw.ok) return [{ kind: 'no-event', failure: raw.failure, project }];
  if (header === undefined || header.hostEvent === '') {
    return [{ kind: 'no-event', failure: { code: 'input.no-event-name' }, project }];
  }
  const arrived = withSkillCommands({ header, raw: raw.value }, invocation);
  if (isDisabled(env)) return [routeDisabled(arrived, project)];
  // A host that also runs Claude Code's settings calls us twice; we answer the call from its own settings.
  const twice = sender !== host && other?.hasOwnEntry?.(header.kind, project?.root ?? header.cwd, env);
  if (twice === true) return [{ kind: 'unwatched', answeredFor: sender }];
  const here = routeHere(arrived, project, invocation);
  // The older program's command covers one project only.
  if (invocation.gauntletCompat === true) return [here];
  const others = otherProjects(arrived.header, arrived.raw, project, invocation);
  return [here, ...others.flatMap((otherProject) => routeElsewhere(arrived, otherProject, invocation))];
}

/** A Claude Code skill may run programs that no event reports: treat them as the command of its call. */
function withSkillCommands(arrived: RawEvent, { env, chunks }: Invocation): RawEvent {
  const { header, raw } = arrived;
  if (header.host !== 'claude-code' || header.toolNames[0] !== 'Skill') return arrived;
  const input = objectIn(raw, 'tool_input');
  const [name, args] = [nameIn(input, 'skill') ?? '', nameIn(input, 'args') ?? ''];
  const commands = chunks.part('skill').skillCommands(name, args, header.cwd, env);
  if (commands.length === 0) return arrived;
  const judged = { ...raw, tool_input: { ...input, command: commands.join('\n') } };
  return { header: readHeader(judged), raw: judged };
}

function routeHere(arrived: RawEvent, project: Project | undefined, invocation: Invocation): Routed {
  const change = routeSettingsChange(arrived, project, invocation.env);
  if (change !== undefined) return change;
  if (!hasState(project)) return routeWithoutState(arrived, invocation);
  const routed = routeInProject(arrived, project, invocation);
  return project.elsewhere ? markedElsewhere(routed) : routed;
}

function markedElsewhere(routed: Routed): Routed {
  if (routed.kind === 'watched') return { ...routed, elsewhere: true };
  if (routed.kind === 'unwatched' && routed.recorded !== undefined)
    return { ...routed, recorded: { ...routed.recorded, elsewhere: true } };
  return routed;
}

/** Notes about a session that starts where no rule applies are only for its own directory. */
function routeElsewhere(arrived: RawEvent, project: ProjectWithState, invocation: Invocation): Routed[] {
  const routed =
    routeSettingsChange(arrived, project, invocation.env) ??
    routeInProject(arrived, project, invocation, true);
  const isRecorded = routed.kind === 'unwatched' && routed.recorded !== undefined;
  const isMeant = isRecorded || ['watched', 'settings-changed', 'shadowed'].includes(routed.kind);
  return isMeant ? [markedElsewhere(routed)] : [];
}

function routeDisabled(arrived: RawEvent, project: Project | undefined): Routed {
  const isTold = arrived.header.kind === 'session.start' && hasState(project) && project.configured;
  return isTold ? { kind: 'unarmed', ...arrived, project } : { kind: 'unwatched' };
}

function hasState(project: Project | undefined): project is ProjectWithState {
  return project?.layout !== undefined;
}

/** A change of settings matters only where something is configured or an install record exists. */
function routeSettingsChange(
  arrived: RawEvent,
  project: Project | undefined,
  env: Environment,
): Routed | undefined {
  if (arrived.header.kind !== 'config.change') return undefined;
  const places = [project?.layout?.own ?? '', `${env['HOME'] ?? ''}/.config/holdpoint`];
  const records = places.map((place) => `${place}/installed.json`).filter((file) => existsSync(file));
  if (records.length === 0 && project?.configured !== true) return undefined;
  return { kind: 'settings-changed', ...arrived, project, records };
}

function routeWithoutState(arrived: RawEvent, invocation: Invocation): Routed {
  const { header } = arrived;
  const begins = header.kind === 'session.start';
  if (begins && existsSync(join(header.cwd, '.claude', 'requirements.yaml'))) {
    return { kind: 'homeless', ...arrived };
  }
  const { env } = invocation;
  const seeded = workflowOnlyProject(header, env);
  const seen = seeded && routeForGuard('workflow', arrived, seeded, invocation);
  if (seen !== undefined && seen.kind !== 'unwatched') return seen;
  const borrowed = loopOnlyProject(header, env);
  if (borrowed) return routeForGuard('loop', arrived, borrowed, invocation);
  const root = vanishedProject(header, env);
  if (root !== undefined) return { kind: 'vanished', ...arrived, root };
  const failure = missingDirectory(header, invocation);
  return failure ? { kind: 'no-event', failure, project: undefined } : { kind: 'unwatched' };
}

/** The project that the session started in, if nothing is left of it. */
function vanishedProject({ kind, sessionId }: EventHeader, env: Environment): string | undefined {
  if (kind !== 'tool.after' && kind !== 'turn.stop') return undefined;
  const root = startProjectOf(env['HOME'] ?? '', sessionId);
  return root === undefined || hasState(findProject(root, env)) ? undefined : root;
}

function routeInProject(
  arrived: RawEvent,
  project: ProjectWithState,
  invocation: Invocation,
  isElsewhere = false,
): Routed {
  const { env, now } = invocation;
  const { header } = arrived;
  const begins = header.kind === 'session.start';
  const { configured } = project;
  const place = isElsewhere ? project.root : header.cwd;
  if (configured || hasManualRun({ ...header, cwd: place }, project, env)) {
    const watched = watchedEvent(arrived, project, invocation, place);
    if (isWatched(watched, now)) return watched;
    if (begins && configured && !isArmed(watched)) return { kind: 'unarmed', ...arrived, project };
    if (watched.shadow.length > 0) return { ...watched, kind: 'shadowed' };
    if (watched.config?.head.recording !== undefined) return { kind: 'unwatched', recorded: watched };
  }
  return begins && !configured ? { kind: 'unconfigured', ...arrived, project } : { kind: 'unwatched' };
}

/** Without a place for our state, only the one guard that has a store of its own decides. */
function routeForGuard(
  guard: GuardName,
  arrived: RawEvent,
  project: ProjectWithState,
  invocation: Invocation,
): Routed {
  const watched = watchedEvent(arrived, project, invocation);
  const { config } = watched;
  if (config === undefined) return watched;
  const concerned = watched.concerned.filter((index) => config.head.guards[index]?.name === guard);
  if (concerned.length === 0) return { kind: 'unwatched' };
  const quiet = { ...config, head: { ...config.head, problems: [] } };
  return { ...watched, config: quiet, concerned, shadow: [], failures: [] };
}

function watchedEvent(
  arrived: RawEvent,
  project: ProjectWithState,
  { chunks, env, only }: Invocation,
  place = arrived.header.cwd,
): WatchedEvent {
  const selection = selectGuards(only, env);
  try {
    const { kind, sessionId } = arrived.header;
    const config = configOrDefaults(project, chunks, kind === 'session.start' ? '' : sessionId);
    let store: { readonly dir: string | undefined } | undefined;
    const storeDir = (): string | undefined => {
      store ??= { dir: findMessageStore(place, env) };
      return store.dir;
    };
    const exists = (file: string): boolean =>
      isMessageFile(file) ? hasMessages(storeDir()) : existsUpward(place, project, file);
    const { concerned, shadow } = concernedGuards(config, { ...arrived, project, selection, exists });
    const isOfLoop = concerned.some((index) => config.head.guards[index]?.name === 'loop');
    const messages = isOfLoop ? storeDir() : undefined;
    const target = messages === undefined ? project : { ...project, layout: { ...project.layout, messages } };
    const failures = uncheckedReasons(arrived.header, config, selection, exists);
    return { kind: 'watched', ...arrived, project: target, selection, config, concerned, shadow, failures };
  } catch (error) {
    const failures: Failure[] = [{ code: 'config.unreadable', detail: detailOf(error) }];
    const unread = { config: undefined, concerned: [], shadow: [], failures };
    return { kind: 'watched', ...arrived, project, selection, ...unread };
  }
}

/** The guards that an event concerns, as indexes in the config. `exists` looks for a state file. */
export function concernedGuards(
  { head: { guards } }: Pick<CompiledConfig, 'head'>,
  event: Pick<WatchedEvent, 'header' | 'raw' | 'project' | 'selection'> & { exists(file: string): boolean },
): Pick<WatchedEvent, 'concerned' | 'shadow'> {
  const { header, raw, project, selection, exists } = event;
  const commands = {
    isPlain: () => isPlainCall(raw, header, project),
    isReading: () => isReadingCall(raw),
  };
  const concerned: number[] = [];
  const inShadow: number[] = [];
  guards.forEach(({ name, interests, shadow = [] }, index) => {
    if (name !== OWN_FILES && !selection.guards.includes(name)) return;
    if (isConcerned(shadow, header, exists, commands)) inShadow.push(index);
    if (isConcerned(interests, header, exists, commands)) concerned.push(index);
  });
  return { concerned, shadow: inShadow };
}

/** A message store may be above the project, and has two possible names. */
function isMessageFile(file: string): boolean {
  return file === `.jwz/${MESSAGES}` || file === `.zawinski/${MESSAGES}`;
}

/** Looks for our files in our directory, for others in the git directory and from the cwd up to the root. */
function existsUpward(cwd: string, project: ProjectWithState, file: string): boolean {
  if (file.startsWith(OURS)) return existsSync(`${project.layout.own}/${file.slice(OURS.length)}`);
  if (existsSync(`${project.layout.git}/${file}`)) return true;
  const dirs = isAbsolute(cwd) ? upward(cwd, project.root) : [];
  return [...dirs, project.root].some((dir) => existsSync(`${dir}/${file}`));
}

/** Watched by a guard or by the core: start, activity and end of sessions, tool use after a held stop. */
function isWatched(watched: WatchedEvent, now: number): boolean {
  const { header, selection, config, concerned, failures } = watched;
  if (concerned.length > 0 || failures.length > 0 || selection.unknown.length > 0) return true;
  if (config?.news !== undefined) return true;
  const { kind, sessionId } = header;
  if (kind === 'session.start' && (config?.head.problems.length ?? 0) > 0) return true;
  if ((config?.head.guards.length ?? 0) === 0 || sessionId === '') return false;
  return (isArmed(watched) && isHeartbeat(watched, now)) || mayUpdateRecord(watched);
}

/** Sessions are registered only where something is configured. */
function isArmed({ config }: WatchedEvent): boolean {
  return config?.head.guards.some(({ byHand, silent }) => byHand !== true && silent !== true) ?? false;
}

function isHeartbeat({ header: { kind, sessionId }, project }: WatchedEvent, now: number): boolean {
  if (kind !== 'prompt.submit') return kind === 'session.start' || kind === 'session.end';
  const name = plainRecordName(sessionId);
  return name === undefined || isHeartbeatDue(project.layout, sessionId, now);
}

/** An unusual id would have to be hashed to tell, so such a session counts as having a record. */
function mayUpdateRecord({ header: { kind, sessionId }, project }: WatchedEvent): boolean {
  if (!kind.startsWith('tool.') && kind !== 'session.end' && kind !== 'turn.stop') return false;
  const name = plainRecordName(sessionId);
  return name === undefined || existsSync(`${project.layout.own}/${SESSION_RECORDS}/${name}.json`);
}

/*
 * Reasons to let an event pass unchecked that nobody has chosen. They are reported: a guard must not be off
 * silently.
 */

/** The config does not parse, or a call names no tool although a guard watches tools. */
function uncheckedReasons(
  header: EventHeader,
  config: CompiledConfig,
  selection: Selection,
  exists: (file: string) => boolean,
): Failure[] {
  if (!mayBeHeld(header)) return [];
  const { guards, unread } = config.head;
  const failures: Failure[] = [];
  if (unread.length > 0) failures.push({ code: 'config.unreadable', detail: unread.join(', ') });
  const { kind, toolNames, hostEvent } = header;
  if (kind !== 'tool.before' || toolNames.length > 0) return failures;
  const concernsTools = guards.some(({ name, interests }) => {
    const ofAnyTool = interests.map(({ tools: _, ...interest }) => interest);
    return selection.guards.includes(name) && isConcerned(ofAnyTool, header, exists);
  });
  if (concernsTools) failures.push({ code: 'input.no-tool', event: hostEvent });
  return failures;
}

/**
 * An event without an existing directory belongs to no project. That is no failure if the host names the
 * project (the cwd may be a removed work tree), in a Cursor without a folder, or when a turn ends in a
 * directory that is gone.
 */
function missingDirectory(header: EventHeader, { env, gauntletCompat }: Invocation): Failure | undefined {
  const { kind, host, cwd, hostEvent } = header;
  if (!mayBeHeld(header) || host === 'cursor' || gauntletCompat === true) return undefined;
  if (isAbsolute(env['CLAUDE_PROJECT_DIR'] ?? '')) return undefined;
  const isPlace = isAbsolute(cwd) && (kind === 'turn.stop' || existsSync(cwd));
  return isPlace ? undefined : { code: 'input.no-directory', event: hostEvent };
}

/** Parses the host's bytes. Anything but one JSON object is a failure, never a throw. */
export function readInput(text: string): Result<JsonObject> {
  const body = text.charCodeAt(0) === 0xfeff ? text.slice(1) : text;
  if (body.trim() === '') return fail({ code: 'input.empty' });
  const parsed = parseJson(body);
  if (!parsed.ok) return parsed;
  const raw = parsed.value;
  return isJsonObject(raw) ? succeed(raw) : fail({ code: 'input.not-object', found: kindOf(raw) });
}

function parseJson(text: string): Result<unknown> {
  try {
    return succeed(JSON.parse(text));
  } catch (error) {
    return fail({ code: 'input.not-json', detail: positionIn(detailOf(error)) });
  }
}

/** Node's message quotes the text itself, which may be a prompt; keep only the position. */
function positionIn(message: string): string {
  const position = /position \d+/.exec(message);
  if (position) return `at ${position[0]}`;
  return message.includes('end of JSON') ? 'it ends too early' : 'at its start';
}

function kindOf(value: unknown): string {
  if (value === null) return 'null';
  return Array.isArray(value) ? 'a list' : `a ${typeof value}`;
}
