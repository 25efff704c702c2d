import type { Effect } from '../../core/effect-kinds';
import type { Event, EventOf, ToolCall } from '../../core/event';
import { isJsonObject, type Json, type JsonObject, objectIn, textIn } from '../../core/json';
import * as judge from './judge';
import type { Requirement } from './section';
import * as states from './state';
import * as views from './view';
import { changeState, type View, viewOf } from './view';

/* A pass is a satisfaction for one call: taken before the call, returned or used up after it. */

type Call = EventOf<'tool.before'>;

/** Marks hub approvals for one call as used, so that they do not count again if the state file is restored. */
function markHubApprovalsUsed(used: readonly Requirement[], view: View, by: string | undefined): void {
  const { ctx, state, session } = view;
  const isUsed = (holder: JsonObject): boolean => {
    const taker = objectIn(holder, 'taken')['by'];
    return holder['satisfied'] === true && (taker === undefined || taker === by);
  };
  for (const requirement of used.filter(({ approval }) => approval === 'hub')) {
    const { name } = requirement;
    const entry = states.entryIn(state, name);
    const elsewhere = views.recordedElsewhere(requirement, view);
    // In whichever of these places it is recorded, it has counted for this call.
    const holders = [states.sessionIn(entry, session), entry, elsewhere].filter(isUsed);
    if (holders.length === 0) continue;
    const { withUsedApproval } = ctx.part('signed');
    const apply = (current: Json | undefined): Json | undefined => holders.reduce(withUsedApproval, current);
    ctx.change({ document: views.APPROVALS, what: `used the approval of ${name}`, apply });
  }
}

/** The id of a call; `undefined` if we derived it, because it may then differ before and after the call. */
function callIdOf({ callId }: ToolCall): string | undefined {
  return callId?.startsWith('derived-') ? undefined : callId?.slice(0, views.LONGEST_CALL_ID);
}

const MOST_NAMED = 5;

/**
 * The branches on which a successful call uses up its pass: the one where it took it and those its command switches
 * to. If the former is unknown, the session's last known branch and the current one.
 */
export function passBranches(
  call: ToolCall,
  { config, metrics, branch }: Pick<View, 'config' | 'metrics' | 'branch'>,
  commandLines: readonly (readonly string[])[],
): string[] {
  const by = callIdOf(call);
  const judged = config.requirements.flatMap(({ name }) =>
    Object.entries(views.takenIn(metrics, name)).flatMap(([there, taken]) =>
      by !== undefined && isJsonObject(taken) && taken['by'] === by ? [there] : [],
    ),
  );
  const begun = judged.length > 0 ? judged : [textIn(metrics, 'branch') ?? branch, branch];
  // Possible targets of `git checkout` and `git switch`; a word that is not a branch has no pass anyway.
  const named = commandLines
    .filter(([program, verb]) => program === 'git' && (verb === 'checkout' || verb === 'switch'))
    .flatMap((words) => words.slice(2).filter((word) => word !== '' && !word.startsWith('-')));
  return [...new Set([...begun, ...named.slice(0, MOST_NAMED)])];
}

/** Takes passes before the call runs, so that no other call can use them meanwhile. */
export function takePasses(event: Call, triggered: readonly Requirement[], view: View): void {
  const by = callIdOf(event.call);
  const used = triggered.filter(({ scope }) => scope === 'single_use');
  if (used.length === 0 || by === undefined) return;
  const refs = views.refsStamp(view.ctx);
  const taken = { by, at: view.now, refs, ...(event.promptId !== undefined && { prompt: event.promptId }) };
  const take = (state: states.State, name: string, there: View): states.State =>
    states.withTaken(state, there, name, there.session, taken);
  const names = listOf(used);
  const held = `Held by Holdpoint: the approval of \`${names}\` is for one call, and Holdpoint could not record that this call uses it. Nothing was changed. Try again; \`holdpoint doctor\` shows what is in the way.`;
  changeOnBranches(event, used, view, [view.branch], `taken ${names}`, take, held);
  noteTaken(used, view, [view.branch], () => taken);
}

/** A call that a person is asked about in its own dialog has its pass if it runs. */
export function takeAskedPasses({ call }: Call, asked: readonly Requirement[], view: View): void {
  const by = callIdOf(call);
  const used = asked.filter(({ scope }) => scope === 'single_use');
  if (by !== undefined) noteTaken(used, view, [view.branch], () => ({ by, at: view.now }));
}

