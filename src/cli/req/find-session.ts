import type { DocumentRef } from '../../core/document';
import { HOST_VARIABLES } from '../../core/host-variables';
import { isJsonObject } from '../../core/json';
import { sessionKey } from '../../core/session-key';
import { ancestorsFrom } from '../../exec/host-process';
import { SETUPS } from '../../hosts/setup-table';
import { readDocument } from '../../state/documents';
import { HEARTBEATS, heartbeatsIn } from '../../state/heartbeats';
import type { Layout } from '../../state/layout';
import { printable } from '../ui/output';
import { choose } from '../ui/prompts';
import { type RegisteredSession, type Registry, readRegistry } from './registry';

/** The variables in which the hosts tell an agent's shell its session. */
const SESSION_VARIABLES = SETUPS.flatMap(({ name: host, title }) =>
  HOST_VARIABLES[host].session.map((name) => ({ title, name })),
);

/** A session that was found, and the rule by which: what was guessed must be told. */
export interface KnownSession {
  readonly kind: 'found';
  readonly how: 'explicit' | 'detected';
  readonly key: string;
  /** The id as it was told, which may be longer than the key. */
  readonly id: string;
  readonly rule: string;
  /** What people call the host, where it is known which it is. */
  readonly host?: string;
}

export interface UnknownSession {
  readonly kind: 'none';
  readonly live: readonly RegisteredSession[];
  readonly registry: Registry['kind'];
}

export type FoundSession = KnownSession | UnknownSession;

interface Place {
  readonly root: string;
  readonly layout: Layout;
}

type Environment = Readonly<Record<string, string | undefined>>;

/**
 * The session that is meant: the one given, the one whose shell this is by a variable, by the host's
 * own note or by the registry, or the only live one of the project.
 */
export function findSession(given: string | undefined, project: Place, env: Environment): FoundSession {
  const explicit = sessionKey(given ?? '');
  if (explicit !== undefined) return found('explicit', explicit, '--session', given);
  const ancestors = ancestorsFrom(process.ppid);
  const registry = readRegistry(project.layout, Date.now());
  const live = registry.sessions.filter((session) => session.alive);
  const named = byVariable(env);
  const above = byHostProcess(live, ancestors, project.root);
  const isForeign =
    named !== undefined &&
    (isInherited(named, above, live, ancestors) || isOfSubagent(named, above, live, project.layout));
  if (named !== undefined && !isForeign) return named;
  return (
    (named === undefined && byHostNote(project.layout, ancestors)) ||
    (hosted(above ?? onlyOneHere(live, project.root), env) ?? { kind: 'none', live, registry: registry.kind })
  );
}

/** Whether a variable comes from a host further up, in whose shell another host was started. */
function isInherited(
  named: KnownSession,
  above: KnownSession | undefined,
  live: readonly RegisteredSession[],
  ancestors: readonly number[],
): boolean {
  const place = ({ key }: KnownSession): number =>
    ancestors.indexOf(live.find(({ id }) => id === key)?.hostPid ?? -1);
  return above !== undefined && place(above) < place(named);
}

/**
 * Whether a variable names a subagent of the session above: Copilot CLI gives the shell of each an id of its own, of
 * which no hook ever hears.
 */
function isOfSubagent(
  named: KnownSession,
  above: KnownSession | undefined,
  live: readonly RegisteredSession[],
  layout: Layout,
): boolean {
  if (above === undefined || live.some(({ id }) => id === named.key)) return false;
  const document = readDocument(layout, HEARTBEATS);
  const beats = heartbeatsIn(document.kind === 'present' ? document.value : undefined);
  const host = beats.find(({ key }) => key === above.key)?.host;
  return SETUPS.some(({ name, title }) => name === host && title === named.host);
}

/** The registry does not tell whose a session is; the shell of an agent does. */
function hosted(session: KnownSession | undefined, env: Environment): KnownSession | undefined {
  // The one that was started last has put its marks beside those of the others, so Claude Code's come last.
  const host = SETUPS.findLast(({ name }) => HOST_VARIABLES[name].agent.some((one) => env[one]))?.title;
  return session && host !== undefined ? { ...session, host } : session;
}

/** Whether an id was given that names nobody. */
export function isEmptyId(given: string | undefined): boolean {
  return given !== undefined && sessionKey(given) === undefined;
}

/** Like `findSession`; where several sessions could be meant, a person at a terminal is asked. */
export async function findOrAskSession(
  given: string | undefined,
  project: Place,
  env: Environment,
): Promise<FoundSession> {
  const session = findSession(given, project, env);
  if (session.kind === 'found' || session.live.length === 0) return session;
  const choices = session.live.map(({ id, branch, projectDir }) => {
    return { value: id, label: printable(`${id} ${branch}`), hint: printable(projectDir) };
  });
  const chosen = await choose('Which session?', choices);
  return chosen.kind === 'chosen' ? found('explicit', chosen.value, 'chosen') : session;
}

function found(how: KnownSession['how'], key: string, rule: string, id = key): KnownSession {
  return { kind: 'found', how, key, id, rule };
}

function byVariable(env: Environment): KnownSession | undefined {
  for (const { title, name } of SESSION_VARIABLES) {
    const key = sessionKey(env[name] ?? '');
    if (key !== undefined) return { ...found('detected', key, `from ${name}`, env[name]), host: title };
  }
  return undefined;
}

/** Claude Code notes the session of each of its processes in a file of its own, which is only read here. */
function byHostNote(layout: Layout, ancestors: readonly number[]): KnownSession | undefined {
  for (const pid of ancestors) {
    const document = readDocument(layout, hostNote(pid));
    const note = document.kind === 'present' && isJsonObject(document.value) ? document.value : {};
    const id = note['sessionId'];
    if ((note['pid'] ?? pid) !== pid || typeof id !== 'string') continue;
    const key = sessionKey(id);
    if (key !== undefined) return found('detected', key, `Claude Code is process ${pid} above this one`, id);
  }
  return undefined;
}

function hostNote(pid: number): DocumentRef {
  return { base: 'home', path: `.claude/sessions/${pid}.json`, format: 'json', keeping: 'bookkeeping' };
}

/** One host may run several sessions: then only one of this project may be meant, or nobody can tell. */
function byHostProcess(
  live: readonly RegisteredSession[],
  ancestors: readonly number[],
  root: string,
): KnownSession | undefined {
  for (const pid of ancestors) {
    const his = live.filter(({ hostPid }) => hostPid === pid);
    if (his.length === 0) continue;
    const here = his.length > 1 ? his.filter(({ projectDir }) => projectDir === root) : his;
    const [only] = here;
    if (only === undefined || here.length > 1) return undefined;
    return found('detected', only.id, `its host is process ${pid} above this one`);
  }
  return undefined;
}

function onlyOneHere(live: readonly RegisteredSession[], root: string): KnownSession | undefined {
  const here = live.filter(({ projectDir }) => projectDir === root);
  const [only] = here;
  if (only === undefined || here.length > 1) return undefined;
  return found('detected', only.id, 'the only live session of this project');
}
