import { isAbsolute, sep } from 'node:path';
import { readHead } from '../git/head';
import { hostCalled } from '../hosts/claude-code/index';
import {
  type Document,
  type DocumentRef,
  type Layout,
  projectLockFile,
  readDocument,
} from '../state/documents';
import { hasHub } from '../state/hub';
import { appendJournal, nextDecisionId } from '../state/journal';
import { keepScans } from '../state/topic-index';
import { updateDocuments } from '../state/update';
import { whoCaused } from './actor';
import type { Chunks } from './chunks';
import {
  combine,
  combineProjects,
  entryHead,
  failureEntry,
  type Handled,
  noteDown,
  noteShadowed,
  stopLimit,
  whyLine,
} from './combine';
import {
  type ActiveGuard,
  type EventContext,
  LeaveEvent,
  openWorld,
  realPath,
  rootAsSeen,
  type Tape,
} from './context';
import { commit, DeadlinePassed, EffectRuns, judge, pauseIn } from './decide';
import type { Event, EventOf } from './event';
import { attempt, detailOf, type Failure } from './failure';
import type { Guard } from './guard';
import type { Routed, SettingsChange, Surroundings, Watched } from './hook';
import {
  debugLine,
  heldUnwritten,
  homelessNote,
  ofProject,
  sentenceOf,
  tooLongToCheck,
  unknownOnly,
  vanishedNote,
} from './messages';
import { guard as ownFiles } from './own-files/guard';
import type { Project } from './project';
import { startNote } from './protection';
import type { Recording } from './recording/tape';
import { degradeChange, recordFrom, withNewWords } from './refused-stops';
import { NO_REHEARSAL, type Rehearsal, rehearse } from './rehearse';
import { type GuardName, isDisabled, OWN_FILES } from './selection';
import { registerNameless } from './session-watch';
import { gauntletAnswer } from './stop-hook';
import { isoTime, sessionRecordRef } from './text';
import { type Answer, type Decision, NO_ANSWER, NOTHING, type Spoken } from './verdict';

// Part of this chunk, because few events need it and its dependencies are here anyway.
export { changedPlaces } from './changed-places';

const DEGRADE_WAIT_MS = 500;

type Decidable = Exclude<Routed, { kind: 'unwatched' }>;
type InShadow = Extract<Routed, { kind: 'shadowed' }>;
type Loud = Exclude<Decidable, InShadow>;

/** The outcome of an event in one project. */
interface Said {
  readonly answer: Answer;
  /** For people, on stderr; not part of `answer`. */
  readonly warnings?: string;
  readonly spoken?: { readonly event: Event; readonly decision: Decision };
  /** See `Answer`. */
  readonly after?: () => string;
}

/**
 * Everything after routing, for events that concern a guard: parse, decide, commit, render. Each project
 * decides, keeps state and writes its journal separately; the host gets one answer.
 */
export async function decideEvent(
  routed: readonly [Decidable, ...Decidable[]],
  surroundings: Surroundings,
): Promise<Answer> {
  const said: Said[] = [];
  for (const one of routed) {
    if (one.kind === 'shadowed') await decideInShadow(one, surroundings);
    else said.push(await decideIn(one, surroundings));
  }
  linkToHub(routed, surroundings);
  const answer = oneAnswer(said, surroundings.chunks);
  const warnings = [...new Set(said.map((one) => one.warnings ?? ''))].join('');
  const after = said.flatMap((one) => one.after ?? []);
  return {
    ...answer,
    ...(warnings !== '' && { stderr: answer.stderr + warnings }),
    ...(after.length > 0 && { after: () => after.map((one) => one()).join('') }),
  };
}

/** On a machine that has joined a hub, a server that talks to it must run once a session starts. */
function linkToHub(routed: readonly Decidable[], { env, chunks, parentPid }: Surroundings): void {
  const begun = routed.flatMap((one) =>
    one.kind === 'watched' && one.header.kind === 'session.start' ? [one] : [],
  );
  const roots = begun.map(({ project }) => project.root);
  const home = begun[0]?.project.home;
  if (home === undefined || parentPid !== undefined) return;
  // If this fails, the hub gets everything later from the journal.
  attempt(() => hasHub(home, env) && chunks.startUplink({ env, home, roots }));
}

/** If several projects have something to say: the strictest decision, with the reasons of all. */
function oneAnswer(said: readonly Said[], chunks: Chunks): Answer {
  const spoken = said.flatMap((one) => one.spoken ?? []);
  const speaking = spoken.filter(({ decision }) => decision.kind !== 'nothing');
  const [first] = speaking;
  if (first === undefined || speaking.length === 1) {
    const one = said.find((one) => one.spoken !== undefined && one.spoken === first) ?? said[0];
    return one?.answer ?? NO_ANSWER;
  }
  const decision = combineProjects(speaking.map((one) => one.decision));
  return renderSafely(first.event, decision, chunks).answer;
}

