import { existsSync, readdirSync, statSync } from 'node:fs';
import { basename, join } from 'node:path';
import { textAt, valueAt } from '../../config/pointer';
import { attempt, readText } from '../../core/failure';
import type { LiveSession } from '../../core/guard';
import { HOST_VARIABLES } from '../../core/host-name';
import type { JsonObject } from '../../core/json';
import { isSameSessionName, plainId, sessionKey } from '../../core/text';
import { ancestry } from '../../exec/ancestry';
import { processState } from '../../exec/processes';
import { presentValue } from '../../guards/requirements/view';
import { SETUPS } from '../../hosts/setup-table';
import { type Document, type DocumentRef, type Layout, readDocument } from '../../state/documents';
import {
  dropDeadSessions,
  FULL_ID,
  HEARTBEATS,
  heartbeatsIn,
  metricsFile,
  REGISTRY,
  sessionFileKey,
  sessionsIn,
} from '../../state/sessions';
import { updateDocuments } from '../../state/update';
import { type Context, cannotRun, type ExitCode, Refusal, report } from '../context';
import { openProject, requireProject } from '../project';
import { ago, printable, printError, styled, table } from '../ui/output';
import { choose } from '../ui/prompts';
import { LOCK_WAIT_MS, type Place, type ReqOptions } from './context';

/** A registered session with the PID of its host; 0 if unknown. */
export type RegisteredSession = LiveSession & { readonly hostPid: number };

/** The sessions of all projects. `kind` decides the message when a session is not found. */
export type Registry = { readonly sessions: readonly RegisteredSession[] } & (
  | { readonly kind: 'read' | 'missing' }
  | Extract<Document, { kind: 'unreadable' }>
);

export function readRegistry(layout: Layout, nowMs: number): Registry {
  const document = readDocument(layout, REGISTRY);
  if (document.kind === 'unreadable') return { ...document, sessions: [] };
  if (document.kind === 'missing') return { kind: 'missing', sessions: [] };
  const sessions = sessionsIn(document.value, nowMs, processState).map((one) => {
    const pid = valueAt(document.value, ['sessions', one.id, 'ppid']);
    return { ...one, hostPid: typeof pid === 'number' ? pid : 0 };
  });
  return { kind: 'read', sessions };
}

export function liveSessions(layout: Layout): RegisteredSession[] {
  return readRegistry(layout, Date.now()).sessions.filter(({ alive }) => alive);
}

/** A layout for reading the registry without a project: only `home` matters. */
export function layoutOfHome(home: string): Layout {
  return { root: home, git: home, own: home, home };
}

/**
 * The project of a session, for a command whose own directory has no config: a held agent reads commands with
 * `--session`, and its shell may be anywhere.
 */
export function sessionDirectory(session: string, context: Context): string | undefined {
  if (openProject(context)?.configured) return undefined;
  const { sessions } = readRegistry(layoutOfHome(context.env['HOME'] ?? '/'), Date.now());
  const known = sessions.filter(
    ({ id, sessionId }) => id === session || isSameSessionName(session, sessionId),
  );
  const [latest] = known.sort((a, b) => b.lastActive - a.lastActive);
  return latest && existsSync(latest.projectDir) ? latest.projectDir : undefined;
}

/** Times are seconds since the epoch. */
export function sessionJson(session: RegisteredSession): JsonObject {
  const { id, projectDir, branch, hostPid: pid, startedAt, lastActive, alive } = session;
  return { id, project_dir: projectDir, branch, pid, started_at: startedAt, last_active: lastActive, alive };
}

/** A session and how it was found: a guess must be shown as one. */
export interface KnownSession {
  readonly kind: 'found';
  readonly how: 'explicit' | 'detected';
  readonly key: string;
  /** The id as given, possibly longer than the key. */
  readonly id: string;
  readonly rule: string;
  /** The host's display name, if known. */
  readonly host?: string;
}

export interface UnknownSession {
  readonly kind: 'none';
  readonly live: readonly RegisteredSession[];
  readonly registry: Registry['kind'];
}

export type FoundSession = KnownSession | UnknownSession;

/**
 * Finds the session: the given one; else the one this shell belongs to, by an environment variable, by the host's own
 * note or by the registry; else the only live one of the project.
 */
