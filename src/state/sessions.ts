import { readdirSync, statSync } from 'node:fs';
import { whoJson } from '../core/actor';
import { attempt } from '../core/failure';
import type { HostProcess, LiveSession } from '../core/guard';
import {
  countIn,
  flagIn,
  isJsonObject,
  type Json,
  type JsonObject,
  jsonIn,
  jsonObjectIn,
  nameIn,
  objectIn,
  textIn,
  withoutUndefined,
} from '../core/json';
import { isSameSessionName, keyAmong, LONGEST_ID, localTime, sessionKey, sessionKeys } from '../core/text';
import { type Change, type Document, type DocumentRef, type Layout, readDocument } from './documents';
import { readSmallBytes, readSmallFile } from './files';

/** The registry of live sessions in all projects, shared with other programs. */
export const REGISTRY: DocumentRef = {
  base: 'home',
  path: '.claude/sessions.json',
  format: 'json',
  durability: 'bookkeeping',
};

const REGISTRY_VERSION = '1.0';

/** How long an entry without a process counts as alive after its last activity. */
const LEASE_SECONDS = 24 * 60 * 60;
/** An entry is refreshed at most this often, since all projects share the registry. */
export const REFRESH_SECONDS = 60;

type ProcessState = (pid: number, start?: string) => 'alive' | 'dead';

/** A session to be registered. */
export interface Registration {
  readonly sessionId: string;
  readonly projectDir: string;
  readonly branch: string;
  readonly host: HostProcess;
  /** The process that writes the entry. */
  readonly pid: number;
  /** Milliseconds since the epoch. */
  readonly now: number;
  /** Set if the host reported the start of the session. */
  readonly began?: true;
}

/**
 * The sessions in the registry; malformed entries are skipped. There may be thousands, so `alive` is computed lazily.
 */
export function sessionsIn(registry: Json | undefined, now: number, stateOf: ProcessState): LiveSession[] {
  return Object.entries(entriesOf(registry)).flatMap(([id, entry]) => {
    if (!isJsonObject(entry)) return [];
    return [
      {
        id,
        sessionId: nameIn(entry, 'session_id') ?? id,
        projectDir: textIn(entry, 'project_dir') ?? '',
        branch: textIn(entry, 'branch') ?? '',
        startedAt: countIn(entry, 'started_at'),
        lastActive: countIn(entry, 'last_active'),
        began: entry['began'] === true,
        get alive() {
          return isAlive(entry, now, stateOf);
        },
      },
    ];
  });
}

/** The host processes of registered sessions that are still running. */
export function registeredClients(registry: Document, stateOf: ProcessState): HostProcess[] {
  return registry.kind === 'present' ? livingIn(entriesOf(registry.value), 'ppid', stateOf) : [];
}

const LARGEST_APPROVALS = 4 * 1024 * 1024;

/** The running clients that sessions are bound to in `approvals.json`; known even if somebody deletes the notes. */
export function boundClients({ own }: Pick<Layout, 'own'>, stateOf: ProcessState): HostProcess[] {
  const approvals = jsonObjectIn(readSmallFile(`${own}/approvals.json`, LARGEST_APPROVALS) ?? '');
  return livingIn(objectIn(approvals, 'clients'), 'pid', stateOf);
}

function livingIn(entries: JsonObject, key: 'pid' | 'ppid', stateOf: ProcessState): HostProcess[] {
  return Object.values(entries).flatMap((entry) => {
    const [pid, start] = [countIn(entry, key), nameIn(entry, 'start')];
    return pid > 0 && stateOf(pid, start) === 'alive' ? [{ pid, ...(start !== undefined && { start }) }] : [];
  });
}