async function decideIn(routed: Loud, surroundings: Surroundings): Promise<Said> {
  const { chunks, now } = surroundings;
  const note = ({ header, raw }: Pick<Watched, 'header' | 'raw'>, text: string): Said =>
    answerNote(hostCalled(header.host, chunks.host).parse(raw, now), text, chunks);
  switch (routed.kind) {
    case 'no-event':
      return answerNoEvent(routed.failure, routed.project, now);
    case 'unconfigured':
    case 'unarmed': {
      if (!isDisabled(surroundings.env)) registerNameless(routed, surroundings);
      const { sessionId } = routed.header;
      return note(routed, startNote(chunks.protectionAtStart(routed.project, sessionId, surroundings), []));
    }
    case 'settings-changed':
      return answerSettingsChange(routed, surroundings);
    case 'homeless':
      return note(routed, homelessNote(routed.header.cwd));
    case 'vanished':
      return note(routed, vanishedNote(routed.root));
    case 'watched': {
      const tape = tapeFor(routed, surroundings);
      const { scene, failures } = openEvent(routed, surroundings, tape);
      const inShadow = guardsInShadow(routed, scene);
      const handled = await decide(scene, failures);
      const { world, spoken } = handled;
      const isRehearsed = world !== undefined && inShadow.length > 0;
      const rehearsal = isRehearsed ? await rehearse(scene, inShadow, world, spoken) : NO_REHEARSAL;
      const said = answerEvent(withRehearsal(handled, rehearsal), routed.selection.unknown);
      // Only the end of a turn reads message stores.
      if (scene.event.kind === 'turn.stop') keepScans(scene.layout);
      if (tape === undefined) return said;
      const outcome = {
        exit: said.answer.exitCode,
        failures: handled.failures.map(({ code }) => code),
      };
      return { ...said, after: () => tape.write(scene, handled.judgement, outcome) ?? '' };
    }
  }
}

/** Opens the project's recording, if there is one. A failure here must not affect the event. */
function tapeFor(watched: Watched, surroundings: Surroundings): Recording | undefined {
  if (watched.config?.head.recording === undefined) return undefined;
  return attempt(() => surroundings.chunks.openTape(watched, surroundings));
}

/** For an event that only shadow rules watch: whatever they decide, nobody is told. */
async function decideInShadow(routed: InShadow, surroundings: Surroundings): Promise<void> {
  const { scene } = openEvent({ ...routed, kind: 'watched' }, surroundings);
  const guards = guardsInShadow(routed, scene);
  const world = openWorld(scene);
  if (world.refusedStops.elsewhere || pauseIn({ ...scene, guards }, world) !== undefined) return;
  const rehearsal = await rehearse(scene, guards, world, []);
  const decision = { kind: 'nothing', ...SILENT } as const;
  noteShadowed(withRehearsal({ ...UNTOUCHED, scene, decision }, rehearsal));
}

/**
 * The guards with shadow rules for the event. They decide after the answer is settled, too late to leave the
 * event to another process, so this throws beforehand.
 */
export function guardsInShadow(
  { config, shadow }: Pick<Watched, 'config' | 'shadow'>,
  scene: EventContext,
): ActiveGuard[] {
  if (shadow.length === 0) return [];
  if (scene.isServed && scene.effectEnv() === undefined)
    throw new LeaveEvent('the environment of what would be run is not known');
  return loadGuards({ config, concerned: shadow }, scene.chunks);
}