export function findSession(given: string | undefined, project: Place & Pick<Context, 'env'>): FoundSession {
  const { layout, env } = project;
  if (given !== undefined && sessionKey(given) !== undefined) return namedSession(given, project);
  const ancestors = ancestry(process.ppid).map(({ pid }) => pid);
  const registry = readRegistry(layout, Date.now());
  const live = registry.sessions.filter((session) => session.alive);
  const named = byVariable(env, project);
  const above = byHostProcess(live, ancestors, project);
  if (named !== undefined && !(above && isForeign(named, above, live, ancestors, layout))) return named;
  const noted = named === undefined ? byHostNote(project, ancestors) : undefined;
  if (noted !== undefined) return noted;
  const here = live.filter(({ projectDir }) => projectDir === project.root);
  const detected = above ?? onlyOne(here, 'the only live session of this project', project);
  if (detected === undefined) return { kind: 'none', live, registry: registry.kind };
  // The registry does not name the host, but the variables in an agent's shell do. The last match wins because Claude
  // Code is first in the list: a host started from its shell has its own variables next to Claude Code's.
  const host = SETUPS.findLast(({ name }) => HOST_VARIABLES[name].agent.some((one) => env[one]))?.title;
  return host === undefined ? detected : { ...detected, host };
}

export function namedSession(given: string, place: Place): KnownSession {
  return found('explicit', '--session', given, place);
}

/** The session that an option names; refuses one that was never seen. */
export function givenSession(given: string | undefined, place: Place, words: string) {
  const session = given === undefined ? undefined : namedSession(given, place);
  if (session !== undefined) refuseUnknownSession(session, place, words);
  return session;
}

/** Like `findSession`, but asks a person at a terminal if several sessions are possible. */
export async function findOrAskSession(...args: Parameters<typeof findSession>): Promise<FoundSession> {
  const session = findSession(...args);
  const [, place] = args;
  if (session.kind === 'found' || session.live.length === 0) return session;
  const choices = session.live.map(({ id, sessionId, branch, projectDir }) => {
    return { value: sessionId, label: printable(`${id} ${branch}`), hint: printable(projectDir) };
  });
  const chosen = await choose('Which session?', choices);
  return chosen === undefined ? session : found('explicit', 'chosen', chosen, place);
}

/** Like `findOrAskSession`, but refuses if there is no session. */
export async function requireSession(
  given: string | undefined,
  call: Place & Context,
): Promise<KnownSession> {
  const session = await findOrAskSession(given, call);
  if (session.kind === 'none') throw new Refusal(noSession(session, call.root));
  return session;
}

/** The sessions known in a project, latest first: from the registry, from hook calls and from metrics files. */
export function knownSessions({ layout, root }: Place) {
  const registered = readRegistry(layout, Date.now()).sessions.filter(
    ({ projectDir }) => projectDir === root,
  );
  const known = registered.map(({ id, sessionId, branch, lastActive }) => {
    return { id, sessionId, branch, seenAt: lastActive * 1000 };
  });
  const beats = readHeartbeats(layout).map(({ sessionId, at }) => {
    return { id: sessionKey(sessionId) ?? sessionId, sessionId, branch: '', seenAt: at };
  });
  const counted = countedSessions(layout).map(({ key: id, id: sessionId = id, file }) => {
    return { id, sessionId, branch: '', seenAt: statSync(file).mtimeMs };
  });
  const all = [...known, ...beats, ...counted];
  return all
    .filter((one, at) => all.findIndex(({ sessionId }) => isSameSessionName(one.sessionId, sessionId)) === at)
    .sort((a, b) => b.seenAt - a.seenAt);
}

/** The sessions with a metrics file in this project: their keys, and their full ids if known. */
function countedSessions(layout: Layout, isMeant = (_key: string): boolean => true) {
  const directory = join(layout.git, 'requirements', 'sessions');
  const files = (attempt(() => readdirSync(directory)) ?? []).filter((name) => name.endsWith('.json'));
  const keys = files.map((name) => basename(name, '.json')).filter(isMeant);
  return keys.map((key) => {
    const id = textAt(presentValue(readDocument(layout, metricsFile(key))), FULL_ID);
    return { key, id, file: join(directory, `${key}.json`) };
  });
}

/**
 * Refuses a given session that was never seen, most likely a typo. If no session is known at all, it may be one that
 * is about to start.
 */
export function refuseUnknownSession(session: FoundSession, place: Place, words: string): void {
  if (session.kind === 'none' || session.rule !== '--session' || isSeen(session.id, place)) return;
  if (knownSessions(place).length > 0)
    throw new Refusal(`${words}: unknown session '${session.id}'.\n${sessionList(place)}`);
}

export function sessionList(place: Place): string {
  const known = knownSessions(place);
  if (known.length === 0)
    return 'No session is known in this project; a held agent reads its id in the message.';
  const now = Date.now();
  const rows = known.map(({ id, branch, seenAt }) => [`  ${id}`, branch, ago((now - seenAt) / 1000)]);
  return ['Known sessions:', ...table(rows)].join('\n');
}

