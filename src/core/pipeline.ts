import { basename, dirname, isAbsolute, sep } from 'node:path';
import { readHead } from '../git/head';
import { hostNamed } from '../hosts/claude-code/index';
import type { Host } from '../hosts/host';
import { mayTellPerson, tellsPerson } from '../hosts/protocol';
import {
  containerOf,
  type Document,
  type DocumentBase,
  type DocumentRef,
  type Layout,
  placeOf,
  projectLockFile,
  readDocument,
} from '../state/documents';
import { removeLeftovers } from '../state/files';
import { hasHub } from '../state/hub';
import { appendJournal, nextDecisionId } from '../state/journal';
import { CLIENTS, REGISTRY, SESSION_FILES } from '../state/sessions';
import { updateDocuments } from '../state/update';
import {
  combineProjects,
  entryHead,
  type HandledEvent,
  journalDecision,
  journalFailure,
  journalShadowRules,
  noteRules,
  stopLimit,
  whyLine,
} from './combine';
import {
  type ActiveGuard,
  CannotHandleHere,
  type EventContext,
  openWorld,
  realPath,
  rootAsSeen,
  type Tape,
} from './context';
import { commit, EffectRuns, judge, pauseIn } from './decide';
import { type Event, type EventOf, whoCaused } from './event';
import { attempt, detailOf, type Failure } from './failure';
import { type Chunks, type Guard, type GuardName, isDisabled, OWN_FILES } from './guard';
import type { Invocation, Routed, SettingsChange, WatchedEvent } from './hook';
import {
  debugLine,
  heldButUnwritable,
  inOtherProject,
  noStateDirectoryNote,
  sentenceOf,
  unknownOnly,
  vanishedProjectNote,
} from './messages';
import { guard as ownFiles } from './own-files/guard';
import { forgetNews, type Project } from './project';
import { startNote } from './protection';
import type { Recording } from './recording/tape';
import { degradeChange, recordFrom, withNewWords } from './refused-stops';
import { decideShadowRules, NO_SHADOW_DECISIONS, type ShadowDecisions } from './shadow-rules';
import { gauntletAnswer } from './stop-hook';
import { sessionRecordRef } from './text';
import { type Answer, type Decision, NO_ANSWER, NOTHING } from './verdict';

// Part of this chunk, because few events need it and its dependencies are here anyway.
export { changedPaths } from './changed-paths';

const DEGRADE_WAIT_MS = 500;

type RelevantEvent = Exclude<Routed, { kind: 'unwatched' }>;
type ShadowEvent = Extract<Routed, { kind: 'shadowed' }>;
type NonShadowEvent = Exclude<RelevantEvent, ShadowEvent>;

/** The outcome of an event in one project. */
interface ProjectOutcome {
  readonly answer: Answer;
  /** For people, on stderr; not part of `answer`. */
  readonly warnings?: string;
  readonly decided?: { readonly event: Event; readonly decision: Decision };
  /** See `Answer`. */
  readonly after?: () => string;
}

/**
 * Everything after routing, for events that concern a guard: parse, decide, commit, render. Each project
 * decides, keeps state and writes its journal separately; the host gets one answer.
 */
export async function decideEvent(
  routed: readonly [RelevantEvent, ...RelevantEvent[]],
  invocation: Invocation,
): Promise<Answer> {
  const said: ProjectOutcome[] = [];
  for (const one of routed) {
    if (one.kind === 'shadowed') await decideInShadow(one, invocation);
    else said.push(await decideIn(one, invocation));
  }
  linkToHub(routed, invocation);
  const answer = oneAnswer(said, invocation.chunks);
  const warnings = [...new Set(said.map((one) => one.warnings ?? ''))].join('');
  const after = said.flatMap((one) => one.after ?? []);
  return {
    ...answer,
    ...(warnings !== '' && { stderr: answer.stderr + warnings }),
    ...(after.length > 0 && { after: () => after.map((one) => one()).join('') }),
  };
}

/** On a machine that has joined a hub, a server that talks to it must run once a session starts. */
function linkToHub(routed: readonly RelevantEvent[], { env, chunks, parentPid }: Invocation): void {
  const begun = routed.flatMap((one) =>
    one.kind === 'watched' && one.header.kind === 'session.start' ? [one] : [],
  );
  const roots = begun.map(({ project }) => project.root);
  const home = begun[0]?.project.home;
  if (home === undefined || parentPid !== undefined) return;
  // If this fails, the hub gets everything later from the journal.
  attempt(() => hasHub(home, env) && chunks.part('start-uplink').startUplink({ env, home, roots }));
}