/** Adds or refreshes a session. Writes nothing while its entry is recent and up to date. */
export function registerSession(registration: Registration): Change {
  const { sessionId, projectDir, branch, host, now } = registration;
  const seconds = Math.floor(now / 1000);
  /** The new entry; `known` itself if it is recent and up to date. */
  const entryFrom = (known: JsonObject): JsonObject => {
    const fresh = seconds - countIn(known, 'last_active') < REFRESH_SECONDS;
    const isSame = known['branch'] === branch && known['project_dir'] === projectDir;
    if (fresh && isSame && (registration.began === undefined || known['began'] === true)) return known;
    return {
      ...known,
      pid: registration.pid,
      ppid: host.pid,
      ...(host.start !== undefined && { start: host.start }),
      session_id: sessionId.slice(0, LONGEST_ID),
      project_dir: projectDir,
      branch,
      ...(registration.began && { began: true, began_in: textIn(known, 'began_in') ?? projectDir }),
      started_at: countIn(known, 'started_at') || seconds,
      last_active: seconds,
    };
  };
  return {
    document: REGISTRY,
    what: `registered session ${sessionKey(sessionId)}`,
    apply: (current) => {
      const entries = entriesOf(current);
      const key = keyIn(entries, sessionId);
      const known = objectIn(entries, key);
      const entry = entryFrom(known);
      if (entry === known) return current;
      return withEntries(REGISTRY_VERSION, current, { ...entries, [key]: entry });
    },
  };
}

const LARGEST_REGISTRY = 16 * 1024 * 1024;

/**
 * The project in which a session began, wherever it has moved since. Every event asks, and there may be thousands of
 * sessions, so only its own entry is decoded; the whole registry only if a brace in a name makes that fail.
 */
export function startProjectOf(home: string, sessionId: string): string | undefined {
  const id = sessionId.slice(0, LONGEST_ID);
  const bytes = id === '' ? undefined : readSmallBytes(`${home}/${REGISTRY.path}`, LARGEST_REGISTRY);
  const at = bytes?.indexOf(JSON.stringify(id)) ?? -1;
  if (bytes === undefined || at < 0) return undefined;
  const isOwn = (entry: Json | undefined): boolean => textIn(entry, 'session_id') === id;
  const near = jsonIn(bytes.subarray(bytes.lastIndexOf('{', at), bytes.indexOf('}', at) + 1).toString());
  const entry = isOwn(near) ? near : Object.values(entriesOf(jsonIn(bytes.toString()))).find(isOwn);
  return textIn(entry, 'began_in') ?? (flagIn(entry, 'began') ? textIn(entry, 'project_dir') : undefined);
}

/** Directory below our own with a note per client that a session began in, named by pid. The hook line reads it too. */
export const CLIENTS = 'clients';

/**
 * Notes the client in which a session begins: the home, the client's start time, the project. The note is valid while
 * that process lives, and until the client reports the end of the session.
 */
export function noteClient({
  host,
  home,
  projectDir,
}: Pick<Registration, 'host' | 'projectDir'> & Pick<Layout, 'home'>): Change {
  const text = `${[home, host.start ?? '', projectDir].join('\n')}\n`;
  return { document: clientRef(host.pid), what: 'noted the client', apply: () => text };
}

/** If the launch file is newer than this file, it was changed without us; see `sealLaunch`. */
export const SEAL_FILE = '.config/holdpoint/launch.seal';

/**
 * Accepts the launch file as it is when a session begins and nobody else works in the project. If it is newer than the
 * seal later on, somebody has changed it, and the hook lines of that session do not use it.
 */
export function sealLaunch({ home }: Layout, now: number): Change[] {
  const [launch = 0, seal = 0] = ['.config/holdpoint/launch', SEAL_FILE].map((file) =>
    attempt(() => statSync(`${home}/${file}`).mtimeMs),
  );
  if (seal >= launch) return [];
  return [
    {
      document: { base: 'home', path: SEAL_FILE, format: 'text', durability: 'bookkeeping' },
      what: 'sealed the launch file',
      apply: () => `${now}\n`,
    },
  ];
}

