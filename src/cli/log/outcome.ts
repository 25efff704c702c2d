import { actorPhrase, actorPhraseOrUnknown } from '../../core/actor';
import { type JsonObject, nameIn, objectsIn } from '../../core/json';
import { guardConfig, loadConfig } from '../../core/project';
import { isSameSessionName, localTime } from '../../core/text';
import { branchLabel } from '../../git/head';
import { frameOf } from '../../guards/loop/state';
import { rejectionIn } from '../../guards/requirements/approvals';
import { isProtected } from '../../guards/requirements/judge';
import type { Requirement } from '../../guards/requirements/section';
import { APPROVALS, presentValue } from '../../guards/requirements/view';
import { readDocument } from '../../state/documents';
import { flowSummary } from '../flow/flow';
import { loopOf, placeIn, readLoops } from '../loop/loops';
import { type ProjectContext, requirementsConfig } from '../project';
import { namedSession, readRegistry } from '../req/find-session';
import { statusesOf } from '../req/status';
import { groundsIn, isByHand, isHold, type RuleStatement, textIn, textsIn, timeOf } from './entries';

/** How the hold by one rule ended. `open` and `unknown` have neither time nor actor. */
export interface Outcome {
  readonly rule: string;
  readonly state:
    | 'open'
    | 'satisfied'
    | 'approved'
    | 'waived'
    | 'passed'
    | 'paused'
    | 'switched_branch'
    | 'advanced'
    | 'limit_reached'
    | 'ended'
    | 'off'
    | 'final'
    | 'unknown';
  /** Milliseconds since the epoch. */
  readonly at?: number;
  readonly by?: string;
  readonly channel?: string;
  /** For people. */
  readonly text: string;
}

type OutcomeDetails = Omit<Outcome, 'rule'>;
type MaybeOutcome = OutcomeDetails | undefined;

export type Held = ReturnType<typeof heldBy>;

/** How a hold ended, rule by rule: from later entries of the journal, else from the current state. */
export function outcomesOf(
  entry: JsonObject,
  journal: readonly JsonObject[],
  project: ProjectContext,
): Outcome[] {
  if (!isHold(entry)) return [];
  const later = journal.filter((one) => timeOf(one) >= timeOf(entry) && one['id'] !== entry['id']);
  const config = requirementsConfig(loadConfig(project, project.chunks));
  return groundsIn(entry)
    .filter(({ verdict }) => ['deny', 'hold', 'ask'].includes(verdict))
    .map(({ guard, ground }: RuleStatement) => {
      const rule = textIn(ground, 'rule');
      const requirement = config?.requirements.find(({ name }) => name === rule);
      const held = heldBy(entry, { guard, ground }, requirement);
      return { rule, ...(fromJournal(held, later) ?? fromState(held, project)) };
    });
}

/** The hold of one rule in an entry. */
export function heldBy(
  entry: JsonObject,
  { guard, ground }: Pick<RuleStatement, 'guard' | 'ground'>,
  requirement: Requirement | undefined,
) {
  const rule = textIn(ground, 'rule');
  return {
    guard,
    rule,
    session: textIn(entry, 'session'),
    at: timeOf(entry),
    /** Empty if it was not recorded. */
    branch: textIn(entry, 'branch'),
    /** Whether switching to a branch ends the hold. */
    isFreeOn: (branch: string): boolean =>
      requirement?.type === 'condition' && requirement.condition === 'protected_branch'
        ? !isProtected(requirement, branch)
        : rule === 'branch-guard' && textIn(ground, 'clear') === `git switch ${branch}`,
  };
}

/** Whether a later entry ended a hold, and how. */
export function outcomeIn(one: JsonObject, held: Held): MaybeOutcome {
  return isByHand(one) ? byCommand(one, held) : byEvent(one, held);
}

/** What an entry of the journal did, with its time and who did it. */
function endedBy(one: JsonObject, state: Outcome['state'], text: string): OutcomeDetails {
  return { state, at: timeOf(one), ...whoOf(one), text };
}