/** If several projects have something to say: the strictest decision, with the reasons of all. */
function oneAnswer(said: readonly ProjectOutcome[], chunks: Chunks): Answer {
  const verdicts = said.flatMap((one) => one.decided ?? []);
  const speaking = verdicts.filter(({ decision }) => decision.kind !== 'nothing');
  const [first] = speaking;
  if (first === undefined || speaking.length === 1) {
    const one = said.find((one) => one.decided !== undefined && one.decided === first) ?? said[0];
    return one?.answer ?? NO_ANSWER;
  }
  const decision = combineProjects(speaking.map((one) => one.decision));
  return render(first.event, decision, chunks);
}

async function decideIn(routed: NonShadowEvent, invocation: Invocation): Promise<ProjectOutcome> {
  const { chunks, now } = invocation;
  const note = ({ header, raw }: Pick<WatchedEvent, 'header' | 'raw'>, text: string): ProjectOutcome =>
    answerNote(hostNamed(header.host, chunks.host).parse(raw, now), text, chunks);
  switch (routed.kind) {
    case 'no-event':
      return answerNoEvent(routed.failure, routed.project, now);
    case 'unconfigured':
    case 'unarmed': {
      if (!isDisabled(invocation.env)) chunks.part('session').registerUnconfiguredSession(routed, invocation);
      const { sessionId } = routed.header;
      return note(
        routed,
        startNote(chunks.part('session').protectionAtStart(routed.project, sessionId, invocation), []),
      );
    }
    case 'settings-changed':
      return answerSettingsChange(routed, invocation);
    case 'homeless':
      return note(routed, noStateDirectoryNote(routed.header.cwd));
    case 'vanished':
      return note(routed, vanishedProjectNote(routed.root));
    case 'watched': {
      const tape = tapeFor(routed, invocation);
      const { context, failures } = openEvent(routed, invocation, tape);
      const inShadow = shadowGuards(routed, context);
      const handled = await decide(context, failures);
      const { world, verdicts } = handled;
      const isRehearsed = world !== undefined && inShadow.length > 0;
      const rehearsal = isRehearsed
        ? await decideShadowRules(context, inShadow, world, verdicts)
        : NO_SHADOW_DECISIONS;
      const whole = withShadowDecisions(handled, rehearsal);
      const results = answerEvent(whole, routed.selection.unknown);
      if (context.event.kind === 'session.end') tidyState(context.layout, now);
      const told = toldNews(context, results);
      const outcome = {
        exit: results.answer.exitCode,
        failures: handled.failures.map(({ code }) => code),
      };
      const after = (): string => {
        noteRules(whole);
        if (told !== undefined) forgetNews(context.project, told);
        return tape?.write(context, handled.judgement, outcome) ?? '';
      };
      return { ...results, after };
    }
  }
}

/** At an event that shows nobody anything, what happened to the config waits for the next one. */
function newsFor(event: Event, news: string | undefined, { capabilities }: Host): readonly string[] {
  return news !== undefined && mayTellPerson(capabilities, event) ? [news] : [];
}

/** What happened to the config, if this answer tells the person. */
function toldNews({ news: [news] }: EventContext, { answer, decided }: ProjectOutcome) {
  const isSaid = news !== undefined && decided?.decision.toPerson.includes(news);
  return isSaid && tellsPerson(answer) ? news : undefined;
}

/** Removes what processes that were killed while they wrote have left. */
function tidyState(layout: Layout, now: number): void {
  const { own, git, home } = layout;
  const tidy = (base: DocumentBase, dir: string, of?: string): void =>
    void attempt(() => {
      const place = placeOf(containerOf(layout, base), dir);
      if (place.kind === 'found') removeLeftovers(place.path, now, of);
    });
  for (const name of ['', '/sessions', '/changes', `/${CLIENTS}`, '/gates']) tidy('own', own + name);
  for (const dir of [SESSION_FILES, dirname(SESSION_FILES)]) tidy('git', `${git}/${dir}`);
  tidy('home', `${home}/${dirname(REGISTRY.path)}`, basename(REGISTRY.path));
}

/** Opens the project's recording, if there is one. A failure here must not affect the event. */
function tapeFor(watched: WatchedEvent, invocation: Invocation): Recording | undefined {
  if (watched.config?.head.recording === undefined) return undefined;
  return attempt(() => invocation.chunks.part('recording').openTape(watched, invocation));
}