/** The clients with a note that are still running. */
export function notedClients(
  { own }: Pick<Layout, 'own'>,
  stateOf: ProcessState,
): (HostProcess & { projectDir: string })[] {
  return (attempt(() => readdirSync(`${own}/${CLIENTS}`)) ?? []).flatMap((name) => {
    const [, start = '', projectDir = ''] =
      readSmallFile(`${own}/${CLIENTS}/${name}`, LARGEST_NOTE)?.split('\n') ?? [];
    const pid = Number(name);
    if (stateOf(pid, start || undefined) === 'dead') return [];
    return [{ pid, ...(start !== '' && { start }), projectDir }];
  });
}

/** Whether a client whose session began in this project is still running. */
export function hasRunningClient(layout: Layout, root: string, stateOf: ProcessState): boolean {
  if (notedClients(layout, stateOf).some(({ projectDir }) => projectDir === root)) return true;
  const registry = readDocument(layout, REGISTRY);
  const value = registry.kind === 'present' ? registry.value : undefined;
  return sessionsIn(value, Date.now(), stateOf).some(
    ({ began, projectDir, alive }) => began && projectDir === root && alive,
  );
}

const LARGEST_NOTE = 8 * 1024;

/** Removes the notes of clients that have ended, a limited number at a time. */
export function dropDeadClients({ own }: Layout, stateOf: ProcessState): Change[] {
  const names = attempt(() => readdirSync(`${own}/${CLIENTS}`)) ?? [];
  const alive = names.length === 0 ? [] : notedClients({ own }, stateOf).map(({ pid }) => pid);
  return names
    .map(Number)
    .filter((pid) => !alive.includes(pid))
    .slice(0, MOST_LOOKUPS)
    .map(forgetClient);
}

export function forgetClient(pid: number): Change {
  return { document: clientRef(pid), what: 'a client has ended', apply: () => undefined };
}

function clientRef(pid: number): DocumentRef {
  return { base: 'own', path: `${CLIENTS}/${pid}`, format: 'text', durability: 'bookkeeping' };
}

export function unregisterSession(sessionId: string): Change {
  return removal(REGISTRY, REGISTRY_VERSION, sessionId, 'unregistered session');
}

/** The key of a session's entry, given that entries name their session. */
function keyIn(entries: JsonObject, sessionId: string): string {
  return keyAmong(sessionKeys(sessionId), sessionId, (key) => {
    const owner = nameIn(objectIn(entries, key), 'session_id');
    return owner === undefined ? [] : [owner];
  });
}

/** How many processes are looked up at a session's start; in a long registry, different ones each time. */
const MOST_LOOKUPS = 100;

/** Removes sessions whose host process is gone. */
export function dropDeadSessions(now: number, stateOf: ProcessState, most = MOST_LOOKUPS): Change {
  return {
    document: REGISTRY,
    what: 'dropped dead sessions',
    apply: (current) => {
      const entries = entriesOf(current);
      const keys = Object.keys(entries);
      const first = keys.length > most ? Math.floor(now / 1000) * most : 0;
      const dead = Array.from({ length: Math.min(most, keys.length) }, (_, at) => {
        const key = keys[(first + at) % keys.length] ?? '';
        const entry = entries[key];
        return isJsonObject(entry) && !isAlive(entry, now, stateOf) ? [key] : [];
      }).flat();
      if (dead.length === 0) return current;
      const gone = new Set(dead);
      const rest = Object.entries(entries).filter(([key]) => !gone.has(key));
      return withEntries(REGISTRY_VERSION, current, Object.fromEntries(rest));
    },
  };
}

function isAlive(entry: JsonObject, now: number, stateOf: ProcessState): boolean {
  const pid = countIn(entry, 'ppid');
  if (pid > 0) return stateOf(pid, nameIn(entry, 'start')) === 'alive';
  return now / 1000 - countIn(entry, 'last_active') < LEASE_SECONDS;
}

