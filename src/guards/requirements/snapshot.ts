import { WRITING_OPERATIONS } from '../../core/effect-kinds';
import { type EventOf, mcpToolOf, type ToolCall } from '../../core/event';
import {
  countIn,
  flagIn,
  isJsonObject,
  type JsonObject,
  objectIn,
  objectsIn,
  textIn,
  textsIn,
} from '../../core/json';
import { isReadingTool } from '../../core/mcp-call';
import { plainKind } from '../../core/plain-command';
import { onlyEdits } from '../../core/project-paths';
import { hasUncheckedCalls, snapshotFile } from './concerns';
import { programsIn } from './effect-messages';
import type { Requirement } from './section';
import {
  changeMetrics,
  isJudgedAfter,
  isJudgedByBranch,
  presentValue,
  rulesJudgedAfter,
  type View,
} from './view';

/*
 * What a session compares with, to find what was done without satisfying a rule: the refs when it began or when a turn
 * last ended, and the calls since then that may have changed something.
 */

export function readSnapshot(view: View): WorkSnapshot | undefined {
  if (!isJudgedAfter(view.config)) return undefined;
  const value = presentValue(view.ctx.document(snapshotFile(view.key)));
  return isJsonObject(value) ? parseSnapshot(value) : undefined;
}

export type WorkSnapshot = ReturnType<typeof parseSnapshot>;

/** The refs at one moment. */
export function parseRefs(value: JsonObject) {
  const refsIn = (key: string): Readonly<Record<string, string>> =>
    Object.fromEntries(
      Object.keys(objectIn(value, key)).map((name) => [name, textIn(value[key], name) ?? '']),
    );
  return {
    head: textIn(value, 'head'),
    heads: refsIn('heads'),
    /** Remote branches. */
    remotes: refsIn('remotes'),
    /** Branches checked out in other work trees. */
    elsewhere: textsIn(value, 'elsewhere'),
    /** Absent if there were too many. */
    tags: value['tags'] === undefined ? undefined : refsIn('tags'),
    /** The commits that were checked out before commits that had their pass. */
    accepted: textsIn(value, 'accepted'),
  };
}

function parseSnapshot(value: JsonObject) {
  return {
    ...parseRefs(value),
    /** Milliseconds since the epoch. */
    at: countIn(value, 'at'),
    /** The refs after the last call that had a pass of a rule, by rule: the others still ask what it did. */
    covered: objectIn(value, 'covered'),
    /** The calls whose changes cannot be known beforehand. Only program and verb: the rest may be private. */
    calls: objectsIn(value, 'calls').map((one) => ({
      at: countIn(one, 'at'),
      what: textIn(one, 'what') ?? '',
      /** The rules that were open when it began. */
      open: textsIn(one, 'open'),
      /** The only files that it can have changed; absent if that cannot be known. */
      paths: one['paths'] === undefined ? undefined : textsIn(one, 'paths'),
      /** Whether it can only make us forget branches of a remote, and none was gone before it. */
      forgets: flagIn(one, 'forgets') === true,
    })),
    /** What was reported last, so that it is not reported again. */
    told: textIn(value, 'told') ?? '',
  };
}

export function refsNow({ ctx }: View): JsonObject {
  const { head, heads = {}, remotes = {}, tags, elsewhere = [] } = ctx.refs() ?? {};
  const others = { ...(tags !== undefined && { tags: { ...tags } }), elsewhere: [...elsewhere] };
  return { ...(head !== undefined && { head }), heads: { ...heads }, remotes: { ...remotes }, ...others };
}

function newSnapshot(view: View): JsonObject {
  return { at: view.ctx.now, ...refsNow(view), covered: {}, calls: [], told: '' };
}

/** Takes a new snapshot: everything done so far complied with its rules, or the person knows of it. */
function takeSnapshot(view: View): void {
  const value = newSnapshot(view);
  view.ctx.change({ document: snapshotFile(view.key), what: 'look at the refs', apply: () => value });
  noteSnapshotExists(view, true);
}

/** A new session gets a snapshot of the project as it is; a resumed one keeps the snapshot it has. */
export function beginSnapshot(view: View, isNew: boolean): void {
  if (!isJudgedAfter(view.config) || (!isNew && readSnapshot(view) !== undefined) || mayBeForged(view))
    return;
  takeSnapshot(view);
}

/** Whether calls are still unchecked and the event is not from the client: an agent could have sent it. */
function mayBeForged(view: View): boolean {
  return (readSnapshot(view)?.calls.length ?? 0) > 0 && !view.ctx.client().isSender;
}

export function removeSnapshot(view: View): void {
  if (readSnapshot(view) === undefined || mayBeForged(view)) return;
  view.ctx.change({ document: snapshotFile(view.key), what: 'look over', apply: () => undefined });
  noteSnapshotExists(view, false);
}

export const MOST_CALLS = 100;