/** Whether a session is known, even if only from state that a command wrote for it. */
function isSeen(id: string, place: Place): boolean {
  if (knownSessions(place).some(({ sessionId }) => isSameSessionName(sessionId, id))) return true;
  const { git, own, root, messages } = place.layout;
  const files = [join(git, 'requirements'), own, ...(messages ? [messages] : [])].flatMap((directory) =>
    (attempt(() => readdirSync(directory)) ?? [])
      .filter((name) => /\.jsonl?$/.test(name) && name !== 'journal.jsonl')
      .map((name) => join(directory, name)),
  );
  const texts = [...files, join(root, '.claude/idle-loop.local.md')].map((file) => readText(file) ?? '');
  // Message stores keep JSON as a string inside JSON, so quotes may be escaped.
  const forms = [id, sessionKey(id)].flatMap((name) => [`"${name}"`, `"${name}\\"`, `: ${name}\n`]);
  return texts.some((text) => forms.some((form) => text.includes(form)));
}

export function checkSessionOption(verb: string, given: string | undefined, program = 'req'): void {
  if (given !== undefined && sessionKey(given) === undefined)
    throw cannotRun(`${program} ${verb}: --session needs the id of a session.`);
}

/** Why no session was found, and how to give one. */
export function noSession({ live, registry }: UnknownSession, root: string): string {
  if (live.length === 0) {
    const what = registry === 'missing' ? 'session found' : 'sessions in registry';
    return `No active Claude Code ${what}!\nGive the session yourself with --session ID (a held agent reads its id in the message).`;
  }
  return [
    'No Claude Code session found for this shell!',
    `PPID: ${process.ppid}`,
    `Project: ${root}`,
    'Live sessions:',
    ...live.map((one) => `  ${one.id} - ${one.projectDir} (${one.branch})`),
    'Choose one with --session ID.',
  ].join('\n');
}

/** A note that the given session has not started yet. */
export function notStartedNote(session: KnownSession, place: Place): string[] {
  if (session.rule !== '--session' || isSeen(session.id, place)) return [];
  const live = liveSessions(place.layout).map(({ id }) => id);
  const others = live.length === 0 ? '' : ` (live: ${live.join(', ')})`;
  return [`No session ${session.key} has been seen here yet${others}. This counts once it starts.`];
}

/** Names the session and, if it was detected, how. Scripts look for this line. */
export function sessionLine({ how, key, rule, host = 'Claude Code' }: KnownSession): string {
  if (how === 'explicit') return `Using explicit session: ${key}`;
  return `Auto-detected ${host === 'Claude Code' ? 'Claude' : host} session: ${key} (${rule})`;
}

function found(how: KnownSession['how'], rule: string, given: string, place: Place): KnownSession {
  const { layout } = place;
  const id = fullSessionId(given, place);
  const key = sessionFileKey(id, (ref) => readDocument(layout, ref));
  return { kind: 'found', how, key, id, rule };
}

/**
 * The full id of a session given by its id, its key or the beginning of its id, if only one begins so; others are
 * returned as given. Sessions with files in this project are preferred to those of the registry.
 */
function fullSessionId(given: string, { layout, root }: Place): string {
  const asked = plainId(given);
  const usual = sessionKey(given) ?? '';
  const isAlike = (key: string): boolean => key.startsWith(usual) || key.startsWith(asked);
  const counted = countedSessions(layout, isAlike).flatMap(({ key, id }) =>
    id === undefined ? [] : [{ key, id }],
  );
  const { sessions } = readRegistry(layout, Date.now());
  const isHere = (one: RegisteredSession): boolean => one.projectDir === root;
  const registered = [...sessions.filter(isHere), ...sessions.filter((one) => !isHere(one))];
  const known = [...counted, ...registered.map((one) => ({ key: one.id, id: one.sessionId }))];
  const exact = known.find(({ id }) => plainId(id) === asked) ?? known.find(({ key }) => key === asked);
  const [alike, ...others] = new Set(known.map(({ id }) => id).filter((id) => plainId(id).startsWith(asked)));
  return exact?.id ?? (others.length === 0 ? alike : undefined) ?? given;
}

/**
 * Whether a variable names another session than the one above: it was inherited from an outer host whose shell
 * started this host, or it names a subagent (Copilot CLI gives each an id that no hook ever sees).
 */
