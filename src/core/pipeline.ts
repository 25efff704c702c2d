import { realpathSync } from 'node:fs';
import { relative, sep } from 'node:path';
import { readHead } from '../git/head';
import { hostCalled } from '../hosts/claude-code/index';
import { readDocument } from '../state/documents';
import { nextDecisionId } from '../state/journal';
import type { Layout } from '../state/layout';
import { keepScans } from '../state/topic-index';
import { updateDocuments } from '../state/update';
import type { Chunks } from './chunks';
import { commit } from './commit';
import type { ActiveGuard, EventContext } from './context';
import type { Event, EventOf } from './event';
import { detailOf, type Failure } from './failure';
import type { Guard } from './guard';
import { DeadlinePassed, EffectRuns, judge } from './judge';
import { homelessNote, unarmedNote, unconfiguredNote } from './messages';
import { degradeChange, recordFrom, sessionRecordRef, stopLimit, withNewWords } from './refused-stops';
import { answerEvent, answerNoEvent, answerNote, answerSettingsChange, type Handled } from './respond';
import type { Routed, Surroundings, Watched } from './route';
import type { GuardName } from './selection';
import { registerNameless } from './session-watch';
import { type Answer, NOTHING } from './verdict';

const DEGRADE_WAIT_MS = 500;

/** Everything behind routing, for events that somebody watches: parse, decide, commit, render. */
export async function decideEvent(
  routed: Exclude<Routed, { kind: 'unwatched' }>,
  surroundings: Surroundings,
): Promise<Answer> {
  const { chunks, now } = surroundings;
  const note = ({ header, raw }: Pick<Watched, 'header' | 'raw'>, text: string): Answer =>
    answerNote(hostCalled(header.host, chunks.host).parse(raw, now), text, chunks);
  switch (routed.kind) {
    case 'no-event':
      return answerNoEvent(routed.failure, routed.project, now);
    case 'unconfigured':
      registerNameless(routed, surroundings);
      return note(routed, unconfiguredNote(routed.project.root));
    case 'unarmed':
      registerNameless(routed, surroundings);
      return note(routed, unarmedNote(routed.project.root));
    case 'settings-changed':
      return answerSettingsChange(routed, surroundings);
    case 'homeless':
      return note(routed, homelessNote(routed.header.cwd));
    case 'watched': {
      const { scene, failures } = openEvent(routed, surroundings);
      const said = answerEvent(await decide(scene, failures), routed.selection.unknown);
      keepScans(scene.layout);
      return said;
    }
  }
}

/** Brings together what the event needs: its whole document, the git facts, and the guards that it concerns. */
export function openEvent(
  watched: Watched,
  surroundings: Surroundings,
): { readonly scene: EventContext; readonly failures: readonly Failure[] } {
  const { env, chunks, now, parentPid = process.ppid, gauntletCompat = false } = surroundings;
  const { header, raw, project, selection, config } = watched;
  const failures = [...watched.failures];
  const guards = loadGuards(watched, chunks);
  if (guards.length > 0 && header.sessionId === '' && !gauntletCompat) {
    failures.push({ code: 'input.no-session', event: header.hostEvent });
  }
  const git = project.git && readHead(project.git, chunks.askGit);
  if (git?.position.kind === 'unreadable') {
    failures.push({ code: 'git.unreadable', file: git.position.file, detail: git.position.why });
  }
  const host = hostCalled(header.host, chunks.host);
  const parsed = host.parse(raw, now, header);
  const scene: EventContext = {
    event:
      parsed.kind === 'turn.stop'
        ? withoutOldWords(parsed, project.layout)
        : withResolvedPaths(parsed, project.root),
    project,
    git,
    layout: project.layout,
    env,
    chunks,
    guards,
    rules: selection.rules,
    gauntletCompat,
    problems: config?.head.problems ?? [],
    stopLimit: stopLimit(host.stopCap(env)),
    parentPid,
    id: nextDecisionId(now, process.pid),
    startedAt: surroundings.startedAt ?? (() => undefined),
    effectEnv: surroundings.effectEnv ?? (() => env),
    signal: surroundings.signal,
  };
  return { scene, failures };
}