/** Notes in the session's counts who took passes, so that none counts again if the state file is restored. */
function noteTaken(
  used: readonly Requirement[],
  view: View,
  branches: readonly string[],
  change: (taken: JsonObject, name: string) => JsonObject | undefined,
): void {
  const names = used.map(({ name }) => name);
  if (names.length === 0) return;
  views.changeMetrics(view, (metrics) =>
    withSatisfiedBranches(branches, used, view).reduce(
      (counts, branch) => views.noteTaken(counts, names, branch, change),
      metrics,
    ),
  );
}

/**
 * A failed call gets its pass back only if it changed nothing, as far as we can tell. Returns true if it used one:
 * what it did before it failed complied with the rule.
 */
export function settlePasses(event: EventOf<'tool.after'>, view: View): boolean {
  const by = callIdOf(event.call);
  const single = view.config.requirements.filter(({ scope }) => scope === 'single_use');
  if (by === undefined || single.length === 0) return false;
  const isOwn = (taken: JsonObject): boolean => taken['by'] === by;
  const branches = passBranches(event.call, view, []);
  const isAlone = event.call.command !== undefined && isOneCommand(event.call.command, view);
  // The first commands of a failed line may have succeeded, and what happened at a remote is not visible here.
  const mayHaveDone = ({ effects }: Requirement): boolean =>
    event.call.op === 'shell' &&
    effects.some((one) => one === 'edit' || one === 'delete' || (!isAlone && REMOTE.includes(one)));
  const isGivenBack = (taken: JsonObject, name: string): boolean =>
    (taken['refs'] === views.refsStamp(view.ctx) || isRebasing(event.call, view)) &&
    !single.some((one) => one.name === name && mayHaveDone(one));
  const used = single.filter(({ name }) => {
    const taken = takenIn(view.state, name, view.session);
    return isOwn(taken) && !isGivenBack(taken, name);
  });
  markHubApprovalsUsed(used, view, by);
  const noted = single.filter((one) => hasTaken(one, by, view));
  noteTaken(noted, view, branches, (taken, name) => {
    if (!isOwn(taken)) return taken;
    return isGivenBack(taken, name) ? undefined : { by, at: view.now };
  });
  changeOnBranches(event, single, view, branches, `settled ${listOf(single)}`, (state, name, there) => {
    const taken = takenIn(state, name, there.session);
    if (!isOwn(taken)) return state;
    return isGivenBack(taken, name)
      ? states.withTaken(state, there, name, there.session, undefined)
      : states.consume(state, there, name, there.session, by);
  });
  if (used.length > 0 && views.isJudgedAfter(view.config))
    view.ctx.part('effect-rules').breaches.acceptCommit(used, view);
  return used.length > 0;
}

/** Whether the session's counts say that this call has taken the pass. */
function hasTaken({ name }: Requirement, by: string | undefined, { metrics }: View): boolean {
  const taken = Object.values(views.takenIn(metrics, name)).filter(isJsonObject);
  return by !== undefined && taken.some((one) => one['by'] === by);
}

function takenIn(state: states.State, name: string, session: string): JsonObject {
  return objectIn(states.sessionIn(states.entryIn(state, name), session), 'taken');
}

/** Effects that leave no trace on this machine. */
const REMOTE: readonly Effect[] = ['pr', 'push', 'merge', 'network'];

/** Whether a failed line cannot have changed anything remote: a single command, with at most `cd` before it. */
function isOneCommand(command: string, { ctx }: View): boolean {
  const lines = ctx.commandLines(command) ?? [];
  const [program = '', verb, ...words] = lines.at(-1) ?? [];
  if (!lines.slice(0, -1).every(([name]) => name === 'cd') || /[;|\n!&]/.test(command.replaceAll('&&', '')))
    return false;
  if (program !== 'git' || verb !== 'push') return program !== '' && !/^(?:ba|da|z)?sh$/.test(program);
  // A push of several branches may have pushed some of them, and a push to a path leaves no trace.
  const named = words.filter((word) => !word.startsWith('-'));
  return named.length <= 2 && !/[/:.]/.test(named[0] ?? '');
}

