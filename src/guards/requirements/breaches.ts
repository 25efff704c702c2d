import { isAbsolute, join } from 'node:path';
import type { Effect } from '../../core/effect-kinds';
import type { Context } from '../../core/guard';
import {
  countIn,
  isJsonObject,
  type JsonObject,
  objectIn,
  objectsIn,
  textIn,
  textsIn,
} from '../../core/json';
import { BYTECODE, isConfig, isPlan } from '../../core/project-paths';
import { isSameSession } from '../../core/text';
import { type Refs, wasFetched } from '../../git/refs';
import { metricsFile } from '../../state/sessions';
import { CLOCK_LAG_MS, snapshotFile } from './concerns';
import { appliesToPaths, isOpenOn } from './judge';
import type { Requirement } from './section';
import { isDamaged, MOST_CALLS, parseRefs, readSnapshot, refsNow, type WorkSnapshot } from './snapshot';
import {
  isJudgedByBranch,
  presentValue,
  REF_EFFECTS,
  rulesJudgedAfter,
  TREE_EFFECTS,
  type View,
} from './view';

/*
 * Finds what was done without satisfying its rule, from the work tree and the refs: what a command line does not show
 * cannot be held beforehand.
 */

function isOpen(rule: Requirement, view: View): boolean {
  return 'branches' in rule || !view.isSatisfied(rule);
}

/** The rules that are open here, or may be where commits were made. */
function openRules(view: View): Requirement[] {
  return rulesJudgedAfter(view.config).filter((rule) => isJudgedByBranch(rule) || isOpen(rule, view));
}

/** Something that was done without satisfying its rule. */
export interface Breach {
  readonly requirement: Requirement;
  /** What was done, as the end of a sentence about the session: `changed src/a.js`. */
  readonly what: string;
  /** The command that did it, as far as that can be told. */
  readonly by: string;
  /** The branch on which to satisfy it, if that is not the current one. */
  readonly branch?: string | undefined;
  /** How the agent can undo it. */
  readonly takeBack: string;
}

const DETACHED = 'HEAD';

type RefChanges = ReturnType<typeof refChangesSince>;
type ChangesOf = (rule?: Requirement) => RefChanges;

/** The snapshot that a rule compares with. */
function snapshotFor({ name }: Requirement, snapshot: WorkSnapshot): WorkSnapshot {
  const covered = snapshot.covered[name];
  return isJsonObject(covered) ? { ...snapshot, ...parseRefs(covered) } : snapshot;
}

/** How the refs have changed for a rule, looked up once for all rules that compare with the same snapshot. */
function refChangesBy(snapshot: WorkSnapshot, ctx: Context): ChangesOf {
  let common: RefChanges | undefined;
  return (rule) => {
    const own = rule === undefined ? snapshot : snapshotFor(rule, snapshot);
    if (own !== snapshot) return refChangesSince(own, ctx);
    common ??= refChangesSince(snapshot, ctx);
    return common;
  };
}

