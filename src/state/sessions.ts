import type { Change, DocumentRef } from '../core/document';
import type { Json, JsonObject } from '../core/json';
import { isJsonObject } from '../core/json';
import type { HostProcess, LiveSession } from '../core/snapshot';

/** The registry of live sessions of all projects, shared with whoever else reads that file. */
export const REGISTRY: DocumentRef = {
  base: 'home',
  path: '.claude/sessions.json',
  format: 'json',
  keeping: 'bookkeeping',
};

/** An entry without a process to look at counts as alive for this long after its last sign. */
const LEASE_SECONDS = 24 * 60 * 60;
/** An entry is refreshed at most this often: the registry is shared by all projects. */
export const REFRESH_SECONDS = 60;

/** The file is everybody's: nobody may fill it. */
const LONGEST_ID = 128;

type ProcessState = (pid: number, start?: string) => 'alive' | 'dead';

export interface Registration {
  readonly key: string;
  readonly sessionId: string;
  readonly projectDir: string;
  readonly branch: string;
  readonly host: HostProcess;
  /** The process that writes the entry. */
  readonly pid: number;
  /** Milliseconds since the epoch. */
  readonly now: number;
}

/**
 * The sessions in the registry; whatever is not an entry is passed over. Whether one is alive is looked up when
 * somebody asks: there may be thousands, and most calls ask of none.
 */
export function sessionsIn(registry: Json | undefined, now: number, stateOf: ProcessState): LiveSession[] {
  return Object.entries(entriesOf(registry)).flatMap(([id, entry]) => {
    if (!isJsonObject(entry)) return [];
    return [
      {
        id,
        projectDir: textOf(entry['project_dir']),
        branch: textOf(entry['branch']),
        startedAt: numberOf(entry['started_at']),
        lastActive: numberOf(entry['last_active']),
        get alive() {
          return isAlive(entry, now, stateOf);
        },
      },
    ];
  });
}

/** Adds or refreshes a session. Nothing is written while its entry is fresh and says the same. */
export function registerSession(registration: Registration): Change {
  const { key, projectDir, branch, host, now } = registration;
  const seconds = Math.floor(now / 1000);
  return {
    document: REGISTRY,
    what: `registered session ${key}`,
    apply: (current) => {
      const entries = entriesOf(current);
      const known = isJsonObject(entries[key]) ? entries[key] : {};
      const fresh = seconds - numberOf(known['last_active']) < REFRESH_SECONDS;
      if (fresh && known['branch'] === branch && known['project_dir'] === projectDir) return current;
      const entry: JsonObject = {
        ...known,
        pid: registration.pid,
        ppid: host.pid,
        ...(host.start !== undefined && { start: host.start }),
        session_id: registration.sessionId.slice(0, LONGEST_ID),
        project_dir: projectDir,
        branch,
        started_at: numberOf(known['started_at']) || seconds,
        last_active: seconds,
      };
      return withEntries(current, { ...entries, [key]: entry });
    },
  };
}

export function unregisterSession(key: string): Change {
  return {
    document: REGISTRY,
    what: `unregistered session ${key}`,
    apply: (current) => {
      const { [key]: gone, ...rest } = entriesOf(current);
      return gone === undefined ? current : withEntries(current, rest);
    },
  };
}

/** Drops the sessions whose host has ended without saying so. */
export function dropDeadSessions(now: number, stateOf: ProcessState): Change {
  return {
    document: REGISTRY,
    what: 'dropped dead sessions',
    apply: (current) => {
      const entries = entriesOf(current);
      const alive = Object.entries(entries).filter(
        ([, entry]) => !isJsonObject(entry) || isAlive(entry, now, stateOf),
      );
      if (alive.length === Object.keys(entries).length) return current;
      return withEntries(current, Object.fromEntries(alive));
    },
  };
}

function isAlive(entry: JsonObject, now: number, stateOf: ProcessState): boolean {
  const pid = numberOf(entry['ppid']);
  if (pid > 0) return stateOf(pid, textOf(entry['start']) || undefined) === 'alive';
  return now / 1000 - numberOf(entry['last_active']) < LEASE_SECONDS;
}

function entriesOf(registry: Json | undefined): JsonObject {
  if (!isJsonObject(registry)) return {};
  return isJsonObject(registry['sessions']) ? registry['sessions'] : {};
}

function withEntries(registry: Json | undefined, sessions: JsonObject): JsonObject {
  return { version: '1.0', ...(isJsonObject(registry) ? registry : {}), sessions };
}

function textOf(value: Json | undefined): string {
  return typeof value === 'string' ? value : '';
}

function numberOf(value: Json | undefined): number {
  return typeof value === 'number' ? value : 0;
}
