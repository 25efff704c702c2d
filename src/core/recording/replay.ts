import type { GitHead, HeadPosition } from '../../git/head';
import type { Refs } from '../../git/refs';
import { hostNamed } from '../../hosts/claude-code/index';
import type { RepositoryFact } from '../../shell/scope';
import { BY_STRICTNESS } from '../combine';
import { type EventContext, type Facts, openWorld, unreadTranscript, type World } from '../context';
import { type EffectSource, judge, runKey } from '../decide';
import type { Event } from '../event';
import type { Failure } from '../failure';
import {
  type Chunks,
  type ClientFacts,
  type FileFact,
  type GuardName,
  type LiveSession,
  selectGuards,
} from '../guard';
import { concernedGuards, type ProjectWithState } from '../hook';
import { HOST_NAMES } from '../host-name';
import { type Json, type JsonObject, objectIn, textIn } from '../json';
import { openEvent, withoutOldText } from '../pipeline';
import type { CompiledConfig } from '../project';
import { type EventLine, factKey, type HeadLine, type RecordedDecision, toRecordedDecision } from './format';
import { MASKED } from './mask';
import { ReplayMemory } from './memory';
import { pathPlaceholders } from './path-placeholders';

/** The result for one event. `unknown`: it depends on an effect whose result is not recorded. */
export interface Replayed {
  readonly result: 'same' | 'differs' | 'unknown' | 'skipped';
  readonly was: RecordedDecision;
  readonly is?: RecordedDecision;
  /** Why it was skipped, or what is unknown. */
  readonly why?: string;
  readonly tool?: string;
  /** Rules and disciplines that failed, so that their verdicts are missing. */
  readonly failures?: readonly Failure[];
}

/** After these, something that watches the event has not decided. */
const NOT_CHECKED: readonly Failure['code'][] = [
  'rule.failed',
  'guard.threw',
  'guard.missing',
  'deadline.passed',
];

/** Replays the events of one recording in order, with the current config. Runs and writes nothing. */
export class Replay {
  readonly #project: ProjectWithState;
  readonly #config: CompiledConfig;
  readonly #chunks: Chunks;
  readonly #memory: ReplayMemory;
  readonly #known = <T>(absent: T, name: string, ...about: readonly Json[]): T =>
    (this.#memory.fact(factKey(name, ...about)) ?? absent) as T;

  constructor(head: HeadLine, project: ProjectWithState, config: CompiledConfig, chunks: Chunks) {
    this.#project = project;
    this.#config = config;
    this.#chunks = chunks;
    this.#memory = new ReplayMemory(undefined, pathPlaceholders(project));
    this.#memory.loadRecorded(objectIn(head as unknown as Json, 'state'), {});
  }

  async play(line: EventLine): Promise<Replayed> {
    const failures: Failure[] = [];
    const replayed = await this.#compare(line, failures);
    return failures.length === 0 ? replayed : { ...replayed, failures };
  }

  async #compare(line: EventLine, failures: Failure[]): Promise<Replayed> {
    const was = line.decided;
    this.#memory.loadRecorded(line.state ?? {}, line.facts ?? {});
    const tool = textIn(line.raw, 'tool_name');
    const named = tool === undefined ? {} : { tool };
    const skip = (why: string): Replayed => ({ result: 'skipped', was, why, ...named });
    if (line.skipped !== undefined) return skip(line.skipped);
    if (line.doubled) return skip('another process has answered it');
    const host = HOST_NAMES.find((name) => name === line.host);
    if (host === undefined) return skip(`${line.host} is not known here`);
    const { is, unknown, failed } = await this.#decide(line, host);
    failures.push(...failed);
    const isSame = (guards: readonly GuardName[]): boolean =>
      areSame(without(was, guards), without(is, guards), line);
    // User rules read what is written, and that may have contained a secret which is masked now.
    const isHidden =
      was.rules.some(({ guard }) => guard === 'rules') && JSON.stringify(line.raw).includes(MASKED);
    if (!isSame(unknown) && isHidden && isSame([...unknown, 'rules']))
      return { result: 'unknown', was, is, why: 'what a rule read is masked', ...named };
    if (!isSame(unknown)) return { result: 'differs', was, is, ...named };
    if (unknown.length === 0) return { result: 'same', was, is, ...named };
    return { result: 'unknown', was, is, why: `${unknown.join(' and ')} would run`, ...named };
  }

