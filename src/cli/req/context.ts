import type { JsonObject } from '../../core/json';
import { sentenceOf } from '../../core/messages';
import { processState } from '../../exec/processes';
import type { Requirement } from '../../guards/requirements/section';
import type { Change, Layout } from '../../state/documents';
import type { Lock } from '../../state/files';
import { appendJournal, nextDecisionId } from '../../state/journal';
import * as sessions from '../../state/sessions';
import { applyChanges, lockProject } from '../../state/update';
import { type Context, type Options, Refusal } from '../context';
import { type ProjectContext, requirementsIn } from '../project';

/** All options of the `req` commands; each command has some of them. */
export type ReqOptions = Options<
  | ('all' | 'disable' | 'dryRun' | 'enable' | 'enabledOnly' | 'fix' | 'force' | 'local' | 'preview')
  | ('project' | 'sources' | 'summary' | 'timing' | 'verbose' | 'yes'),
  'branch' | 'message' | 'metadata' | 'preset' | 'reason' | 'scope' | 'session' | 'ttl'
> & { readonly set: readonly string[] };

export type Place = Pick<ProjectContext, 'root' | 'layout'>;

/**
 * The requirements that keep an agent from changing the config or pausing: an agent that may not satisfy a rule must
 * not be able to turn it off either. Empty if a person runs the command.
 */
export function reservedForPeople(call: ProjectContext, among?: readonly Requirement[]) {
  if (call.caller().actor === 'person') return [];
  const reserved = (among ?? requirementsIn(call)).filter((one) => !one.agentMaySatisfy);
  return reserved.map(({ name }) => name);
}

/** Refuses if requirements are reserved for people and the caller is not known to be a person. */
export function refuseReserved(call: ProjectContext, among?: readonly Requirement[]): void {
  const reserved = reservedForPeople(call, among);
  const names = `${reserved.join(', ')} (agent_may_satisfy: false)`;
  if (reserved.length === 0) return;
  if (among === undefined) throw new Refusal(personOnlyText(`loosen ${names}`, call));
  const command = `holdpoint approve ${reserved.join(' ')}`;
  const where = `when the agent asks in its dialog, or with \`${command}\` in a terminal of your own, outside the agent`;
  throw new Refusal(`Only a person can approve ${names}: ${where}.${whyNot(call)}`);
}

/**
 * Refuses an action that loosens a rule if an agent runs it, or if there is no terminal while an agent works in this
 * project: the agent may have started the command detached.
 */
export function refuseAgent(what: string, call: Place & Context): void {
  if (mayBeAgent(call)) throw new Refusal(personOnlyText(what, call));
}

export function mayBeAgent(call: Place & Context): boolean {
  const { actor } = call.caller();
  const { layout, root } = call;
  return actor === 'agent' || (actor === 'system' && sessions.hasRunningClient(layout, root, processState));
}

export function personOnlyText(what: string, context: Context): string {
  const where =
    context.caller().actor === 'agent'
      ? 'ask the user to run it in their own terminal'
      : 'run it in a terminal of your own, outside the agent';
  return `Only a person can ${what}: ${where}.${whyNot(context)}`;
}

function whyNot(context: Context): string {
  const caller = context.caller();
  return caller.actor === 'person' ? '' : ` (Refused here: ${caller.why}.)`;
}

/** Records in the journal that a command changed what holds an agent. */
export function journalCommand(
  { layout, caller }: Pick<Place, 'layout'> & Context,
  event: string,
  written: readonly string[] | undefined,
  more: { session?: string | undefined; about?: string; status?: string; marked?: JsonObject } = {},
) {
  const now = Date.now();
  const { session = '', about, status, marked } = more;
  const { actor, channel } = caller();
  return appendJournal(layout, {
    id: nextDecisionId(now, process.pid),
    at: new Date(now).toISOString(),
    host: 'command line',
    session,
    event,
    tool: about,
    actor,
    channel,
    decision: 'nothing',
    status,
    verdicts: [],
    written: written && [...written],
    marked,
  });
}

/** A person can wait longer for the lock than a hook. */
export const LOCK_WAIT_MS = 10_000;

/** A lock failure is reported as `what: why`. */
export function underLock<T>(layout: Layout, what: string, act: (lock: Lock) => T): T {
  const lock = lockProject(layout, LOCK_WAIT_MS);
  if (!lock.ok) throw new Refusal(`${what}: ${sentenceOf(lock.failure)}`);
  try {
    return act(lock.value);
  } finally {
    lock.value.release();
  }
}

/** Applies changes under a held lock. Returns the files written; refuses with the first failure. */
export function applyOrRefuse(layout: Layout, lock: Lock, what: string, changes: readonly Change[]) {
  const { written, failures } = applyChanges(layout, lock, changes);
  const [first] = failures;
  if (first !== undefined) throw new Refusal(`${what}: ${sentenceOf(first.failure)}`);
  return written;
}

/** Plans and applies changes under one lock, so that nothing the plan reads can change in between. */
export function changeState(layout: Layout, what: string, plan: () => readonly Change[]): readonly string[] {
  return underLock(layout, what, (lock) => applyOrRefuse(layout, lock, what, plan()));
}