/** Collects what the event needs: its parsed document, the git facts and the guards that it concerns. */
export function openEvent(
  watched: Watched,
  surroundings: Surroundings,
  tape?: Tape,
): { readonly scene: EventContext; readonly failures: readonly Failure[] } {
  const { env, chunks, now, parentPid, gauntletCompat = false, past } = surroundings;
  const { header, raw, project, selection, config } = watched;
  const failures = [...watched.failures];
  const guards = loadGuards(watched, chunks);
  if (guards.length > 0 && header.sessionId === '' && !gauntletCompat) {
    failures.push({ code: 'input.no-session', event: header.hostEvent });
  }
  const git = past === undefined ? project.git && readHead(project.git, chunks.askGit) : past.git;
  if (git?.position.kind === 'unreadable') {
    failures.push({ code: 'git.unreadable', file: git.position.file, detail: git.position.why });
  }
  const host = hostCalled(header.host, chunks.host);
  const parsed = host.parse(raw, now, header);
  const scene: EventContext = {
    event:
      parsed.kind === 'turn.stop'
        ? withoutOldWords(parsed, (ref) => past?.facts.document(ref) ?? readDocument(project.layout, ref))
        : withResolvedPaths(parsed, project.root),
    project,
    ...(watched.elsewhere && { elsewhere: true }),
    past: past?.facts,
    git,
    layout: project.layout,
    env,
    chunks: tape?.chunks ?? chunks,
    guards,
    rules: selection.rules,
    gauntletCompat,
    problems: config?.head.problems ?? [],
    news: config?.news === undefined ? [] : [config.news],
    stopLimit: stopLimit(host.stopCap(env)),
    parentPid: parentPid ?? process.ppid,
    isServed: parentPid !== undefined,
    id: nextDecisionId(now, process.pid),
    startedAt: surroundings.startedAt ?? (() => undefined),
    effectEnv: surroundings.effectEnv ?? (() => env),
    signal: surroundings.signal,
    ...(tape && { tape }),
  };
  return { scene, failures };
}

export function loadGuards(
  { config, concerned }: Pick<Watched, 'config' | 'concerned'>,
  chunks: Chunks,
): ActiveGuard[] {
  const guards: ActiveGuard[] = [];
  for (const index of concerned) {
    const compiled = config?.head.guards[index];
    if (config === undefined || compiled === undefined) continue;
    const { name, onError } = compiled;
    try {
      const guard = name === OWN_FILES ? (ownFiles as unknown as Guard) : chunks.guard(name);
      guards.push({ guard, config: config.configOf(index), onError });
    } catch (error) {
      const failure = { code: 'guard.missing', guard: name, detail: detailOf(error) } as const;
      guards.push({ guard: absentGuard(name), config: null, onError, failure });
    }
  }
  return guards;
}

/** Replaces a guard that could not be loaded: it decides nothing, and its `on_error` applies. */
function absentGuard(name: GuardName): Guard {
  return { name, interest: () => [], decide: async () => NOTHING };
}

async function decide(scene: EventContext, before: readonly Failure[]): Promise<Handled> {
  const effects = new EffectRuns(scene);
  try {
    const committed = await commit(scene, effects, await judge(scene, effects));
    const unmarked = [...before, ...committed.untold];
    const unwritten = unmarked.length > 0 ? markDegraded(scene, unmarked) : [];
    const failures = [...before, ...committed.failures, ...unwritten];
    const { spoken, notes, asked, shadowed, pause, world } = committed.judgement;
    const isOver = pause !== undefined || world.refusedStops.elsewhere === true;
    const said = { spoken, notes, asked, shadowed, ...(!isOver && { world }) };
    return { ...committed, ...said, scene, failures, announced: effects.announced };
  } catch (error) {
    if (!(error instanceof DeadlinePassed)) throw error;
    const spoken = heldForLength(scene);
    const failures = spoken.length > 0 ? before : [...before, error.failure];
    const decision = combine(spoken, SILENT, scene.id);
    return {
      ...UNTOUCHED,
      scene,
      decision,
      spoken,
      failures: [...failures, ...markDegraded(scene, failures)],
    };
  }
}

/** The fields of an event for which nothing was decided or written. */
const UNTOUCHED = {
  spoken: [],
  written: [],
  changed: [],
  setAside: [],
  failures: [],
  notes: [],
  asked: [],
  shadowed: [],
  announced: false,
};

/** Nobody types longer lines. */
const LONG_LINE = 8192;

/**
 * An event that takes too long is allowed, like after any failure of ours. But a line may be slow because of
 * its length, which is up to the agent, and an agent must not get past the rules that way.
 */
function heldForLength({ event, guards }: EventContext): Spoken[] {
  const [first] = guards;
  const length = event.kind === 'tool.before' ? (event.call.command?.length ?? 0) : 0;
  if (first === undefined || length < LONG_LINE) return [];
  const fact = `the command line has ${length} characters and could not be checked in time`;
  const grounds = [{ rule: 'long command line', fact, clear: 'split it into shorter commands' }];
  return [{ guard: first.guard.name, verdict: { kind: 'deny', reason: tooLongToCheck(length), grounds } }];
}

/** Records failures that no commit has recorded. Returns new failures of this write itself. */
function markDegraded({ event, layout }: EventContext, failures: readonly Failure[]): readonly Failure[] {
  if (event.sessionId === '' || failures.length === 0) return [];
  const report = updateDocuments(
    layout,
    [degradeChange(event.sessionId, failures, event.at)],
    DEGRADE_WAIT_MS,
  );
  const own = report.ok ? report.value.failures.map(({ failure }) => failure) : [report.failure];
  return own.filter((one) => !failures.some(({ code }) => code === one.code));
}