  async #decide(line: EventLine, hostName: (typeof HOST_NAMES)[number]) {
    const chunks = replayChunks(this.#chunks, this.#memory);
    const raw = this.#here(line.raw ?? {}) as JsonObject;
    const host = hostNamed(hostName, chunks.host);
    const header = host.readHeader(raw);
    const env = (line.switches ?? {}) as Record<string, string>;
    const arrived = { header, raw, project: this.#project, selection: selectGuards(line.only ?? [], env) };
    // The recording tells the guard itself whether a state file exists.
    const { concerned } = concernedGuards(this.#config, { ...arrived, exists: () => true });
    const elsewhere = line.elsewhere && ({ elsewhere: true } as const);
    const about = { config: this.#config, concerned, shadow: [], failures: [], ...elsewhere };
    const git = this.#head();
    const past = { facts: this.#facts(git), git };
    const now = Date.parse(line.at);
    const { context: opened } = openEvent(
      { kind: 'watched', ...arrived, ...about },
      { host: hostName, only: [], env, chunks, now, gauntletCompat: line.compat === true, past },
      { wrapWorld: () => this.#world({ ...context, past: past.facts }), isReplay: true },
    );
    const event = this.#withState(host.parse(raw, now, header), line);
    const stopLimit = line.stop_limit ?? 1;
    // The world alone is of the past: pauses and other state count as recorded.
    const context = { ...opened, event, past: undefined, problems: [], news: [], stopLimit };
    const unknown = new Set<GuardName>();
    const effects: EffectSource = {
      run: async (guard, effect) => {
        const result = line.ran?.[runKey(guard, effect)];
        if (result !== undefined) return this.#here(result);
        unknown.add(guard);
        throw new Error('its result is not recorded');
      },
    };
    const { decision, verdicts, changes, failures } = await judge(context, effects);
    this.#memory.apply(changes);
    const { exitCode } = line.compat ? { exitCode: 0 } : host.render(event, decision);
    const isUnknown = (one: Failure): boolean =>
      one.code === 'guard.threw' && [...unknown].some((guard) => guard === one.guard);
    const failed = failures.filter((one) => NOT_CHECKED.includes(one.code) && !isUnknown(one));
    return { is: toRecordedDecision(decision, verdicts, exitCode), unknown: [...unknown], failed };
  }

  #here(value: Json): Json {
    return pathPlaceholders(this.#project).restore(value);
  }

  #withState(event: Event, { paths }: EventLine): Event {
    if (event.kind === 'turn.stop') return withoutOldText(event, (ref) => this.#memory.document(ref));
    if (!('call' in event) || paths === undefined) return event;
    return { ...event, call: { ...event.call, paths: this.#here(paths) as readonly string[] } };
  }

  #head(): GitHead | undefined {
    const { root, layout, git } = this.#project;
    const position = this.#memory.fact('head') as HeadPosition | undefined;
    if (position === undefined) return undefined;
    return { ...(git ?? { root, gitDir: layout.git, commonDir: layout.git }), position };
  }

  /** What was not asked during the recording is unknown: this machine's facts must not replace it. */
  #world(context: EventContext): World {
    const known = this.#known;
    return {
      ...openWorld(context),
      env: (name) => known(context.env[name] ?? '', 'env', name),
      sessions: () => known<readonly LiveSession[]>([], 'sessions'),
      transcript: (ask) => known(unreadTranscript(ask, 'is not recorded'), 'transcript', ask as Json),
    };
  }

  #facts(git: GitHead | undefined): Facts {
    const known = this.#known;
    const { root } = this.#project;
    return {
      document: (ref) => this.#memory.document(ref),
      unchanged: () => undefined,
      file: ({ path }) => known<FileFact>({ kind: 'missing' }, 'file', path),
      realPath: (path) => known(path, 'real', path),
      processState: () => 'dead',
      hostProcess: () => known({ pid: 0 }, 'host process'),
      client: () => known<ClientFacts>({ args: [], isAttended: false, isSender: false }, 'client'),
      ancestors: () => known<ReturnType<Facts['ancestors']>>([], 'ancestors'),
      answeringHooks: (tool) => known<readonly string[]>([], 'answering hooks', tool),
      repositoryAt: (dir, isOffline) => {
        const isHere = dir === root || dir.startsWith(`${root}/`);
        const own = isHere && git !== undefined ? ownRepository(git) : undefined;
        const fact = known<RepositoryFact | undefined>(own, 'repository', dir);
        return (
          fact && {
            ...fact,
            commitOf: (ref) => known<string | undefined>(undefined, 'commit', dir, ref),
            ...(isOffline
              ? { settings: () => new Map(known<[string, string][]>([], 'settings', dir)) }
              : { ask: (...args: string[]) => known<string | undefined>(undefined, 'git', dir, args) }),
          }
        );
      },
      // A recorded session rarely went to directories that do not exist.
      isDirectory: (path) => known(true, 'directory', path),
      watched: (files) => ({
        files,
        exists: (path) => known(false, 'exists', path),
        names: (archive, file) => known(false, 'names', archive, file),
        gitStatus: (dir, file) => known('', 'status', dir, file),
      }),
      refs: () => git && known<Refs>({ heads: {}, remotes: {}, others: [], elsewhere: [] }, 'refs'),
      moves: (ref) => known<ReturnType<Facts['moves']>>([], 'moves', ref),
      isIn: (commit) => known(false, 'is in', commit),
      addsMerge: (commit) => known(false, 'adds merge', commit),
      defaultBranch: () => known<string | undefined>(undefined, 'default branch'),
    };
  }
}

function ownRepository({ root, commonDir, position }: GitHead): RepositoryFact {
  const branch = position.kind === 'detached' ? 'HEAD' : 'branch' in position ? position.branch : undefined;
  return { root, commonDir, ...(branch !== undefined && { branch }) };
}

function replayChunks(chunks: Chunks, memory: ReplayMemory): Chunks {
  return {
    ...chunks,
    toolUsedSince: (_file, since) =>
      (memory.fact(factKey('tool used since', since)) ?? undefined) as boolean | undefined,
    askGit: () => undefined,
  };
}

/** The decision without disciplines whose verdicts are unknown. */
function without(decided: RecordedDecision, unknown: readonly GuardName[]): RecordedDecision {
  if (unknown.length === 0) return decided;
  const rules = decided.rules.filter(({ guard }) => !unknown.includes(guard));
  const kinds = rules.map(({ verdict }) => verdict);
  const kind = BY_STRICTNESS.findLast((one) => kinds.includes(one)) ?? 'nothing';
  return { kind, exit: 0, rules };
}

function areSame(was: RecordedDecision, is: RecordedDecision, { failures = [] }: EventLine): boolean {
  const names = ({ rules }: RecordedDecision): string =>
    rules
      .map(({ guard, verdict, rule }) => JSON.stringify([guard, verdict, rule]))
      .sort()
      .join();
  if (was.kind !== is.kind || names(was) !== names(is)) return false;
  return failures.length > 0 || was.exit === is.exit;
}