/** A rebase that stopped at a conflict has not yet done what its pass was for. */
function isRebasing({ command = '' }: ToolCall, view: View): boolean {
  const isRebase = ([program, ...words]: readonly string[]): boolean =>
    program === 'git' && words.includes('rebase');
  return (view.ctx.commandLines(command) ?? []).some(isRebase) && isRebaseOpen(view);
}

function isRebaseOpen({ ctx: { git, file } }: View): boolean {
  const dirs = git === undefined ? [] : ['rebase-merge', 'rebase-apply'];
  return dirs.some((name) => file({ path: `${git?.gitDir}/${name}/head-name` }).kind === 'file');
}

/**
 * Uses up passes for what a command did without showing it, such as a commit by a script. Returns the rules of which it
 * did more than a pass is for.
 */
export function useHiddenPasses({ call }: EventOf<'tool.after'>, view: View): readonly Requirement[] {
  const { breaches } = view.ctx.part('effect-rules');
  // Once the agent knows what it did, a pass is for all of that, and used up at the end of the turn.
  const used = isRebaseOpen(view) ? [] : breaches.satisfiedLate(view, true);
  if (used.length > 0) usePasses(used, view, [view.branch], callIdOf(call));
  return breaches.acceptCommit(used, view);
}

function listOf(requirements: readonly Requirement[]): string {
  return requirements.map(({ name }) => name).join(', ');
}

/** These branches, and those where the session satisfied the requirements. */
function withSatisfiedBranches(
  branches: readonly string[],
  used: readonly Requirement[],
  view: View,
): string[] {
  const elsewhere = used.flatMap((requirement) => views.branchSatisfiedOn(requirement, view.metrics) ?? []);
  return [...new Set([...branches, ...elsewhere])];
}

/** Changes the state of these requirements on these branches and on those where the session satisfied them. */
function changeOnBranches(
  event: Event,
  used: readonly Requirement[],
  view: View,
  branches: readonly string[],
  what: string,
  change: (state: states.State, name: string, there: View) => states.State,
  holdIfUnwritten?: string,
): void {
  for (const one of withSatisfiedBranches(branches, used, view)) {
    const there = one === view.branch ? view : viewOf(event, view.config, view.ctx, one);
    const apply = (current: Json | undefined): Json | undefined =>
      used.reduce((state, { name }) => change(state, name, there), current);
    changeState(there, what, apply, holdIfUnwritten);
  }
}

/** Uses up the passes for a call that ran. Returns true if there were any. */
export function consumePasses(
  event: EventOf<'tool.after'>,
  view: View,
  isMeant: (requirement: Requirement) => boolean = () => true,
): boolean {
  const { call } = event;
  const { ctx, config } = view;
  if (!config.requirements.some(({ scope }) => scope === 'single_use') || judge.isExempt(call, ctx))
    return false;
  const lines = call.command === undefined ? undefined : ctx.commandLines(call.command, true);
  const by = callIdOf(call);
  const triggered = judge.triggeredBy(call, view, lines, views.effectsOfCall(event, view));
  // A call that deleted a file no longer looks like one that deletes it: what it took tells.
  const isUsed = (one: Requirement): boolean =>
    hasTaken(one, by, view) || (triggered.includes(one) && (by === undefined || view.isSatisfied(one)));
  const single = config.requirements.filter((one) => one.scope === 'single_use' && isMeant(one));
  const used = single.filter(isUsed);
  if (used.length === 0) return false;
  usePasses(used, view, passBranches(call, view, lines ?? []), by);
  // What the line did not show before it ran, such as an alias that it made, had no pass.
  if (single.some((one) => triggered.includes(one) && !used.includes(one))) return false;
  if (views.isJudgedAfter(config)) ctx.part('effect-rules').breaches.acceptCommit(used, view);
  return true;
}

/** Uses up passes, for this call if it is known. A pass that another call has taken stays with that call. */
export function usePasses(
  used: readonly Requirement[],
  view: View,
  branches: readonly string[],
  by: string | undefined,
): void {
  markHubApprovalsUsed(used, view, by);
  noteTaken(used, view, branches, (taken) =>
    taken['by'] === undefined || taken['by'] === by ? { by: by ?? '', at: view.now } : taken,
  );
  changeOnBranches(view.event, used, view, branches, `consumed ${listOf(used)}`, (state, name, there) =>
    states.consume(state, there, name, there.session, by),
  );
}
