import { existsSync } from 'node:fs';
import { dirname, isAbsolute, join } from 'node:path';
import { claudeCodeGlance } from '../hosts/claude-code/glance';
import { senderOf } from '../hosts/sender';
import type { Layout } from '../state/layout';
import { isHeartbeatDue } from '../state/sessions';
import type { CompiledConfig } from './config-cache';
import { detailOf, type Failure, type Result } from './failure';
import type { Glance } from './glance';
import type { GuardName } from './guard-name';
import type { HostName } from './host-name';
import { isConcerned } from './interest';
import type { JsonObject } from './json';
import { findMessageStore, MESSAGES } from './message-store';
import type { Project } from './project';
import { readInput } from './read-input';
import { configFor, projectFor } from './recalled';
import { seedGround } from './seed-ground';
import { type Selection, selectGuards } from './selection';
import { plainRecordName, SESSION_RECORDS } from './session-file';
import { KEY_LENGTH } from './session-key';
import type { Surroundings } from './surroundings';
import { borrowedGround, hasMessages, hasTraces } from './traces';
import { uncheckedBy, withoutPlace } from './unchecked';

/** How our own directory is called in the git directory; without git it has another name. */
const OURS = 'holdpoint/';

/** A project that has a place for state. */
export type Ground = Project & { readonly layout: Layout };

/** What a first look at the input shows. Most events end here, so this is all that the hook's first file holds. */
export type FirstLook =
  /** No guard watches this event, or its host calls us for it by a line of its own. */
  | { readonly kind: 'unwatched'; readonly answeredFor?: HostName }
  /** The input is no event at all, or one from nowhere. */
  | { readonly kind: 'no-event'; readonly failure: Failure; readonly project: Project | undefined }
  /** A session begins in a project that nothing is configured for. */
  | ({ readonly kind: 'unconfigured' } & Beginning)
  /** A session begins in a project in whose config nothing is to be held. */
  | ({ readonly kind: 'unarmed' } & Beginning)
  /** A session begins where there is config, but neither git nor a directory of ours to keep state in. */
  | { readonly kind: 'homeless'; readonly glance: Glance; readonly raw: JsonObject }
  /** The host's settings have changed, and we are noted as standing in some of them. */
  | ({ readonly kind: 'settings-changed' } & SettingsChange)
  | Watched;

export interface Beginning {
  readonly glance: Glance;
  readonly raw: JsonObject;
  readonly project: Ground;
}

/** A change of the host's settings; the files say where we were installed. */
export interface SettingsChange {
  readonly glance: Glance;
  readonly raw: JsonObject;
  readonly project: Project | undefined;
  readonly records: readonly string[];
}

/** An event that somebody has to look at. */
export interface Watched {
  readonly kind: 'watched';
  readonly glance: Glance;
  readonly raw: JsonObject;
  readonly project: Ground;
  readonly selection: Selection;
  readonly config: CompiledConfig | undefined;
  /** The guards of the config that it concerns, by their place in it. */
  readonly concerned: readonly number[];
  readonly failures: readonly Failure[];
}

export function firstLook(input: Result<string>, surroundings: Surroundings): FirstLook {
  const { env, host, chunks, stead } = surroundings;
  const raw = input.ok ? readInput(input.value) : input;
  const sender = raw.ok ? senderOf(raw.value, host) : 'claude-code';
  const other = sender === 'claude-code' ? undefined : chunks.host(sender);
  const glance = raw.ok ? (other ?? claudeCodeGlance).glance(raw.value) : undefined;
  const project = projectFor(glance?.cwd ?? '', env, stead);
  if (!raw.ok) return { kind: 'no-event', failure: raw.failure, project };
  if (glance === undefined || glance.hostEvent === '') {
    return { kind: 'no-event', failure: { code: 'input.no-event-name' }, project };
  }
  // A host that runs Claude Code's settings beside its own calls us twice; it hears us from its own.
  const twice = sender !== host && other?.hasOwnEntry?.(project?.root ?? glance.cwd, env);
  if (twice === true) return { kind: 'unwatched', answeredFor: sender };
  return (
    lookAtSettings(glance, raw.value, project, env) ??
    (isGround(project)
      ? lookAt(glance, raw.value, project, surroundings)
      : lookWithoutGround(glance, raw.value, surroundings))
  );
}

function isGround(project: Project | undefined): project is Ground {
  return project?.layout !== undefined;
}

/** Only where a record of an installation is there can a change of settings take something away. */
function lookAtSettings(
  glance: Glance,
  raw: JsonObject,
  project: Project | undefined,
  env: Surroundings['env'],
): FirstLook | undefined {
  if (glance.kind !== 'config.change') return undefined;
  const places = [project?.layout?.own ?? '', `${env['HOME'] ?? ''}/.config/holdpoint`];
  const records = places.map((place) => `${place}/installed.json`).filter((file) => existsSync(file));
  return records.length === 0 ? undefined : { kind: 'settings-changed', glance, raw, project, records };
}

function lookWithoutGround(glance: Glance, raw: JsonObject, surroundings: Surroundings): FirstLook {
  const begins = glance.kind === 'session.start';
  if (begins && existsSync(join(glance.cwd, '.claude', 'requirements.yaml'))) {
    return { kind: 'homeless', glance, raw };
  }
  const { env } = surroundings;
  const seeded = seedGround(glance, env);
  const seen = seeded && lookForOne('workflow', glance, raw, seeded, surroundings);
  if (seen !== undefined && seen.kind !== 'unwatched') return seen;
  const borrowed = borrowedGround(glance, env);
  if (borrowed) return lookForOne('loop', glance, raw, borrowed, surroundings);
  const failure = withoutPlace(glance, surroundings);
  return failure ? { kind: 'no-event', failure, project: undefined } : { kind: 'unwatched' };
}