/**
 * Notes a call that may change more than it shows, while a rule is open that it may break. After such a call all others
 * are noted too, and edits: it is not to blame for what they change. `triggered` are the rules that this call has met.
 */
export function noteSuspectCall(
  { call }: EventOf<'tool.before'>,
  triggered: readonly Requirement[],
  view: View,
): void {
  const paths = onlyEdits(call, view.ctx) ? { paths: [...call.paths] } : undefined;
  if ((paths === undefined && !mayChangeMore(call)) || isDamaged(view)) return;
  const rules = rulesJudgedAfter(view.config);
  const isOpen = (rule: Requirement): boolean => 'branches' in rule || !view.isSatisfied(rule);
  // A pass for one call does not cover a second one, and the call may go to another branch.
  const isWanted = (rule: Requirement): boolean =>
    rule.scope === 'single_use' || isJudgedByBranch(rule) || isOpen(rule);
  const isFirst = !hasUncheckedCalls(view);
  if (isFirst && !rules.some(isWanted)) return;
  const open = rules.filter((rule) =>
    rule.scope === 'single_use' ? !triggered.includes(rule) : isOpen(rule),
  );
  const suspect = {
    at: view.ctx.now,
    what: programsIn(call, view.ctx),
    open: open.map(({ name }) => name),
    ...paths,
    ...(onlyForgets(call, view) && { forgets: true }),
  };
  // Refs that moved before the first call of a turn were moved by others, such as a person pushing in between.
  const begun = isFirst ? newSnapshot(view) : undefined;
  if (isFirst) noteSnapshotExists(view, true);
  view.ctx.change({
    document: snapshotFile(view.key),
    what: 'calls to look at',
    apply: (current) => {
      const kept = isJsonObject(current) ? current : {};
      const calls = objectsIn(kept, 'calls');
      const look = calls.length > 0 ? kept : { ...kept, ...begun };
      if (calls.some(({ at, what }) => at === suspect.at && what === suspect.what)) return current;
      // Keep the first call, which tells since when, and the latest ones, but of edits of a file only the last.
      const isAgain = (one: JsonObject): boolean =>
        paths !== undefined && JSON.stringify(one['paths']) === JSON.stringify(paths.paths);
      const others = calls.filter((one, index) => index === 0 || !isAgain(one));
      const noted = others.length < MOST_CALLS ? others : [...others.slice(0, 1), ...others.slice(2)];
      return { ...look, calls: [...noted, suspect] };
    },
  });
}

/** Commands such as `git remote prune origin` change only what is known here, and nothing at the remote. */
function onlyForgets({ command = '' }: ToolCall, view: View): boolean {
  const lines = /\bgit remote\b/.test(command) ? (view.ctx.commandLines(command) ?? []) : [];
  const isPlain = (line: string): boolean => /^git remote [^$`]+$/.test(line) || plainKind(line) === 'reads';
  const { remotes = {} } = view.ctx.refs() ?? {};
  const isGone = (name: string): boolean => remotes[name] === undefined;
  return (
    lines.length > 0 &&
    lines.every((words) => isPlain(words.join(' '))) &&
    !Object.keys(readSnapshot(view)?.remotes ?? {}).some(isGone)
  );
}

/**
 * Every call except those that certainly only read; edits in the project are judged before they run. A file elsewhere
 * may change what other programs do: a git setting, or a program with the name of one that reads.
 */
function mayChangeMore(call: ToolCall): boolean {
  const { op, command } = call;
  if (command !== undefined) return plainKind(command) !== 'reads';
  const tool = mcpToolOf(call);
  if (tool !== undefined) return !isReadingTool(tool, call.input);
  return op === 'other' || WRITING_OPERATIONS.includes(op);
}

/** We write the snapshot atomically, so somebody else damaged it. It stays so until the turn ends. */
export function isDamaged({ ctx, key, metrics }: View): boolean {
  const { kind } = ctx.document(snapshotFile(key));
  return kind === 'unreadable' || (kind === 'missing' && flagIn(metrics, HAS_SNAPSHOT) === true);
}

/** Flag in the session's counts that a snapshot exists: if the file is missing, somebody removed it. */
const HAS_SNAPSHOT = 'looked';

function noteSnapshotExists(view: View, isLooked: boolean): void {
  if ((flagIn(view.metrics, HAS_SNAPSHOT) === true) !== isLooked)
    changeMetrics(view, (metrics) => ({ ...metrics, [HAS_SNAPSHOT]: isLooked }));
}

/** Accepts everything done so far, if there is anything: suspect calls, or refs that have moved. */
export function renewSnapshot(view: View): void {
  const { calls = [], head, heads } = readSnapshot(view) ?? {};
  const refs = view.ctx.refs();
  if (calls.length > 0 || head !== refs?.head || JSON.stringify(heads) !== JSON.stringify(refs?.heads ?? {}))
    takeSnapshot(view);
}