/** How the refs differ from the snapshot. */
function refChangesSince(snapshot: WorkSnapshot, ctx: Context) {
  const refs = ctx.refs();
  if (refs === undefined)
    return { committed: [], tips: [], known: [], merged: () => [], pushed: [], dropped: [], moved: [] };
  const since = Math.floor(snapshot.at / 1000);
  const before = ctx.moves('HEAD').filter(({ at }) => at < since);
  const remote = fetchedBranches(snapshot, refs, ctx);
  // Commits that a branch already had, or that came from a remote, are not new.
  const known = new Set([
    ...(snapshot.head === undefined ? [] : [snapshot.head]),
    ...Object.values(snapshot.heads),
    ...remote.map(([, commit]) => commit),
    ...before.flatMap(({ from, to }) => [from, to]),
    ...snapshot.accepted,
  ]);
  const changed = Object.entries(headsOf(refs)).filter(([name, commit]) => snapshot.heads[name] !== commit);
  const how = (name: string): string =>
    ctx.moves(name === DETACHED ? name : `refs/heads/${name}`).at(-1)?.how ?? '';
  // Anyone can make git write any reflog message, but a real pull also updates FETCH_HEAD.
  const hasFetched = (): boolean => {
    const file = ctx.file({ path: join(ctx.git?.gitDir ?? '', 'FETCH_HEAD') });
    return file.kind === 'file' && file.mtimeMs >= snapshot.at;
  };
  // Someone else may work in another work tree, unless it was created since the snapshot.
  const isElsewhere = (name: string): boolean =>
    refs.elsewhere.includes(name) && snapshot.elsewhere.includes(name);
  const isOthers = (name: string): boolean =>
    snapshot.heads[name] !== undefined ? isElsewhere(name) : isBranchOfOtherSession(name, ctx);
  const isBrought = (name: string): boolean =>
    (wasFetched(how(name)) || PULLED.test(how(name))) && hasFetched();
  const isOld = (commit: string): boolean => known.has(commit) || ctx.isIn(commit, [...known]);
  const made = changed.filter(([name, commit]) => !isOthers(name) && !isBrought(name) && !isOld(commit));
  const pushed = pushedSince(snapshot, refs, ctx);
  // A pushed commit need not be on a local branch.
  const seen = new Set([...known, ...made.map(([, commit]) => commit)]);
  const loose = pushed
    .map((name) => [name, refs.remotes[name] ?? ''] as const)
    .filter(([, commit]) => !seen.has(commit) && !ctx.isIn(commit, [...seen]));
  // So may a commit that only a tag holds; one that a fetch may have brought does not count.
  const held = [refs.head ?? '', ...known, ...Object.values(refs.heads), ...Object.values(refs.remotes)];
  const tagged = Object.entries((snapshot.tags && refs.tags) ?? {})
    .filter(([name, commit]) => snapshot.tags?.[name] !== commit && !held.includes(commit))
    .filter(([, commit]) => !hasFetched() && !ctx.isIn(commit, held))
    .map(([name, commit]) => [`the tag ${name}`, commit] as const);
  const committed = [...made, ...loose, ...tagged];
  const merges = ([name, commit]: readonly [string, string]): boolean =>
    /^merge |^commit \(merge\)/.test(how(name)) || ctx.addsMerge(commit, [...known]);
  const gone = Object.keys(snapshot.heads).filter((name) => refs.heads[name] === undefined);
  // A branch that is where its remote branch is, or a new branch without new commits.
  const isFollowing = ([name, commit]: readonly [string, string]): boolean =>
    snapshot.heads[name] === undefined
      ? !committed.some(([one]) => one === name)
      : remote.some(([of, tip]) => of.replace(/^[^/]+\//, '') === name && tip === commit);
  return {
    /** Branches with a commit that no branch had, here or at a remote. */
    committed: committed.map(([name]) => name),
    /** The tips of these branches, and the commits that were there before. */
    tips: committed.map(([, commit]) => commit),
    known: [...known],
    /** The `committed` branches that add a merge. Runs git. */
    merged: () => committed.filter(merges).map(([name]) => name),
    /** Remote branches that were pushed to. */
    pushed,
    /** Remote branches that disappeared without a fetch. */
    dropped: Object.keys(snapshot.remotes).filter(
      (name) => refs.remotes[name] === undefined && !hasFetched(),
    ),
    /** Branches that are gone, or moved without just following their remote branch. */
    moved: [...gone, ...changed.filter((one) => !isFollowing(one)).map(([name]) => name)],
  };
}

/** A `git pull` may create a merge, or put own commits on top of what it fetched; that is allowed. */
const PULLED = /^pull\b.*(?:: Merge made by |\((?:finish|pick|continue)\))/;

/** Remote branches that git itself fetched: others may be made up, or pushed from here. */
function fetchedBranches(
  snapshot: WorkSnapshot,
  { remotes }: Refs,
  ctx: Context,
): [name: string, commit: string][] {
  const isReal = ([name, commit]: readonly [string, string]): boolean => {
    const how = ctx.moves(`refs/remotes/${name}`).at(-1)?.how ?? '';
    return snapshot.remotes[name] === commit || wasFetched(how);
  };
  return Object.entries(remotes).filter(isReal);
}

/** Whether another live session works on this branch, in a work tree of its own. */
function isBranchOfOtherSession(name: string, ctx: Context): boolean {
  return ctx.sessions().some(({ alive, branch, projectDir }) => {
    return alive && branch === name && projectDir !== ctx.projectRoot;
  });
}

/** The branches, and HEAD if no branch is at its commit. */
function headsOf({ head, heads }: Refs): Readonly<Record<string, string>> {
  return head === undefined || Object.values(heads).includes(head) ? heads : { ...heads, [DETACHED]: head };
}

/** Remote branches that were pushed to from here since the snapshot, regardless of clocks. */
function pushedSince(snapshot: WorkSnapshot, { remotes }: Refs, ctx: Context): string[] {
  return Object.entries(remotes).flatMap(([name, commit]) => {
    if (snapshot.remotes[name] === commit) return [];
    const last = ctx.moves(`refs/remotes/${name}`).at(-1);
    return last?.to === commit && /update by push/.test(last.how) ? [name] : [];
  });
}

/** Everything that was done since the snapshot without satisfying a rule that is still open. */
export async function findBreaches(view: View): Promise<readonly Breach[]> {
  const { ctx } = view;
  const rules = openRules(view);
  if (isDamaged(view)) return rules.map(damagedSnapshot);
  const snapshot = readSnapshot(view);
  const first = snapshot?.calls[0];
  // Without a suspect call it was someone else.
  if (snapshot === undefined || first === undefined || rules.length === 0) return [];
  const changesOf = refChangesBy(snapshot, ctx);
  const hasMoved = (): boolean => branchAt(ctx.now, snapshot, ctx) !== undefined;
  const ofTrees = rules.filter(
    (rule) =>
      ctx.git !== undefined &&
      rule.effects.some((one) => TREE_EFFECTS.includes(one)) &&
      (isOpen(rule, view) || (isJudgedByBranch(rule) && hasMoved())),
  );
  const changes =
    ofTrees.length > 0 ? await changedFiles(first.at, snapshot, changesOf(), ofTrees, view) : [];
  // A commit is undone before what is in it.
  return [
    ...rules.flatMap((rule) => refBreaches(rule, changesOf, snapshot, view)),
    ...ofTrees.flatMap((rule) =>
      changes === UNREADABLE
        ? unreadableRepository(rule, snapshot)
        : treeBreaches(rule, changes, snapshot, view),
    ),
  ];
}

function damagedSnapshot(requirement: Requirement): Breach {
  return {
    requirement,
    what: 'damaged the record of the commands that it ran',
    by: '',
    takeBack: 'tell the user what the commands of this turn have changed',
  };
}

/** Git refuses to work in the project, for example because its index or config is broken. */
const UNREADABLE = 'unreadable';

function unreadableRepository(requirement: Requirement, snapshot: WorkSnapshot): Breach {
  return {
    requirement,
    what: 'may have left the project so that git cannot tell what was changed',
    by: nameOf(responsibleCall(snapshot), snapshot),
    takeBack: 'repair it until `git status` works again',
  };
}

/** A file that differs from HEAD or that new commits changed. */
interface Changed {
  readonly path: string;
  /** Milliseconds since the epoch. */
  readonly at: number;
  readonly isGone: boolean;
  /** The branches that have it in a new commit, if that is not checked out. */
  readonly on: readonly string[];
}

async function changedFiles(
  since: number,
  { head: from, heads: { main, master, ...others } }: WorkSnapshot,
  { committed, tips, known }: RefChanges,
  rules: readonly Requirement[],
  view: View,
): Promise<Changed[] | typeof UNREADABLE> {
  const { ctx, project } = view;
  const commits = tips.length === 0 ? {} : { tips: [...tips], known: [...known] };
  const before = [...new Set([main, master, ...Object.values(others)])].filter((one) => one !== undefined);
  const refs = { from: from ?? null, head: ctx.refs()?.head ?? null, commits: before };
  const input = { since, ...refs, ...commits };
  const brought = await ctx.run({ name: 'changes', input, rules: rules.map(({ name }) => name) });
  if (isJsonObject(brought) && brought['isRefused'] === true) return UNREADABLE;
  const trouble = textIn(brought, 'trouble');
  if (trouble !== undefined) {
    const detail = `git could not list what was changed: ${trouble}`;
    ctx.trouble({ code: 'effect.failed', guard: 'requirements', detail });
  }
  const ofOthers = filesOfOtherSessions(view);
  return objectsIn(brought, 'files')
    .map((one) => ({
      path: join(project, textIn(one, 'path') ?? ''),
      at: countIn(one, 'at'),
      isGone: one['isGone'] === true,
      on: committed.filter((_, index) => tips[index] === one['tip']),
    }))
    .filter(
      ({ path }) => isAbsolute(path) && !isPlan(path, ctx) && !BYTECODE.test(path) && !ofOthers.has(path),
    );
}

/** Files that other live sessions here edited with a tool: their own rules allowed it. */
function filesOfOtherSessions({ ctx, sessionId }: View): ReadonlySet<string> {
  const counts = ctx.sessions().flatMap(({ id, alive, projectDir, sessionId: other }) => {
    const isOther = alive && projectDir === ctx.projectRoot && !isSameSession(other, sessionId);
    return isOther ? [presentValue(ctx.document(metricsFile(id)))] : [];
  });
  const tools = counts.flatMap((value) => Object.values(objectIn(value, 'tools')));
  return new Set(tools.flatMap((tool) => textsIn(tool, 'files')));
}

const SHOWN = 3;

function treeBreaches(
  requirement: Requirement,
  changed: readonly Changed[],
  snapshot: WorkSnapshot,
  view: View,
): Breach[] {
  const { effects, paths, excludePaths } = requirement;
  if ('branches' in requirement && !isOpenOn(requirement, view.branch, view)) return [];
  const placesOf = ({ at, on }: Changed): readonly string[] => {
    if (!isJudgedByBranch(requirement)) return [];
    const left = on.length > 0 ? undefined : branchAt(at, snapshot, view.ctx);
    return left === undefined ? on : [left];
  };
  const wasOpen = (one: Changed): boolean => {
    // A work branch may well be left for the protected one.
    if ('branches' in requirement && one.on.length > 0) return false;
    const { open = [], paths: edited } = responsibleCall(snapshot, one.at, one.path) ?? {};
    const places = edited === undefined ? placesOf(one) : [];
    if (places.length > 0) return openBranches(requirement, places, view).length > 0;
    return open.includes(requirement.name);
  };
  // The host stores there what its user allowed; changes to it are checked separately.
  const settings = `${view.project}/.claude/settings.local.json`;
  const isMeant = ({ path, isGone }: Changed): boolean =>
    ((effects.includes('edit') && path !== settings) ||
      (isGone && effects.includes('delete')) ||
      (effects.includes('config') && isConfig(path, view.ctx))) &&
    appliesToPaths([path], view.project, paths, excludePaths);
  const files = changed.filter((one) => isMeant(one) && wasOpen(one));
  const [first] = files;
  if (first === undefined) return [];
  const [branch] = placesOf(first).flatMap((name) => elsewhere(name, view) ?? []);
  const names = [...new Set(files.map(({ path }) => path.slice(view.project.length + 1)))];
  const more = names.length > SHOWN ? ` and ${names.length - SHOWN} more` : '';
  return [
    {
      requirement,
      what: `${files.every(({ isGone }) => isGone) ? 'deleted' : 'changed'} ${names.slice(0, SHOWN).join(', ')}${more}`,
      by: nameOf(responsibleCall(snapshot, first.at, first.path), snapshot),
      branch,
      // What undoes a change must not be held as another one.
      takeBack:
        'undo your own changes only: new files with `git stash push -u -- FILE` and `git stash drop`, files that had no changes before with `git restore --staged --worktree FILE`',
    },
  ];
}

function refBreaches(
  requirement: Requirement,
  changesOf: ChangesOf,
  snapshot: WorkSnapshot,
  view: View,
): Breach[] {
  const { effects } = requirement;
  if (!('branches' in requirement) && !effects.some((one) => REF_EFFECTS.includes(one))) return [];
  const moved = changesOf(requirement);
  const by = nameOf(responsibleCall(snapshot), snapshot);
  const found = (what: string, takeBack: string): Breach => ({ requirement, what, by, takeBack });
  const back = 'undo the commit, for example with `git reset --soft` to the commit before';
  const theirs = 'tell the user, who can move it back';
  const tell = 'tell the user what was pushed or deleted';
  if ('branches' in requirement) {
    const isOurs = (name: string): boolean => isOpenOn(requirement, name, view);
    const isOursAt = (name: string): boolean => isOurs(name.replace(/^[^/]+\//, ''));
    return [
      ...moved.moved.filter(isOurs).map((name) => found(`moved the protected branch ${name}`, theirs)),
      ...moved.pushed.filter(isOursAt).map((name) => found(`pushed to the protected branch ${name}`, tell)),
      ...moved.dropped.filter(isOursAt).map((name) => found(`deleted the protected branch ${name}`, tell)),
    ];
  }
  const of = (effect: Effect, names: readonly string[], verb: string, takeBack: string): Breach[] =>
    effects.includes(effect) && names.length > 0 ? [found(`${verb} ${names.join(', ')}`, takeBack)] : [];
  const commits = !effects.includes('commit')
    ? []
    : isJudgedByBranch(requirement)
      ? openBranches(requirement, moved.committed, view).map((name) => ({
          ...found(`committed on ${name}`, back),
          branch: elsewhere(name, view),
        }))
      : of('commit', moved.committed, 'committed on', back);
  if (isJudgedByBranch(requirement) && view.isSatisfied(requirement)) return commits;
  return [
    ...commits,
    ...(commits.length > 0 || !effects.includes('merge')
      ? []
      : of('merge', moved.merged(), 'merged into', back)),
    ...of('push', moved.pushed, 'pushed to', tell),
    ...of('push', moved.dropped, 'deleted', tell),
  ];
}

/** The branch that HEAD was moved to last before a time; absent if it has not moved since the snapshot. */
function branchAt(time: number, snapshot: WorkSnapshot, ctx: Context): string | undefined {
  const since = Math.floor(snapshot.at / 1000);
  // A reflog has only seconds: a later call of the same second may have moved it.
  const mayBeLater = (second: number): boolean =>
    snapshot.calls.some(({ at }) => at > time && at < (second + 1) * 1000);
  const moved = ctx.moves('HEAD').findLast(({ at, how }) => {
    return at >= since && at <= time / 1000 && /^checkout: moving /.test(how) && !mayBeLater(at);
  });
  return moved && / to (\S+)$/.exec(moved.how)?.[1];
}

/** The branch, if it is not the current one. A remote branch stands for the one that was pushed and then deleted here. */
function elsewhere(name: string, { ctx, branch }: View): string | undefined {
  const { heads = {}, remotes = {} } = ctx.refs() ?? {};
  const isRemote = heads[name] === undefined && remotes[name] !== undefined;
  const own = isRemote ? name.replace(/^[^/]+\//, '') : name;
  return own !== branch && (isRemote || heads[name] !== undefined) ? own : undefined;
}

/** The branches on which a rule is open; a commit that is also on one where it is satisfied may be on any. */
function openBranches(rule: Requirement, committed: readonly string[], view: View): string[] {
  const { heads = {}, remotes = {} } = view.ctx.refs() ?? {};
  const commitOf = (name: string): string => heads[name] ?? remotes[name] ?? name;
  const isFine = (name: string): boolean => {
    const other = elsewhere(name, view);
    return (other === undefined ? view : view.onBranch(other)).isSatisfied(rule);
  };
  const fine = committed.filter(isFine).map(commitOf);
  return committed.filter((name) => !isFine(name) && !fine.includes(commitOf(name)));
}

type NotedCall = WorkSnapshot['calls'][number];

/** The call during which it happened: the last one started by then, or the first if clocks differ slightly. */
function responsibleCall(
  { calls }: WorkSnapshot,
  at = Number.POSITIVE_INFINITY,
  path?: string,
): NotedCall | undefined {
  const mayHave = (call: NotedCall): boolean =>
    call.paths === undefined
      ? call.at <= at
      : path !== undefined && call.paths.includes(path) && call.at <= at + CLOCK_LAG_MS;
  return calls.findLast(mayHave) ?? calls[0];
}

/** Of many calls some are not kept, and then the first may be named for one of those. */
function nameOf(call: NotedCall | undefined, { calls }: WorkSnapshot): string {
  return call === undefined || (call === calls[0] && calls.length >= MOST_CALLS) ? '' : call.what;
}

/**
 * Right after a command: commits and pushes made without satisfying their rule. Each is reported once; the end of the
 * turn is held for them anyway. `others` are rules whose pass was for less than was done.
 */
export function breachesByCall(view: View, others: readonly Requirement[]): readonly Breach[] {
  const snapshot = readSnapshot(view);
  if (snapshot === undefined || snapshot.calls.length === 0) return [];
  if (snapshot.calls.at(-1)?.forgets) {
    forgetGone(view);
    return [];
  }
  const rules = [...openRules(view), ...others].filter(({ stopOnly }) => !stopOnly);
  const changesOf = refChangesBy(snapshot, view.ctx);
  const found = rules.flatMap((rule) => refBreaches(rule, changesOf, snapshot, view));
  // What is satisfied on its branch stays so, wherever the session goes next.
  const fine = rules.filter(
    (rule) =>
      rule.effects.includes('commit') &&
      isJudgedByBranch(rule) &&
      !found.some(({ requirement }) => requirement === rule),
  );
  acceptCommit(
    fine.filter((rule) => changesOf(rule).committed.length > 0),
    view,
  );
  const told = found.map(({ requirement, what }) => `${requirement.name} ${what}`).join('\n');
  if (found.length === 0 || told === snapshot.told) return [];
  view.ctx.change({
    document: snapshotFile(view.key),
    what: 'told of a change',
    apply: (current) => (isJsonObject(current) ? { ...current, told } : current),
  });
  return found;
}

/** Drops the remote branches that are no longer known here from all that is compared with. */
function forgetGone(view: View): void {
  const { remotes = {} } = view.ctx.refs() ?? {};
  const kept = (refs: JsonObject): JsonObject => {
    const known = Object.entries(objectIn(refs, 'remotes')).filter(([name]) => remotes[name] !== undefined);
    return { ...refs, remotes: Object.fromEntries(known) };
  };
  view.ctx.change({
    document: snapshotFile(view.key),
    what: 'forget remote branches',
    apply: (current) => {
      if (!isJsonObject(current)) return current;
      const covered = objectIn(current, 'covered');
      const names = Object.keys(covered).map((name) => [name, kept(objectIn(covered, name))] as const);
      const calls = objectsIn(current, 'calls').map(({ forgets: _, ...one }) => one);
      return { ...kept(current), covered: Object.fromEntries(names), calls };
    },
  });
}

const MOST_ACCEPTED = 100;

/**
 * After a call that had passes: its commit is accepted for their rules, unless it made more than one. Returns the rules
 * for which it was not.
 */
export function acceptCommit(used: readonly Requirement[], view: View): readonly Requirement[] {
  const snapshot = readSnapshot(view);
  if (snapshot === undefined || used.length === 0) return [];
  const moves = view.ctx.moves('HEAD');
  const refs = refsNow(view);
  const covered = used.flatMap((rule): [string, JsonObject][] => {
    const { head, accepted } = snapshotFor(rule, snapshot);
    const from = moves.findLastIndex(({ to }) => to === head);
    const commits = moves.slice(from + 1).filter(({ how }) => /^(?:commit|cherry-pick|revert|am)/.test(how));
    const known = [...new Set([...accepted, ...(head === undefined ? [] : [head])])];
    const isMore = rule.scope === 'single_use' && rule.effects.includes('commit') && commits.length > 1;
    return isMore ? [] : [[rule.name, { ...refs, accepted: known.slice(-MOST_ACCEPTED) }]];
  });
  view.ctx.change({
    document: snapshotFile(view.key),
    what: 'look at the refs',
    apply: (current) =>
      isJsonObject(current)
        ? { ...current, covered: { ...objectIn(current, 'covered'), ...Object.fromEntries(covered) } }
        : current,
  });
  return used.filter(({ name }) => !covered.some(([one]) => one === name));
}

/** The `single_use` rules that are satisfied now, but were not when something was done, told of or not. */
export function satisfiedLate(view: View, isUntold = false): Requirement[] {
  const snapshot = readSnapshot(view);
  if (snapshot === undefined || snapshot.calls.length === 0) return [];
  const changesOf = refChangesBy(snapshot, view.ctx);
  return rulesJudgedAfter(view.config).filter(
    (rule) =>
      rule.scope === 'single_use' &&
      !(isUntold && `\n${snapshot.told}`.includes(`\n${rule.name} `)) &&
      view.isSatisfied(rule) &&
      refBreaches(rule, changesOf, snapshot, view).length > 0,
  );
}