/**
 * The first later entry that ended the hold. A pause does not count once it was resumed, and a satisfied or approved
 * rule may have been cleared again.
 */
function fromJournal(held: Held, later: readonly JsonObject[]): MaybeOutcome {
  let found: MaybeOutcome;
  for (const one of later) {
    if (found?.state === 'paused' && isByHand(one) && isMine(one, held) && subcommandOf(one) === 'resume')
      found = undefined;
    else if (found && ['satisfied', 'approved'].includes(found.state) && isTakenBack(one, held))
      return { ...found, text: `${found.text}; taken back${timed(one)}${withCommand(one)}` };
    else found ??= outcomeIn(one, held);
  }
  return found;
}

function isMine(one: JsonObject, { session }: Held): boolean {
  const own = textIn(one, 'session');
  return own === '' || isSameSessionName(own, session);
}

/** The last word of a command: `satisfy` of `req satisfy`. */
function subcommandOf(one: JsonObject): string {
  return textIn(one, 'event').split(' ').at(-1) ?? '';
}

function namesIn(one: JsonObject): string[] {
  return textIn(one, 'tool').split(/[\s,]+/);
}

function isTakenBack(one: JsonObject, held: Held): boolean {
  if (!isByHand(one) || subcommandOf(one) !== 'clear' || !isMine(one, held)) return false;
  return namesIn(one).some((name) => name === held.rule || name === '--all');
}

function timed(one: JsonObject): string {
  return ` at ${localTime(timeOf(one))}`;
}

function withCommand(one: JsonObject): string {
  const [who, what] = [actorPhrase(one), textIn(one, 'event')];
  if (one['channel'] === 'hub') return ` ${who}`;
  const command = /^(req|holdpoint) /.test(what) ? what : `holdpoint ${what}`;
  return `${who && ` ${who}`} with \`${command}\``;
}

interface Ending {
  readonly guard?: string;
  readonly state: Outcome['state'];
  readonly verb: string;
  /** Whether the command has to name the rule. */
  readonly named?: true;
}

const forRequirement = (state: Outcome['state'], verb: string): Ending => {
  return { guard: 'requirements', state, verb, named: true };
};

/** Commands that end a hold. */
const ENDINGS: Readonly<Record<string, Ending>> = {
  satisfy: forRequirement('satisfied', 'satisfied'),
  approve: forRequirement('approved', 'approved'),
  waive: forRequirement('waived', 'waived'),
  disable: forRequirement('off', 'disabled'),
  pause: { state: 'paused', verb: 'paused' },
  'flow advance': { guard: 'workflow', state: 'advanced', verb: 'the workflow advanced' },
  'flow approve': { guard: 'workflow', state: 'approved', verb: 'approved' },
  'flow cancel': { guard: 'workflow', state: 'ended', verb: 'the workflow was cancelled' },
  'flow suspend': { guard: 'workflow', state: 'paused', verb: 'the workflow was suspended' },
  'loop cancel': { guard: 'loop', state: 'ended', verb: 'the loop was cancelled' },
  'loop pause': { guard: 'loop', state: 'paused', verb: 'the loop was paused' },
};

function byCommand(one: JsonObject, held: Held): MaybeOutcome {
  const command = textIn(one, 'event');
  const ending = ENDINGS[/^(flow|loop) /.test(command) ? command : subcommandOf(one)];
  if (/^gates /.test(command) && held.guard === 'gates') return ranByHand(one);
  if (ending === undefined || (ending.guard ?? held.guard) !== held.guard || !isMine(one, held))
    return undefined;
  const { state, verb, named } = ending;
  if (named && !namesIn(one).some((name) => name === held.rule || name === '')) return undefined;
  return endedBy(one, state, `${verb}${timed(one)}${withCommand(one)}`);
}