/**
 * When each session of the project last called us. Not part of a session's record, because the mere existence of a
 * record makes every tool event count something.
 */
export const HEARTBEATS: DocumentRef = {
  base: 'own',
  path: 'heartbeats.json',
  format: 'json',
  durability: 'bookkeeping',
};

const HEARTBEATS_VERSION = 1;

/** When a session last called us. Times are milliseconds since the epoch. */
export interface Heartbeat {
  readonly key: string;
  readonly sessionId: string;
  readonly host: string;
  readonly startedAt: number;
  readonly at: number;
  /** The end of the journal at that time; see `journalEnd`. */
  readonly journal?: string | undefined;
}

/** Prompts renew a heartbeat at most this often. */
const FRESH_MS = 5 * 60 * 1000;
/** A session that ended without telling us is forgotten after this time. */
const KEPT_MS = 7 * 24 * 60 * 60 * 1000;
const MAX_HEARTBEATS_BYTES = 1024 * 1024;

/** The heartbeats in the document; malformed entries are skipped. */
export function heartbeatsIn(value: Json | undefined): Heartbeat[] {
  return Object.entries(entriesOf(value)).flatMap(([key, entry]) => {
    if (!isJsonObject(entry) || typeof entry['at'] !== 'number') return [];
    const { session_id: id, started_at: startedAt, at } = entry;
    return [
      {
        key,
        sessionId: typeof id === 'string' ? id : key,
        host: textIn(entry, 'host') ?? '',
        startedAt: typeof startedAt === 'number' ? startedAt : at,
        at,
        journal: nameIn(entry, 'journal'),
      },
    ];
  });
}

/** Records that a session is alive, and drops sessions that have been silent for a week. */
export function heartbeat({ sessionId, host, at, journal }: Omit<Heartbeat, 'key' | 'startedAt'>): Change {
  return {
    document: HEARTBEATS,
    what: `heartbeat of session ${sessionKey(sessionId)}`,
    apply: (current) => {
      const entries = entriesOf(current);
      const key = keyIn(entries, sessionId);
      const known = isJsonObject(entries[key]) ? entries[key] : {};
      const kept = Object.entries(entries).filter(
        ([, entry]) => isJsonObject(entry) && at - Number(entry['at']) < KEPT_MS,
      );
      const entry = {
        ...known,
        session_id: sessionId.slice(0, LONGEST_ID),
        host,
        started_at: known['started_at'] ?? at,
        at,
        ...(journal !== undefined && { journal }),
      };
      return withEntries(HEARTBEATS_VERSION, current, { ...Object.fromEntries(kept), [key]: entry });
    },
  };
}

export function forgetHeartbeat(sessionId: string): Change {
  return removal(HEARTBEATS, HEARTBEATS_VERSION, sessionId, 'session has ended');
}

/** Whether a session's heartbeat is old enough to be renewed. */
export function isHeartbeatDue({ own }: Layout, sessionId: string, now: number): boolean {
  const text = readSmallFile(`${own}/${HEARTBEATS.path}`, MAX_HEARTBEATS_BYTES);
  const entries = entriesOf(jsonIn(text ?? ''));
  const entry = entries[keyIn(entries, sessionId)];
  return !isJsonObject(entry) || !(now - Number(entry['at']) < FRESH_MS);
}

function removal(document: DocumentRef, version: Json, sessionId: string, what: string): Change {
  return {
    document,
    what,
    apply: (current) => {
      const entries = entriesOf(current);
      const { [keyIn(entries, sessionId)]: gone, ...rest } = entries;
      return gone === undefined ? current : withEntries(version, current, rest);
    },
  };
}

function withEntries(version: Json, current: Json | undefined, sessions: JsonObject): JsonObject {
  return { version, ...(isJsonObject(current) ? current : {}), sessions };
}

/** Both documents keep their entries under `sessions`. */
function entriesOf(value: Json | undefined): JsonObject {
  return objectIn(value, 'sessions');
}