/** Removes what the agent said before an earlier stop of the same prompt, on hosts that accumulate it. */
function withoutOldWords(stop: EventOf<'turn.stop'>, read: (ref: DocumentRef) => Document): Event {
  if (stop.saidSincePrompt === undefined || stop.sessionId === '') return stop;
  const document = read(sessionRecordRef(stop.sessionId));
  if (document.kind !== 'present') return stop;
  return withNewWords(recordFrom(document.value, stop.sessionId), stop);
}

/**
 * The project root has its symlinks resolved, but an agent that reached it through a symlink also names files
 * through it. Maps such paths below the resolved root, so that guards know only one root.
 */
function withResolvedPaths(event: Event, root: string): Event {
  if (!('call' in event) || event.call.paths.length === 0 || event.cwd === root) return event;
  // If the cwd is gone, paths below it (that is, relative ones) are taken to be in the host's project.
  const seen = rootAsSeen(event.cwd, root) ?? (isAbsolute(event.cwd) ? event.cwd : root);
  if (seen === root && event.cwd.startsWith(root + sep)) return event;
  const paths = event.call.paths.map((path) => {
    const inside =
      path === seen || path.startsWith(seen + sep) ? root + path.slice(seen.length) : realPath(path);
    return inside === root || inside.startsWith(root + sep) ? inside : path;
  });
  return { ...event, call: { ...event.call, paths } };
}

const SILENT = { toAgent: [], toPerson: [] } as const;

function withRehearsal(handled: Handled, { asked, shadowed, changed, by }: Rehearsal): Handled {
  return {
    ...handled,
    asked: [...handled.asked, ...asked],
    shadowed: [...handled.shadowed, ...shadowed],
    changedInShadow: changed,
    by: handled.by ?? by,
  };
}

/** Renders the decision and adds it to the journal. */
function answerEvent(handled: Handled, unknownNames: readonly string[]): Said {
  if (unknownNames.length === 0 && isPlainAllow(handled)) {
    noteShadowed(handled);
    return { answer: NO_ANSWER };
  }
  const rendered = renderHandled(handled, undefined);
  const { fault } = rendered;
  const failures = fault === undefined ? handled.failures : [...handled.failures, fault];
  const unnoted = noteDown(handled, rendered.answer, failures);
  const sentences = (unnoted ? [...failures, unnoted] : failures).map(sentenceOf);
  const { answer, decision } = unnoted ? renderHandled(handled, unnoted) : rendered;
  const warnings =
    debugOutput(handled) +
    warningsOf(unknownNames.length > 0 ? [unknownOnly(unknownNames), ...sentences] : sentences);
  return { answer, warnings, spoken: { event: handled.scene.event, decision } };
}

function renderHandled(
  { scene, decision, failures }: Handled,
  unnoted: Failure | undefined,
): Rendered & { readonly decision: Decision } {
  if (scene.gauntletCompat) return { answer: gauntletAnswer(scene, decision, failures), decision };
  const { event, layout, chunks } = scene;
  const isWell = failures.length === 0 && unnoted === undefined;
  const full = isWell ? decision : withWriteError(decision, layout, failures, unnoted);
  const told = scene.elsewhere ? withProject(full, scene.project.root) : full;
  return { ...renderSafely(event, told, chunks), decision: told };
}

/** The commands that a hold names work only in the project of its rule. */
function withProject(decision: Decision, root: string): Decision {
  if (!('reason' in decision) || isOfLoopAlone(decision.by)) return decision;
  return { ...decision, reason: `${ofProject(root)}\n${decision.reason}` };
}

/**
 * Most calls end here: no guard objected, and nothing happened that the journal would record. Claude Code
 * takes no output as permission; other hosts render an answer of their own.
 */
function isPlainAllow({ scene, decision, spoken, written, setAside, failures, announced }: Handled): boolean {
  if (decision.kind !== 'nothing' || decision.report !== undefined || announced || scene.gauntletCompat)
    return false;
  if (scene.event.host !== 'claude-code' || wantsDebug(scene)) return false;
  for (const { verdict } of spoken) if (verdict.kind !== 'nothing') return false;
  return written.length + setAside.length + failures.length === 0;
}

