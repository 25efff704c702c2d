import { existsSync } from 'node:fs';
import { dirname } from 'node:path';
import { realPath, UnknownFact } from '../core/context';
import { type EffectSource, judge, type UnjudgedRule } from '../core/decide';
import type { EventHeader, EventKind } from '../core/event';
import { type Chunks, selectGuards } from '../core/guard';
import { concernedGuards, type ProjectWithState } from '../core/hook';
import { objectIn, textIn } from '../core/json';
import { openEvent } from '../core/pipeline';
import { guardConfig, projectAbove } from '../core/project';
import { isBelow } from '../core/project-paths';
import { isGlob, sessionRecordRef, sha256Hex } from '../core/text';
import { branchLabel, findGit, type GitHead, type GitPlace, type HeadPosition, readHead } from '../git/head';
import { worktreeRoot, worktreesOf } from '../git/refs';
import type { RequirementsConfig } from '../guards/requirements/section';
import { hostNamed } from '../hosts/claude-code/index';
import type { Host } from '../hosts/host';
import type { LogHead, PastEvent } from '../hosts/session-log';
import { layoutOf } from '../state/documents';
import { metricsFile, registerSession, sessionFileKey } from '../state/sessions';
import { Branches, branchInLog } from './branches';
import { type Assumption, PastState, pastFacts, remembered } from './memory';
import { changesOfCommands } from './own-commands';
import type { Rules } from './rules';
import { failedIn, keyOf, Tally } from './tally';
import { eventsOf, type PastSession } from './transcripts';

/** The project whose rules are replayed. */
export interface ReplayTarget {
  readonly project: ProjectWithState;
  readonly chunks: Chunks;
  /** The roots of all its work trees. */
  readonly roots: readonly string[];
  /** Whether to replay the sessions of all projects, each in its own place. */
  readonly isForAll: boolean;
  /** Only events from then on are counted; earlier ones are replayed all the same. */
  readonly since: number;
}

export function replayTarget(
  project: ProjectWithState,
  chunks: Chunks,
  isForAll: boolean,
  since: number,
): ReplayTarget {
  const common = project.git?.commonDir;
  const linked = common === undefined ? [] : worktreesOf({ commonDir: common });
  const others = linked.flatMap((name) => worktreeRoot(common ?? '', name) ?? []);
  const main = common?.endsWith('/.git') ? [dirname(common)] : [];
  return { project, chunks, isForAll, since, roots: [...new Set([project.root, ...main, ...others])] };
}

/** Whether a transcript belongs to this project. */
export function belongsToTarget({ cwd, rootHash }: LogHead, { roots, isForAll }: ReplayTarget): boolean {
  if (isForAll) return true;
  return cwd === '' ? roots.some((root) => sha256Hex(root) === rootHash) : rootFor(cwd, roots) !== undefined;
}

function rootFor(cwd: string, roots: readonly string[]): string | undefined {
  const inOrder = [...roots].sort((a, b) => b.length - a.length);
  return (
    inOrder.find((root) => isBelow(cwd, root)) ??
    inOrder.find((root) => isBelow(realPath(cwd), realPath(root)))
  );
}

/** One config, the state that the sessions so far left, and the counts of its rules. */
interface RuleReplay {
  readonly rules: Rules;
  readonly memory: PastState;
  readonly tally: Tally;
}

/** A session while it is replayed. */
interface ReplayedSession {
  readonly session: PastSession;
  readonly host: Host;
  readonly pid: number;
  readonly start: ProjectWithState;
  readonly branches: Map<string, Branches>;
  until: number;
  isCounted: boolean;
}

/** Offset of the numbers that stand in for process ids. */
const FIRST_PID = 1_000_000_000;

/** Replays sessions one after the other through one or several configs. */
export class SessionPlayer {
  readonly #stage: ReplayTarget;
  readonly #courses: readonly RuleReplay[];
  readonly #projects = new Map<string, ProjectWithState>();
  readonly #calls = new Set<string>();
  readonly #played: ReplayedSession[] = [];
  readonly #env: Readonly<Record<string, string>>;
  sessions = 0;
  calls = 0;