/** A run of the gates that a command started. */
function ranByHand(one: JsonObject): MaybeOutcome {
  if (!textIn(one, 'status').startsWith('passed')) return undefined;
  const run = `in a run started ${actorPhraseOrUnknown(one)}`;
  return endedBy(one, 'passed', `the gates passed${timed(one)}, ${run}`);
}

/** How an event ends a hold. Gates belong to the project, everything else to the session. */
function byEvent(one: JsonObject, held: Held): MaybeOutcome {
  if (held.guard === 'gates') {
    const found = byStatus(one);
    if (found !== undefined) return found;
  }
  if (textIn(one, 'session') === '' || !isMine(one, held)) return undefined;
  return byChange(one, held) ?? byLimit(one, held) ?? byBranch(one, held);
}

function byStatus(one: JsonObject): MaybeOutcome {
  const [at, status] = [timeOf(one), textIn(one, 'status')];
  if (status.startsWith('passed'))
    return { state: 'passed', at, text: `the gates passed${timed(one)}, at the end of a turn` };
  if (status !== 'retry_limit_exceeded') return undefined;
  return { state: 'limit_reached', at, text: `allowed${timed(one)}: the retry limit was reached` };
}

function byChange(one: JsonObject, held: Held): MaybeOutcome {
  const at = timeOf(one);
  for (const change of textsIn(one['changes'])) {
    const [, names = '', skill] = /^satisfied (.+?)(?: by (\/\S+))?$/.exec(change) ?? [];
    if (held.guard === 'requirements' && names.split(', ').includes(held.rule))
      return satisfiedInSession(one, skill);
    const [, reason] = /^loop ([A-Z_]+)$/.exec(change) ?? [];
    if (held.guard === 'loop' && reason !== undefined && reason !== 'ACTIVE')
      return { state: 'ended', at, text: `the loop ended${timed(one)} (${reason})` };
  }
  return undefined;
}

/** Satisfied in the session itself: by a person's answer, or by a skill. */
function satisfiedInSession(one: JsonObject, skill: string | undefined): MaybeOutcome {
  const state = one['actor'] === 'person' ? 'approved' : 'satisfied';
  const who = skill === undefined ? actorPhraseOrUnknown(one) : `by the skill ${skill}`;
  return endedBy(one, state, `${state}${timed(one)} ${who}`);
}

/** A turn that was allowed to end although a rule would hold it. */
function byLimit(one: JsonObject, { guard }: Held): MaybeOutcome {
  const wouldHold = objectsIn(one, 'verdicts').some(
    (spoken) => spoken['guard'] === guard && spoken['verdict'] === 'hold',
  );
  if (!wouldHold || one['decision'] !== 'advise') return undefined;
  const counted = one['failures'] === undefined;
  const why = counted ? 'too many stops in a row were held' : 'the hold could not be recorded';
  return { state: 'limit_reached', at: timeOf(one), text: `allowed${timed(one)}: ${why}` };
}

/** Whether switching to another branch has ended the hold; false if either branch is unknown. */
function leftBranch(held: Held, branch: string): boolean {
  return ![branch, held.branch].includes('') && branch !== held.branch && held.isFreeOn(branch);
}

function byBranch(one: JsonObject, held: Held): MaybeOutcome {
  const branch = textIn(one, 'branch');
  if (!leftBranch(held, branch)) return undefined;
  return { state: 'switched_branch', at: timeOf(one), text: `on branch ${branch}${timed(one)}` };
}