function lookAt(glance: Glance, raw: JsonObject, ground: Ground, surroundings: Surroundings): FirstLook {
  const { env, only, now } = surroundings;
  const begins = glance.kind === 'session.start';
  const { configured } = ground;
  if (configured || hasTraces(glance, ground, env)) {
    const watched = watch(glance, raw, ground, selectGuards(only, env), surroundings);
    if (isWatched(watched, now)) return watched;
    if (begins && configured && !isArmed(watched)) return { kind: 'unarmed', glance, raw, project: ground };
  }
  return begins && !configured
    ? { kind: 'unconfigured', glance, raw, project: ground }
    : { kind: 'unwatched' };
}

/** Where nothing of ours can be kept only a guard speaks that has a store of its own; nobody else is heard. */
function lookForOne(
  guard: GuardName,
  glance: Glance,
  raw: JsonObject,
  ground: Ground,
  surroundings: Surroundings,
): FirstLook {
  const selection = selectGuards(surroundings.only, surroundings.env);
  const watched = watch(glance, raw, ground, selection, surroundings);
  const { config } = watched;
  if (config === undefined) return watched;
  const concerned = watched.concerned.filter((index) => config.head.guards[index]?.name === guard);
  if (concerned.length === 0) return { kind: 'unwatched' };
  const quiet = { ...config, head: { ...config.head, problems: [] } };
  return { ...watched, config: quiet, concerned, failures: [] };
}

function watch(
  glance: Glance,
  raw: JsonObject,
  project: Ground,
  selection: Selection,
  { chunks, env, stead }: Surroundings,
): Watched {
  try {
    const config = configFor(project, chunks, stead);
    let store: { readonly dir: string | undefined } | undefined;
    const storeDir = (): string | undefined => {
      store ??= { dir: findMessageStore(glance.cwd, env) };
      return store.dir;
    };
    const exists = (file: string): boolean =>
      isOfMessages(file) ? hasMessages(storeDir()) : existsUpward(glance.cwd, project, file);
    const concerned: number[] = [];
    let messages: string | undefined;
    config.head.guards.forEach(({ name, interests }, index) => {
      if (!selection.guards.includes(name) || !isConcerned(interests, glance, exists)) return;
      concerned.push(index);
      if (name === 'loop') messages = storeDir();
    });
    const ground = messages === undefined ? project : withMessages(project, messages);
    const failures = uncheckedBy(glance, config, selection, exists);
    return { kind: 'watched', glance, raw, project: ground, selection, concerned, failures, config };
  } catch (error) {
    const failures: Failure[] = [{ code: 'config.unreadable', detail: detailOf(error) }];
    return { kind: 'watched', glance, raw, project, selection, concerned: [], failures, config: undefined };
  }
}

function withMessages(project: Ground, messages: string): Ground {
  return { ...project, layout: { ...project.layout, messages } };
}

/** A message store may lie above the project, and under either of its names. */
function isOfMessages(file: string): boolean {
  return file === `.jwz/${MESSAGES}` || file === `.zawinski/${MESSAGES}`;
}

/** Looks for a state file from the event's directory up to the project root, and in the git directory; for ours in our own. */
function existsUpward(cwd: string, project: Ground, file: string): boolean {
  if (file.startsWith(OURS)) return existsSync(`${project.layout.own}/${file.slice(OURS.length)}`);
  if (existsSync(`${project.layout.git}/${file}`)) return true;
  for (let dir = isAbsolute(cwd) ? cwd : project.root; ; dir = dirname(dir)) {
    if (existsSync(`${dir}/${file}`)) return true;
    if (dir === project.root || dirname(dir) === dir) return existsSync(`${project.root}/${file}`);
  }
}

/** Watched by a guard, or by the frame itself: sessions that begin, go on and end, tool use after a refused stop. */
function isWatched(watched: Watched, now: number): boolean {
  const { glance, selection, config, concerned, failures } = watched;
  if (concerned.length > 0 || failures.length > 0 || selection.unknown.length > 0) return true;
  const { kind, sessionId } = glance;
  if (kind === 'session.start' && (config?.head.problems.length ?? 0) > 0) return true;
  if ((config?.head.guards.length ?? 0) === 0 || sessionId === '') return false;
  return (isArmed(watched) && isSignOfLife(watched, now)) || mayClose(watched);
}

/** What nobody has configured does not make sessions worth noting. */
function isArmed({ config }: Watched): boolean {
  return config?.head.guards.some(({ byHand }) => byHand !== true) ?? false;
}

function isSignOfLife({ glance: { kind, sessionId }, project }: Watched, now: number): boolean {
  if (kind !== 'prompt.submit') return kind === 'session.start' || kind === 'session.end';
  const name = plainRecordName(sessionId);
  return name === undefined || isHeartbeatDue(project.layout, name.slice(0, KEY_LENGTH), now);
}

function mayClose({ glance: { kind, sessionId }, project }: Watched): boolean {
  const mayLeave = kind.startsWith('tool.') || kind === 'session.end';
  return mayLeave && mayHaveRecord(project.layout, sessionId);
}

/** An odd id would have to be hashed to tell; whoever has one goes the whole way. */
function mayHaveRecord({ own }: Layout, sessionId: string): boolean {
  const name = plainRecordName(sessionId);
  return name === undefined || existsSync(`${own}/${SESSION_RECORDS}/${name}.json`);
}