/** For an event that only shadow rules watch: whatever they decide, nobody is told. */
async function decideInShadow(routed: ShadowEvent, invocation: Invocation): Promise<void> {
  const { context } = openEvent({ ...routed, kind: 'watched' }, invocation);
  const guards = shadowGuards(routed, context);
  const world = openWorld(context);
  if (world.refusedStops.elsewhere || pauseIn({ ...context, guards }, world) !== undefined) return;
  const rehearsal = await decideShadowRules(context, guards, world, []);
  const decision = { kind: 'nothing', ...SILENT } as const;
  const handled = withShadowDecisions({ ...NOTHING_DONE, context, decision }, rehearsal);
  noteRules(handled);
  journalShadowRules(handled);
}

/**
 * The guards with shadow rules for the event. They decide after the answer is settled, too late to leave the
 * event to another process, so this throws beforehand.
 */
export function shadowGuards(
  { config, shadow }: Pick<WatchedEvent, 'config' | 'shadow'>,
  context: EventContext,
): ActiveGuard[] {
  if (shadow.length === 0) return [];
  if (context.isServed && context.effectEnv() === undefined)
    throw new CannotHandleHere('the environment of what would be run is not known');
  return loadGuards({ config, concerned: shadow }, context.chunks);
}

/** Collects what the event needs: its parsed document, the git facts and the guards that it concerns. */
export function openEvent(
  watched: WatchedEvent,
  invocation: Invocation,
  tape?: Tape,
): { readonly context: EventContext; readonly failures: readonly Failure[] } {
  const { env, chunks, now, parentPid, gauntletCompat = false, past } = invocation;
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
  const host = hostNamed(header.host, chunks.host);
  const parsed = host.parse(raw, now, header);
  const context: EventContext = {
    event:
      parsed.kind === 'turn.stop'
        ? withoutOldText(parsed, (ref) => past?.facts.document(ref) ?? readDocument(project.layout, ref))
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
    news: newsFor(parsed, config?.news, host),
    stopLimit: stopLimit(host.stopCap(env)),
    parentPid: parentPid ?? process.ppid,
    isServed: parentPid !== undefined,
    id: nextDecisionId(now, process.pid),
    startedAt: invocation.startedAt ?? (() => undefined),
    ...(invocation.isUnanswered && { isUnanswered: true }),
    effectEnv: invocation.effectEnv ?? (() => env),
    signal: invocation.signal,
    ...(tape && { tape }),
  };
  return { context, failures };
}