function fromState(held: Held, project: ProjectContext): OutcomeDetails {
  const now = Date.now();
  const branch = branchLabel(project.head);
  if (leftBranch(held, branch)) return { state: 'switched_branch', text: `you are on branch ${branch} now` };
  switch (held.guard) {
    case 'requirements':
      return requirementNow(held, project, now);
    case 'gates':
      return guardConfig(loadConfig(project, project.chunks), 'gates') === undefined
        ? { state: 'off', text: 'gates are no longer configured; since when is unknown' }
        : { state: 'open', text: 'still open' };
    case 'workflow': {
      const { workflowStatus, trouble } = flowSummary(project);
      if (trouble !== undefined) return { state: 'unknown', text: `unknown: ${trouble}` };
      if (workflowStatus === undefined)
        return { state: 'ended', text: 'no workflow is active now; when it ended is unknown' };
      if (workflowStatus.workflow.suspended)
        return { state: 'paused', text: 'the workflow is suspended; since when is unknown' };
      return { state: 'unknown', text: 'unknown; `holdpoint flow status` shows what is missing now' };
    }
    case 'loop':
      return loopNow(held, project, now);
    case 'holdpoint':
      return { state: 'final', text: 'nothing to satisfy: the change to the settings was not applied' };
    default:
      return { state: 'final', text: 'nothing to satisfy: the rule decides anew each time' };
  }
}

function requirementNow(held: Held, project: ProjectContext, now: number): OutcomeDetails {
  const { layout } = project;
  if (held.rule.startsWith('hooks.'))
    return { state: 'final', text: 'nothing to satisfy: this call stays held' };
  const { key, id } = namedSession(held.session, project);
  const { sessions } = readRegistry(layout, now);
  const branch = held.branch === '' ? branchLabel(project.head) : held.branch;
  const from = { branch, session: key, sessionId: id };
  const status = statusesOf(project, from).find(({ name }) => name === held.rule);
  if (status === undefined)
    return { state: 'off', text: 'the rule is no longer in effect; since when is unknown' };
  if (!status.applies) return { state: 'ended', text: 'the rule no longer applies; since when is unknown' };
  if (!status.isOpen) return satisfiedBy(status.record);
  const isLive = sessions.some(({ alive, sessionId }) => alive && isSameSessionName(sessionId, held.session));
  const no = rejectionIn(presentValue(readDocument(layout, APPROVALS)), held.rule, key);
  const rejected =
    no && `; rejected at ${localTime(no.at * 1000)} ${actorPhrase({ actor: 'person', channel: no.channel })}`;
  const ended = isLive ? '' : '; the session has ended';
  return { state: 'open', text: `still open${rejected ?? ''}${ended}` };
}

/** Actor and channel for the JSON; left out if not recorded. */
function whoOf(entry: JsonObject): Pick<Outcome, 'by' | 'channel'> {
  const [by, channel] = [nameIn(entry, 'actor'), nameIn(entry, 'channel')];
  return { ...(by && { by }), ...(channel && { channel }) };
}

/** When and by whom the rule was satisfied. */
function satisfiedBy(holder: JsonObject): OutcomeDetails {
  const { satisfied_at: seconds, actor } = holder;
  const when = typeof seconds === 'number' ? { at: seconds * 1000 } : {};
  const at = when.at === undefined ? '' : ` at ${localTime(when.at)}`;
  const who = actor === undefined ? '; by whom is unknown' : ` ${actorPhrase(holder)}`;
  const verb = actor === 'person' ? 'approved' : 'satisfied';
  return { state: verb, ...when, ...whoOf(holder), text: `${verb}${at}${who}` };
}

/** The journal says when the loop ended, unless somebody has changed its state by hand. */
function loopNow({ session }: Held, project: ProjectContext, now: number): OutcomeDetails {
  const place = placeIn(project);
  const loop = loopOf(readLoops(place, now), session);
  if (loop === undefined) return { state: 'unknown', text: 'unknown: the loop no longer exists' };
  const { iter, max } = frameOf(loop.state.stack.at(-1), place.config.maxIterations) ?? { iter: 0, max: 0 };
  if (loop.status === 'active') return { state: 'open', text: `still open: iteration ${iter} of ${max}` };
  return loop.status === 'ended'
    ? { state: 'ended', text: 'the loop has ended; when is unknown' }
    : { state: 'paused', text: `the loop is ${loop.status}; since when is unknown` };
}