function isForeign(
  named: KnownSession,
  above: KnownSession,
  live: readonly RegisteredSession[],
  ancestors: readonly number[],
  layout: Layout,
): boolean {
  const entryOf = ({ id }: KnownSession) => live.find(({ sessionId }) => isSameSessionName(id, sessionId));
  const pidOf = (one: KnownSession): number => entryOf(one)?.hostPid ?? -1;
  if (ancestors.indexOf(pidOf(above)) < ancestors.indexOf(pidOf(named))) return true;
  if (entryOf(named) !== undefined) return false;
  const host = readHeartbeats(layout).find(({ sessionId }) => isSameSessionName(above.id, sessionId))?.host;
  return SETUPS.some(({ name, title }) => name === host && title === named.host);
}

/** The title of the host that a session runs in, as far as it is known. */
export function hostOf({ id, host }: KnownSession, { layout }: Pick<Place, 'layout'>): string | undefined {
  const noted = readHeartbeats(layout).find(({ sessionId }) => isSameSessionName(id, sessionId))?.host;
  return host ?? SETUPS.find(({ name }) => name === noted)?.title;
}

export function readHeartbeats(layout: Layout): ReturnType<typeof heartbeatsIn> {
  return heartbeatsIn(presentValue(readDocument(layout, HEARTBEATS)));
}

/** Hosts put the session's id into variables of the agent's shell. */
function byVariable(env: Context['env'], place: Place): KnownSession | undefined {
  const [first] = SETUPS.flatMap(({ name: host, title }) =>
    HOST_VARIABLES[host].session.flatMap((name) => {
      const id = env[name] ?? '';
      return sessionKey(id) === undefined ? [] : [{ id, name, title }];
    }),
  );
  return first && { ...found('detected', `from ${first.name}`, first.id, place), host: first.title };
}

/** Claude Code keeps a file with the session of each of its processes; we only read it. */
function byHostNote(place: Place, ancestors: readonly number[]): KnownSession | undefined {
  for (const pid of ancestors) {
    const path = `.claude/sessions/${pid}.json`;
    const ref: DocumentRef = { base: 'home', path, format: 'json', durability: 'bookkeeping' };
    const note = presentValue(readDocument(place.layout, ref));
    const id = textAt(note, 'sessionId') ?? '';
    const isOwn = (valueAt(note, ['pid']) ?? pid) === pid && sessionKey(id) !== undefined;
    if (isOwn) return found('detected', `Claude Code is parent process ${pid}`, id, place);
  }
  return undefined;
}

/** One host process may run several sessions: then exactly one must be in this project, or the result is unknown. */
function byHostProcess(live: readonly RegisteredSession[], ancestors: readonly number[], place: Place) {
  const pid = ancestors.find((ancestor) => live.some(({ hostPid }) => hostPid === ancestor));
  const hosted = live.filter(({ hostPid }) => hostPid === pid);
  return onlyOne(
    hosted.length > 1 ? hosted.filter(({ projectDir }) => projectDir === place.root) : hosted,
    `its host is parent process ${pid}`,
    place,
  );
}

function onlyOne([only, ...more]: readonly RegisteredSession[], rule: string, place: Place) {
  return only === undefined || more.length > 0 ? undefined : found('detected', rule, only.sessionId, place);
}

/** `req sessions`: lists the live sessions and, without `--all`, drops the dead ones from the registry. */
export function sessions(context: Context, values: ReqOptions): ExitCode {
  const project = values.project ? requireProject(context, 1) : openProject(context);
  const now = Date.now();
  const layout = project?.layout ?? layoutOfHome(context.env['HOME'] ?? '/');
  const registry = readRegistry(layout, now);
  if (registry.kind === 'unreadable')
    printError(`${registry.file} ${registry.why}; no session in it counts.`);
  if (!values.all && registry.sessions.some((one) => !one.alive))
    updateDocuments(layout, [dropDeadSessions(now, processState, Number.MAX_SAFE_INTEGER)], LOCK_WAIT_MS);
  const sessions = registry.sessions
    .filter((one) => values.all || one.alive)
    .filter((one) => !values.project || one.projectDir === project?.root);
  const active = sessions.filter((one) => one.alive).length;
  const lines = sessions.flatMap(({ id, projectDir, branch, hostPid, alive, lastActive }) => [
    `  ${styled('cyan', id)} - ${styled('bold', projectDir)}`,
    `    ${styled('dim', `${branch} [PID ${hostPid}, ${alive ? ago(now / 1000 - lastActive) : 'ended'}]`)}`,
  ]);
  const title = styled('bold', `Active Claude Code Sessions (${active})`);
  const shown = lines.length === 0 ? ['No active Claude Code sessions found.'] : [title, ...lines];
  return report(context, { sessions: sessions.map(sessionJson) }, shown);
}