function loadGuards({ config, concerned }: Watched, chunks: Chunks): ActiveGuard[] {
  const guards: ActiveGuard[] = [];
  for (const index of concerned) {
    const compiled = config?.head.guards[index];
    if (config === undefined || compiled === undefined) continue;
    const { name, onError } = compiled;
    try {
      guards.push({ guard: chunks.guard(name), config: config.configOf(index), onError });
    } catch (error) {
      const failure = { code: 'guard.missing', guard: name, detail: detailOf(error) } as const;
      guards.push({ guard: absentGuard(name), config: null, onError, failure });
    }
  }
  return guards;
}

/** Stands where a guard could not be loaded: it says nothing, and its `on_error` speaks for it. */
function absentGuard(name: GuardName): Guard {
  return { name, interest: () => [], decide: async () => NOTHING };
}

async function decide(scene: EventContext, before: readonly Failure[]): Promise<Handled> {
  const effects = new EffectRuns(scene);
  try {
    const committed = await commit(scene, effects, await judge(scene, effects));
    const unmarked = [...before, ...committed.untold];
    const unwritten = unmarked.length > 0 ? markDegraded(scene, unmarked) : [];
    const { judgement, decision, written, setAside } = committed;
    const failures = [...before, ...committed.failures, ...unwritten];
    const { spoken, notes } = judgement;
    return { scene, decision, spoken, written, setAside, failures, announced: effects.announced, notes };
  } catch (error) {
    if (!(error instanceof DeadlinePassed)) throw error;
    const failures = [...before, error.failure];
    const decision = { kind: 'nothing', toAgent: [], toPerson: [] } as const;
    const nothing = { spoken: [], written: [], setAside: [], notes: [], announced: false };
    return { scene, decision, ...nothing, failures: [...failures, ...markDegraded(scene, failures)] };
  }
}

/** For failures that no guard's commit carries: an attempt by itself, whose own failing is told as well. */
function markDegraded({ event, layout }: EventContext, failures: readonly Failure[]): readonly Failure[] {
  if (event.sessionId === '') return [];
  const report = updateDocuments(
    layout,
    [degradeChange(event.sessionId, failures, event.at)],
    DEGRADE_WAIT_MS,
  );
  const own = report.ok ? report.value.failures.map(({ failure }) => failure) : [report.failure];
  return own.filter((one) => !failures.some(({ code }) => code === one.code));
}

/** Takes away what was heard at an earlier stop of the same prompt. Only hosts that add it up cost a look. */
function withoutOldWords(stop: EventOf<'turn.stop'>, layout: Layout): Event {
  if (stop.saidSincePrompt === undefined || stop.sessionId === '') return stop;
  const document = readDocument(layout, sessionRecordRef(stop.sessionId));
  if (document.kind !== 'present') return stop;
  return withNewWords(recordFrom(document.value, stop.sessionId), stop);
}

/**
 * The project root has its links resolved, but an agent that reached it through a link names files
 * through that link too. Its paths are put below the resolved root, so that guards know one root only.
 */
function withResolvedPaths(event: Event, root: string): Event {
  if (!('call' in event) || event.call.paths.length === 0 || event.cwd === root) return event;
  const seen = rootAsSeen(event.cwd, root);
  if (seen === root) return event;
  const paths = event.call.paths.map((path) =>
    path === seen || path.startsWith(seen + sep) ? root + path.slice(seen.length) : path,
  );
  return { ...event, call: { ...event.call, paths } };
}

function rootAsSeen(cwd: string, root: string): string {
  if (cwd.startsWith(root + sep)) return root;
  try {
    const below = relative(root, realpathSync.native(cwd));
    if (below === '') return cwd;
    return !below.startsWith('..') && cwd.endsWith(sep + below) ? cwd.slice(0, -below.length - 1) : root;
  } catch {
    return root;
  }
}
