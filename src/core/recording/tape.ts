import { readHead } from '../../git/head';
import { hostNamed } from '../../hosts/claude-code/index';
import type { Start } from '../../shell/scope';
import { stopLimit } from '../combine';
import type { EventContext, Tape, World } from '../context';
import type { Judgement } from '../decide';
import type { Chunks, FileFact } from '../guard';
import type { Invocation, WatchedEvent } from '../hook';
import type { Json } from '../json';
import { factKey, type RecordedDecision, toRecordedDecision } from './format';
import { record } from './recorder';

/** An event while it is recorded: the questions asked about this machine, and its answers. */
export interface Recording extends Tape {
  /** Writes the event. Call it once the host has its answer; returns text to show to a person. */
  write(
    context: Pick<EventContext, 'event' | 'git' | 'stopLimit'>,
    judged: Judgement | undefined,
    outcome: { readonly exit: number; readonly failures: readonly string[] },
  ): string | undefined;
}

/** Longer texts are cut: few rules read files at all, and those read the beginning. */
const LONGEST_TEXT = 64 * 1024;

export function openTape(watched: WatchedEvent, invocation: Invocation): Recording {
  const facts = new Map<string, Json>();
  const ran = new Map<string, Json>();
  /** Records an answer and returns it. */
  const heard = <T>(value: T, name: string, ...about: readonly Json[]): T => {
    facts.set(factKey(name, ...about), (value ?? null) as Json);
    return value;
  };
  return {
    wrapWorld: (open) => recordingWorld(open(), watched.project.root, heard),
    chunks: recordingChunks(invocation.chunks, heard),
    ran: (key, result) => void ran.set(key, result),
    write: (context, judged, { exit, failures }) => {
      const decided: RecordedDecision =
        judged === undefined
          ? { kind: 'nothing', exit, rules: [] }
          : toRecordedDecision(judged.decision, judged.verdicts, exit);
      if (context.git !== undefined) facts.set('head', context.git.position as Json);
      return record({
        watched,
        invocation,
        event: context.event,
        stopLimit: context.stopLimit,
        decided,
        failures,
        facts,
        ran,
        documents: judged?.world.readDocuments() ?? [],
        changes: judged?.changes ?? [],
        isDoubled: judged?.world.refusedStops.elsewhere === true,
      });
    },
  };
}

type RecordFact = <T>(value: T, name: string, ...about: readonly Json[]) => T;

function recordingWorld(world: World, root: string, heard: RecordFact): World {
  return {
    ...world,
    env: (name) => heard(world.env(name), 'env', name),
    file: (ask) => {
      const fact = world.file(ask);
      heard(shortened(fact), 'file', ask.path);
      return fact;
    },
    realPath: (path) => {
      const real = world.realPath(path);
      if (real !== path) heard(real, 'real', path);
      return real;
    },
    sessions: () => {
      const sessions = world.sessions();
      // Other projects are private. A replay could not see whether a session's process is alive.
      heard(
        sessions.filter(({ projectDir }) => projectDir === root).map((one) => ({ ...one })),
        'sessions',
      );
      return sessions;
    },
    hostProcess: () => heard(world.hostProcess(), 'host process'),
    client: () => heard(world.client(), 'client'),
    ancestors: () => heard(world.ancestors(), 'ancestors'),
    answeringHooks: (tool) => heard(world.answeringHooks(tool), 'answering hooks', tool),
    refs: () => heard(world.refs(), 'refs'),
    moves: (ref) => heard(world.moves(ref), 'moves', ref),
    isIn: (commit, histories) => heard(world.isIn(commit, histories), 'is in', commit),
    addsMerge: (commit, histories) => heard(world.addsMerge(commit, histories), 'adds merge', commit),
    defaultBranch: () => heard(world.defaultBranch(), 'default branch'),
    transcript: (ask) => heard(world.transcript(ask), 'transcript', ask as Json),
  };
}

function shortened(fact: FileFact): FileFact {
  if (fact.kind !== 'file' || fact.text === undefined || fact.text.length <= LONGEST_TEXT) return fact;
  return { ...fact, text: fact.text.slice(0, LONGEST_TEXT) };
}

/** What a command line does depends on where it runs. */
function recordingChunks(chunks: Chunks, heard: RecordFact): Chunks {
  return {
    ...chunks,
    effectsOf: (text, start) => chunks.effectsOf(text, recordingStart(start, heard)),
    toolUsedSince: (file, since) => heard(chunks.toolUsedSince(file, since), 'tool used since', since),
  };
}

/** Git settings that change what a command does; the others are private. */
const RELEVANT_GIT_SETTING = /^(?:alias|remote|branch|push|url)\./;

function recordingStart(start: Start, heard: RecordFact): Start {
  const { repositoryAt, isDirectory, watched } = start;
  return {
    ...start,
    ...(repositoryAt && {
      repositoryAt: (dir: string) => {
        const found = repositoryAt(dir);
        if (found === undefined) return found;
        const { root, branch, commonDir, commitOf, ask, settings } = found;
        const fact = { root, ...(branch !== undefined && { branch }), ...(commonDir && { commonDir }) };
        heard(fact, 'repository', dir);
        return {
          ...found,
          ...(commitOf && { commitOf: (ref: string) => heard(commitOf(ref), 'commit', dir, ref) }),
          ...(ask && { ask: (...args: string[]) => heard(ask(...args), 'git', dir, args) }),
          ...(settings && {
            settings: () => {
              const map = settings();
              heard([...map].filter(([name]) => RELEVANT_GIT_SETTING.test(name)) as Json, 'settings', dir);
              return map;
            },
          }),
        };
      },
    }),
    ...(isDirectory && { isDirectory: (path: string) => heard(isDirectory(path), 'directory', path) }),
    ...(watched && {
      watched: {
        files: watched.files,
        exists: (path: string) => heard(watched.exists(path), 'exists', path),
        names: (archive: string, file: string) => heard(watched.names(archive, file), 'names', archive, file),
        gitStatus: (dir: string, file: string) => heard(watched.gitStatus(dir, file), 'status', dir, file),
      },
    }),
  };
}

/** For an event that no rule watches: only where HEAD was is recorded. */
export function recordUnwatched(watched: WatchedEvent, invocation: Invocation): string | undefined {
  const { header, raw, project } = watched;
  const { chunks, now, env } = invocation;
  const host = hostNamed(header.host, chunks.host);
  const context = {
    event: host.parse(raw, now, header),
    git: project.git && readHead(project.git, chunks.askGit),
    stopLimit: stopLimit(host.stopCap(env)),
  };
  return openTape(watched, invocation).write(context, undefined, { exit: 0, failures: [] });
}