  constructor(stage: ReplayTarget, rules: readonly Rules[]) {
    const { chunks } = stage;
    const linesIn = remembered((key) =>
      chunks.commandLines(...(JSON.parse(key) as Parameters<typeof commandLines>)),
    );
    const commandLines: Chunks['commandLines'] = (...line) => linesIn(JSON.stringify(line));
    this.#stage = { ...stage, chunks: { ...chunks, commandLines } };
    this.#courses = rules.map((one) => {
      return { rules: one, memory: new PastState(), tally: new Tally(one.config) };
    });
    this.#env = { HOME: stage.project.home };
  }

  /** The counts of each config, in the given order. */
  get tallies(): readonly Tally[] {
    return this.#courses.map(({ tally }) => tally);
  }

  /** Returns how many lines of its transcripts were skipped. */
  async play(session: PastSession): Promise<number> {
    const { chunks, project } = this.#stage;
    const cwd = session.logs.find((log) => log.cwd !== '')?.cwd ?? project.root;
    const replayed: ReplayedSession = {
      session,
      host: hostNamed(session.host, chunks.host),
      pid: FIRST_PID + this.#played.length,
      start: this.#projectAt(cwd) ?? project,
      branches: new Map(),
      until: session.startedAt,
      isCounted: false,
    };
    const reading = { skipped: 0 };
    let isBegun = false;
    for (const event of eventsOf(session, reading)) {
      if (!isBegun) this.#begin(replayed, event);
      isBegun = true;
      replayed.until = Math.max(replayed.until, event.at);
      await this.#playEvent(replayed, event);
    }
    this.#played.push(replayed);
    this.#forget(replayed);
    return reading.skipped;
  }

  #begin(replayed: ReplayedSession, event: PastEvent): void {
    const { session, start, pid } = replayed;
    const branch = branchLabel(headOf(start.git, this.#branchesIn(replayed, start).at(event)));
    const { layout, root: projectDir } = start;
    const registration = { sessionId: session.id, projectDir, branch, host: { pid }, pid, now: event.at };
    for (const { memory } of this.#courses)
      memory.apply(layout, registerSession({ ...registration, began: true }));
  }

  #forget({ session: { id }, start: { layout } }: ReplayedSession): void {
    for (const { memory } of this.#courses) {
      const key = sessionFileKey(id, (ref) => memory.read(layout, ref));
      memory.forget(layout, [metricsFile(key), sessionRecordRef(id)]);
    }
  }

  async #playEvent(replayed: ReplayedSession, event: PastEvent): Promise<void> {
    const { host } = replayed;
    const raw = event.raw['cwd'] === '' ? { ...event.raw, cwd: replayed.start.root } : event.raw;
    const header = host.readHeader(raw);
    if (this.#isKnown(header, event)) return;
    const project = this.#projectAt(header.cwd) ?? replayed.start;
    const branches = this.#branchesIn(replayed, project);
    this.#runCommands(replayed, event, project, branches);
    const position = branches.at(event);
    const isCounted = event.at >= this.#stage.since;
    if (isCounted && header.kind === 'tool.before') this.calls++;
    if (isCounted && !replayed.isCounted) {
      replayed.isCounted = true;
      this.sessions++;
    }
    for (const course of this.#courses) {
      await this.#judge(course, { replayed, event: { ...event, raw }, header, project, position, isCounted });
    }
  }

  /** Forked and resumed sessions repeat earlier calls in their transcripts. */
  #isKnown({ kind }: EventHeader, { callId }: PastEvent): boolean {
    if (callId === undefined) return false;
    const key = `${kind === 'tool.before' ? '<' : '>'}${callId}`;
    if (this.#calls.has(key)) return true;
    this.#calls.add(key);
    return false;
  }

  /** Applies what the agent's own commands did between the two events of a call. */
  #runCommands(
    replayed: ReplayedSession,
    event: PastEvent,
    project: ProjectWithState,
    branches: Branches,
  ): void {
    const { ended, raw, at } = event;
    const command = textIn(objectIn(raw, 'tool_input'), 'command');
    if (ended === undefined || command === undefined || !OF_INTEREST.test(command)) return;
    const lines = this.#stage.chunks.commandLines(command, textIn(raw, 'cwd') ?? '') ?? [];
    const branch = branchLabel(headOf(project.git, branches.at(event)));
    const ran = { ended, at, sessionId: replayed.session.id, branch, project: project.root };
    for (const { rules, memory } of this.#courses) {
      const config = requirementsOf(rules);
      if (config === undefined) continue;
      const read = (ref: Parameters<PastState['read']>[1]) => memory.read(project.layout, ref);
      for (const change of changesOfCommands(lines, config, ran, read)) memory.apply(project.layout, change);
    }
    if (!ELSEWHERE.test(command)) branches.note(event, lines);
  }

  async #judge(course: RuleReplay, played: Played): Promise<void> {
    const { rules, memory, tally } = course;
    const { header, event, project } = played;
    const { played: config } = rules;
    const { layout } = project;
    const selection = selectGuards([], {});
    const exists = (file: string): boolean => memory.has(layout, file);
    const arrived = { header, raw: event.raw, project, selection };
    const { concerned } = concernedGuards(config, { ...arrived, exists });
    const isNoted = (): boolean =>
      header.kind.startsWith('tool.') &&
      memory.read(layout, sessionRecordRef(header.sessionId)).kind === 'present';
    if (concerned.length === 0 && !isNoted()) return;
    const watched = { kind: 'watched', ...arrived, config, concerned, shadow: [], failures: [] } as const;
    const look = (assumption: Assumption) => this.#look(course, watched, played, assumption);
    const least = await look('least');
    const most = least.isUnsure && CAN_BE_HELD.includes(header.kind) ? await look('most') : least;
    const isIn = (list: readonly UnjudgedRule[], one: UnjudgedRule): boolean =>
      list.some((other) => keyOf(other) === keyOf(one));
    const held = least.held.filter((one) => isIn(most.held, one));
    const once = <T extends UnjudgedRule>(list: readonly T[], but: readonly UnjudgedRule[]): T[] =>
      list.filter(
        (one, at) => !isIn(but, one) && list.findIndex((other) => keyOf(other) === keyOf(one)) === at,
      );
    const failed = once([...least.failed, ...most.failed], held);
    const either = [...least.held, ...most.held, ...least.unknown, ...most.unknown];
    const unknown = once(either, [...held, ...failed]);
    if (played.isCounted) tally.count(least.event, project.root, { held, unknown, failed });
    // In reality nothing was held, so continue with the changes of the judgement that holds less.
    const chosen = most.held.length < least.held.length ? most : least;
    for (const change of chosen.judgement.changes) memory.apply(layout, change);
  }

  async #look(
    course: RuleReplay,
    watched: Parameters<typeof openEvent>[0],
    played: Played,
    assumption: Assumption,
  ) {
    const { chunks } = this.#stage;
    const { replayed, event, project, position, header } = played;
    const suspect = assumption === 'most' ? guardedBranch(course.rules) : UNKNOWN_BRANCH;
    const place = project.git ?? (event.branch ? repositoryThen(project.root) : undefined);
    const git = headOf(place, position, suspect);
    const { facts, isUnsure } = pastFacts(
      {
        at: event.at,
        cwd: header.cwd,
        project,
        git,
        before: event.before,
        rulesRoot: this.#stage.project.root,
        pid: replayed.pid,
        isAtWork: (pid) => this.#isAtWork(pid, event.at),
      },
      course.memory,
      assumption,
    );
    const unknown: UnjudgedRule[] = [];
    const given = { host: header.host, only: [], env: this.#env, chunks, now: event.at };
    const { context } = openEvent(watched, { ...given, past: { facts, git } });
    const judgement = await judge(context, effectsNotRun(unknown));
    return {
      event: context.event,
      judgement,
      held: course.tally.heldBy(judgement),
      unknown: [...unknown, ...judgement.unknown],
      failed: failedIn(judgement.failures),
      isUnsure: isUnsure() || (position === undefined && git !== undefined),
    };
  }

  #isAtWork(pid: number, at: number): boolean | undefined {
    const other = this.#played[pid - FIRST_PID];
    return other !== undefined && at >= other.session.startedAt && at <= other.until ? true : undefined;
  }

  #branchesIn({ branches, session }: ReplayedSession, project: ProjectWithState): Branches {
    const known = branches.get(project.root);
    if (known !== undefined) return known;
    const { git } = project;
    const now = git && readHead(git, this.#stage.chunks.askGit);
    const fresh = new Branches(branchInLog(git, now, session.startedAt));
    branches.set(project.root, fresh);
    return fresh;
  }

  /** The project of a directory: this one's work tree, or its own project if all projects are replayed. */
  #projectAt(cwd: string): ProjectWithState | undefined {
    const known = this.#projects.get(cwd);
    if (known !== undefined) return known;
    const { roots, isForAll, project } = this.#stage;
    const root = rootFor(cwd, roots);
    if (root === undefined && !isForAll) return undefined;
    const ground = root === undefined ? unknownProject(cwd, project.home) : workTree(root, project);
    this.#projects.set(cwd, ground);
    return ground;
  }
}