/** For a session in which nothing can be enforced: shown once, at its start, and not stored. */
function answerNote(event: Event, note: string, chunks: Chunks): Said {
  // A resumed session was told when it first started.
  const isOld = event.kind === 'session.start' && event.source !== 'startup';
  const toPerson = isOld ? [] : [note];
  const decision = { kind: 'advise', id: '', toAgent: [], toPerson } as const;
  return { answer: renderSafely(event, decision, chunks).answer, spoken: { event, decision } };
}

/** Allows input that is not an event, with a line for people and, if the project is known, in the journal. */
function answerNoEvent(failure: Failure, project: Project | undefined, now: number): Said {
  if (project?.configured && project.layout !== undefined) {
    appendJournal(project.layout, {
      id: nextDecisionId(now, process.pid),
      at: isoTime(now),
      actor: 'system',
      channel: 'hook',
      decision: 'nothing',
      failures: [failureEntry(failure)],
    });
  }
  return { answer: NO_ANSWER, warnings: warningsOf([sentenceOf(failure)]) };
}

/**
 * Holds settings that would remove or loosen our hooks; any other change is allowed without a word. No guard
 * decides here, because none would be called any more.
 */
function answerSettingsChange(change: SettingsChange, { chunks, now }: Surroundings): Said {
  const event = hostCalled(change.header.host, chunks.host).parse(change.raw, now);
  const lost = chunks.lostHooks(change);
  if (lost === undefined)
    return { answer: renderSafely(event, { kind: 'nothing', ...SILENT }, chunks).answer };
  const id = nextDecisionId(now, process.pid);
  const reason = `${lost.reason}\n${whyLine(id)}`;
  const decision = { kind: 'hold', id, by: [], reason, ...SILENT } as const;
  const { answer } = renderSafely(event, decision, chunks);
  const layout = change.project?.layout;
  if (layout !== undefined) {
    const verdict = { guard: 'holdpoint', verdict: 'hold', grounds: [{ ...lost.grounds }] };
    const head = { ...entryHead(id, event), ...whoCaused(event) };
    appendJournal(layout, { ...head, decision: 'hold', verdicts: [verdict] });
  }
  return { answer, spoken: { event, decision } };
}

interface Rendered {
  readonly answer: Answer;
  readonly fault?: Failure;
}

/** Drops an answer that the host would reject: it would look like a decision and have no effect. */
function renderSafely(event: Event, decision: Decision, chunks: Chunks): Rendered {
  const host = hostCalled(event.host, chunks.host);
  const answer = host.render(event, decision);
  const detail = host.check(event, answer);
  if (detail === undefined) return { answer };
  return { answer: { ...answer, stdout: '', exitCode: 0 }, fault: { code: 'output.invalid', detail } };
}

/** The older program's debug variable shows how the rules came to their verdicts. */
function wantsDebug({ env }: EventContext): boolean {
  return env['SKILL_VALIDATOR_DEBUG'] === 'true';
}

function debugOutput({ scene, notes }: Handled): string {
  return wantsDebug(scene) ? notes.map(debugLine).join('') : '';
}

function warningsOf(sentences: readonly string[]): string {
  return sentences.map((line) => `holdpoint: ${line}\n`).join('');
}

/**
 * A hold stands even if nothing can be written: `chmod` must not turn a guard off. But the command that it
 * names would fail too, so it says what failed and who can help. It refers to the journal only if it is
 * recorded there.
 */
function withWriteError(
  decision: Decision,
  layout: Layout,
  failures: readonly Failure[],
  unnoted: Failure | undefined,
): Decision {
  const failure = failures.find((one) => preventsWriting(one, layout)) ?? unnoted;
  if (failure === undefined || !('reason' in decision) || isOfLoopAlone(decision.by)) return decision;
  const why = `\n${whyLine(decision.id)}`;
  const { reason } = decision;
  const body = reason.endsWith(why) ? reason.slice(0, -why.length) : reason;
  const note = heldUnwritten(failure, isOfLock(failure, layout));
  return { ...decision, reason: `${body}\n${note}${unnoted === undefined ? why : ''}` };
}

/** The loop's own text is a wire format, so nothing may be added to it. */
function isOfLoopAlone(by: readonly string[]): boolean {
  return by.length === 1 && by[0] === 'loop';
}

/** Failures in the home do not count: projects share it, and no hold depends on it. */
function preventsWriting(failure: Failure, { root, git }: Layout): boolean {
  switch (failure.code) {
    case 'state.write-failed':
    case 'state.outside':
    case 'lock.timeout':
      return [root, git].some((dir) => failure.file.startsWith(`${dir}/`));
    default:
      return false;
  }
}

function isOfLock(failure: Failure, layout: Layout): boolean {
  return 'file' in failure && failure.file === projectLockFile(layout);
}