function loadGuards(
  { config, concerned }: Pick<WatchedEvent, 'config' | 'concerned'>,
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

async function decide(context: EventContext, before: readonly Failure[]): Promise<HandledEvent> {
  const effects = new EffectRuns(context);
  const committed = await commit(context, effects, await judge(context, effects));
  const unmarked = [...before, ...committed.unrecorded];
  const unwritten = unmarked.length > 0 ? markDegraded(context, unmarked) : [];
  const failures = [...before, ...committed.failures, ...unwritten];
  const { verdicts, notes, asked, shadowed, pause, world } = committed.judgement;
  const isOver = pause !== undefined || world.refusedStops.elsewhere === true;
  const said = { verdicts, notes, asked, shadowed, ...(!isOver && { world }) };
  return { ...committed, ...said, context, failures, announced: effects.announced };
}

/** The fields of an event for which nothing was decided or written. */
const NOTHING_DONE = {
  verdicts: [],
  written: [],
  changed: [],
  setAside: [],
  failures: [],
  notes: [],
  asked: [],
  shadowed: [],
  announced: false,
};

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
export function withoutOldText(stop: EventOf<'turn.stop'>, read: (ref: DocumentRef) => Document): Event {
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

function withShadowDecisions(
  handled: HandledEvent,
  { asked, shadowed, changed, by }: ShadowDecisions,
): HandledEvent {
  return {
    ...handled,
    asked: [...handled.asked, ...asked],
    shadowed: [...handled.shadowed, ...shadowed],
    changedInShadow: changed,
    by: handled.by ?? by,
  };
}

/** Renders the decision and adds it to the journal. */
function answerEvent(handled: HandledEvent, unknownNames: readonly string[]): ProjectOutcome {
  if (unknownNames.length === 0 && isPlainAllow(handled)) {
    journalShadowRules(handled);
    return { answer: NO_ANSWER };
  }
  const rendered = renderHandled(handled, undefined);
  const { failures } = handled;
  const unnoted = journalDecision(handled, rendered.answer, failures);
  const sentences = (unnoted ? [...failures, unnoted] : failures).map(sentenceOf);
  const { answer, decision } = unnoted ? renderHandled(handled, unnoted) : rendered;
  const warnings =
    debugOutput(handled) +
    warningsOf(unknownNames.length > 0 ? [unknownOnly(unknownNames), ...sentences] : sentences);
  return { answer, warnings, decided: { event: handled.context.event, decision } };
}

function renderHandled(
  { context, decision, failures }: HandledEvent,
  unnoted: Failure | undefined,
): { readonly answer: Answer; readonly decision: Decision } {
  if (context.gauntletCompat) return { answer: gauntletAnswer(context, decision, failures), decision };
  const { event, layout, chunks } = context;
  const isWell = failures.length === 0 && unnoted === undefined;
  const full = isWell ? decision : withWriteError(decision, layout, failures, unnoted);
  const told = context.elsewhere ? withProject(full, context.project.root) : full;
  return { answer: render(event, told, chunks), decision: told };
}

/** The commands that a hold or a briefing names work only in the project of its rule. */
function withProject(decision: Decision, root: string): Decision {
  const toAgent = decision.toAgent.map((text) => `In the project ${root}:\n${text}`);
  if (!('reason' in decision)) return { ...decision, toAgent };
  if (isLoopOnly(decision.by)) return decision;
  return { ...decision, reason: `${inOtherProject(root)}\n${decision.reason}` };
}

/**
 * Most calls end here: no guard objected, and nothing happened that the journal would record. Claude Code
 * takes no output as permission; other hosts render an answer of their own.
 */
function isPlainAllow({
  context,
  decision,
  verdicts,
  written,
  setAside,
  failures,
  announced,
}: HandledEvent): boolean {
  if (decision.kind !== 'nothing' || decision.report !== undefined || announced || context.gauntletCompat)
    return false;
  if (context.event.host !== 'claude-code' || wantsDebug(context)) return false;
  for (const { verdict } of verdicts) if (verdict.kind !== 'nothing') return false;
  return written.length + setAside.length + failures.length === 0;
}

/** For a session in which nothing can be enforced: shown once, at its start, and not stored. */
function answerNote(event: Event, note: string, chunks: Chunks): ProjectOutcome {
  // A resumed session was told when it first started.
  const isOld = event.kind === 'session.start' && event.source !== 'startup';
  const toPerson = isOld ? [] : [note];
  const decision = { kind: 'advise', id: '', toAgent: [], toPerson } as const;
  return { answer: render(event, decision, chunks), decided: { event, decision } };
}

/** Allows input that is not an event, with a line for people and, if the project is known, in the journal. */
function answerNoEvent(failure: Failure, project: Project | undefined, now: number): ProjectOutcome {
  if (project?.configured && project.layout !== undefined) journalFailure(project.layout, failure, now);
  return { answer: NO_ANSWER, warnings: warningsOf([sentenceOf(failure)]) };
}

/**
 * Holds settings that would remove or loosen our hooks; any other change is allowed without a word. No guard
 * decides here, because none would be called any more.
 */
function answerSettingsChange(change: SettingsChange, { chunks, now }: Invocation): ProjectOutcome {
  const event = hostNamed(change.header.host, chunks.host).parse(change.raw, now);
  const lost = chunks.part('lost-hooks').lostHooks(change);
  if (lost === undefined) return { answer: NO_ANSWER };
  const id = nextDecisionId(now, process.pid);
  const reason = `${lost.reason}\n${whyLine(id)}`;
  const decision = { kind: 'hold', id, by: [], reason, ...SILENT } as const;
  const answer = render(event, decision, chunks);
  const layout = change.project?.layout;
  if (layout !== undefined) {
    const verdict = { guard: 'holdpoint', verdict: 'hold', grounds: [{ ...lost.grounds }] };
    const head = { ...entryHead(id, event), ...whoCaused(event) };
    appendJournal(layout, { ...head, decision: 'hold', verdicts: [verdict] });
  }
  return { answer, decided: { event, decision } };
}

function render(event: Event, decision: Decision, chunks: Chunks): Answer {
  return hostNamed(event.host, chunks.host).render(event, decision);
}

/** The older program's debug variable shows how the rules came to their verdicts. */
function wantsDebug({ env }: EventContext): boolean {
  return env['SKILL_VALIDATOR_DEBUG'] === 'true';
}

function debugOutput({ context, notes }: HandledEvent): string {
  return wantsDebug(context) ? notes.map(debugLine).join('') : '';
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
  if (failure === undefined || !('reason' in decision) || isLoopOnly(decision.by)) return decision;
  const why = `\n${whyLine(decision.id)}`;
  const { reason } = decision;
  const body = reason.endsWith(why) ? reason.slice(0, -why.length) : reason;
  const note = heldButUnwritable(failure, isOfLock(failure, layout));
  return { ...decision, reason: `${body}\n${note}${unnoted === undefined ? why : ''}` };
}

/** The loop's own text is a wire format, so nothing may be added to it. */
function isLoopOnly(by: readonly string[]): boolean {
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