interface Played {
  readonly replayed: ReplayedSession;
  readonly event: PastEvent;
  readonly header: EventHeader;
  readonly project: ProjectWithState;
  readonly position: HeadPosition | undefined;
  readonly isCounted: boolean;
}

/** Other events cannot be held any more, so for them one assumption is enough. */
const CAN_BE_HELD: readonly EventKind[] = ['tool.before', 'turn.stop', 'prompt.submit'];

/** Command lines that may have changed something that the rules depend on. */
const OF_INTEREST = /\b(?:req|holdpoint|switch|checkout)\b/;
/** A line that changes directory first may have switched the branch there. */
const ELSEWHERE = /(?:^|[\s;&|(])(?:cd|pushd)\s|\s-C\s/;

/** Runs nothing: requirements continue without the result, other guards cannot decide. */
function effectsNotRun(unknown: UnjudgedRule[]): EffectSource {
  return {
    run: async (guard, { name, rules = [] }) => {
      unknown.push(...rules.map((rule) => ({ guard, rule })));
      if (guard === 'requirements') return {};
      throw new UnknownFact(`${guard} would have run ${name}`);
    },
  };
}

const UNKNOWN_BRANCH = '(unknown)';

/** HEAD as it was. An unknown branch is assumed once to be a neutral one, once one that rules protect. */
function headOf(
  place: GitPlace | undefined,
  position: HeadPosition | undefined,
  branch = UNKNOWN_BRANCH,
): GitHead | undefined {
  if (place === undefined) return undefined;
  return { ...place, position: position ?? { kind: 'branch', branch } };
}

/** Stands in for a repository that the transcript mentions but that no longer exists. */
function repositoryThen(root: string): GitPlace {
  return { root, gitDir: `${root}/.git`, commonDir: `${root}/.git` };
}

function requirementsOf({ config }: Rules): RequirementsConfig | undefined {
  return guardConfig(config, 'requirements') as RequirementsConfig | undefined;
}

/** A branch that some rule protects. */
function guardedBranch(rules: Rules): string {
  const named = (requirementsOf(rules)?.requirements ?? []).flatMap((one) =>
    'branches' in one ? one.branches : [],
  );
  return named.find((branch) => !isGlob(branch)) ?? 'main';
}

function workTree(root: string, project: ProjectWithState): ProjectWithState {
  const found = root === project.root ? project : projectAbove(root, project.home);
  return found?.layout === undefined ? project : { ...found, layout: found.layout };
}

function unknownProject(cwd: string, home: string): ProjectWithState {
  // A directory that is gone must not be assigned to a repository that happens to be above it.
  const git = existsSync(cwd) ? findGit(cwd) : undefined;
  const root = git?.root ?? cwd;
  const place = git ?? repositoryThen(root);
  const own = `${place.commonDir}/holdpoint`;
  const layout = layoutOf(root, place, home, false) ?? { root, git: place.commonDir, own, home };
  return { root, home, git, layout, marked: false, configured: true };
}