/* A session's files in `<git common dir>/requirements/sessions`: its counts, and a mark while paused. */

/** Heartbeats of loops, in our own directory; exists only while a loop is active or paused. */
export const LOOP_LIFE = 'loop-live.json';

/** What a session did: counts, times, branches. No decision depends on it. */
export function metricsFile(key: string): DocumentRef {
  return { base: 'git', path: `${SESSION_FILES}/${key}.json`, format: 'json', durability: 'bookkeeping' };
}

/** Exists while a person has paused Holdpoint in a session. */
export function pauseFile(key: string): DocumentRef {
  return { base: 'git', path: `${SESSION_FILES}/${key}.paused`, format: 'json', durability: 'durable' };
}

/** Relative to the git directory. */
export const SESSION_FILES = 'requirements/sessions';

/** The key in a session's counts that contains its whole id. */
export const FULL_ID = 'full_session_id';

type LookUp = (ref: DocumentRef) => Document;

/** The key of a session's files; longer than usual if another session has the usual one. */
export function sessionFileKey(sessionId: string, lookUp: LookUp): string {
  const isFree = (key: string): boolean => {
    const document = lookUp(metricsFile(key));
    const owner = nameIn(document.kind === 'present' ? document.value : undefined, FULL_ID);
    return owner === undefined || isSameSessionName(sessionId, owner);
  };
  const keys = sessionKeys(sessionId);
  return keys.find(isFree) ?? keys.at(-1) ?? '';
}

/** A pause of one session; what its file lacks is absent. Times are milliseconds since the epoch. */
export interface Pause {
  readonly at?: number;
  /** Without it the pause lasts until a person resumes or the session ends. */
  readonly until?: number;
  readonly by?: string;
  readonly reason?: string;
  /** Who paused it and how, if recorded. */
  readonly who?: JsonObject;
}

/** The session's pause, unless it has expired. */
export function pauseOf(sessionId: string, lookUp: LookUp, now: number): Pause | undefined {
  if (sessionKey(sessionId) === undefined) return undefined;
  const document = lookUp(pauseFile(sessionFileKey(sessionId, lookUp)));
  return document.kind === 'present' ? pauseIn(document.value, now) : undefined;
}

/** Any JSON is a pause: older programs write less than we do. */
function pauseIn(value: Json, now: number): Pause | undefined {
  const mark = isJsonObject(value) ? value : {};
  const { paused_at: at, until, actor, channel } = mark;
  const end = timeOf(until);
  if (end !== undefined && end <= now) return undefined;
  return withoutUndefined({
    at: timeOf(at),
    until: end,
    by: nameIn(mark, 'by'),
    reason: nameIn(mark, 'reason'),
    who: actor === undefined ? undefined : { actor, channel: channel ?? null },
  });
}

function timeOf(text: Json | undefined): number | undefined {
  const time = typeof text === 'string' ? Date.parse(text) : Number.NaN;
  return Number.isNaN(time) ? undefined : time;
}

/** By whom and until when, to follow "paused"; empty if the file does not say. */
export function pauseText({ by, until }: Pause, now = Date.now()): string {
  return `${by === undefined ? '' : ` by ${by}`}${until === undefined ? '' : ` until ${localTime(until, now, 'minutes')}`}`;
}

/** For JSON output. */
export function pauseJson({ at, until, by, reason, who }: Pause): JsonObject {
  const iso = (ms: number | undefined): string | null =>
    ms === undefined ? null : new Date(ms).toISOString();
  return {
    paused_at: iso(at),
    until: iso(until),
    by: by ?? null,
    reason: reason ?? null,
    ...whoJson(who),
  };
}

export function endPause(sessionId: string, lookUp: LookUp): Change {
  const document = pauseFile(sessionFileKey(sessionId, lookUp));
  return { document, what: 'pause over', apply: () => undefined };
}
