import type { Who } from '../../core/actor';
import {
  countIn,
  isJsonObject,
  type Json,
  type JsonObject,
  objectIn,
  objectsIn,
  textIn,
} from '../../core/json';
import { isSameSessionName, sessionKey } from '../../core/text';
import type { Change, Document, DocumentRef } from '../../state/documents';
import { FULL_ID, metricsFile } from '../../state/sessions';
import type { Requirement, RequirementsConfig, Scope } from './section';
import * as states from './state';
import { APPROVALS, branchesWith, branchFile, noteSatisfied, openMetrics, PROJECT_FILE } from './view';

/*
 * Approval requests and a person's answers. One document of the project lists the open requests: one for each rule and
 * session, opened when a reserved rule holds (`openRequests`), closed by an answer, by the end of the session, or
 * because the rule is satisfied (`closeRequests`).
 *
 * Every channel ends in `answerChanges`: a dialog of a host, a typed command, a terminal, the hub. The channel must make
 * sure that a person answers; this module only records the answer. `requestsIn` lists open requests, `rejectionIn` finds
 * what the agent must be told. The hub's signed approvals come in here too, once their signature is verified, as
 * `{ channel: 'hub', proof }`; for rules with `approval: hub` nothing else counts.
 *
 *   const [request] = requestsIn(presentValue(ctx.document(APPROVALS)));
 *   answerChanges({ verdict: 'approve', requirement, whose: request, channel: 'terminal', now }, read).forEach(ctx.change);
 */

/** How a person has answered. */
export type Channel = 'question' | 'command' | 'dialog' | 'terminal' | 'hub';

/** The session that an answer is for, and where it works. */
export interface AnswerTarget {
  /** The session's key in the state. */
  readonly session: string;
  /** Its full id, if known. */
  readonly sessionId: string;
  readonly project: string;
  readonly branch: string;
}

/** A rule that waits for a person. Times are seconds since the epoch. */
export interface Request extends AnswerTarget {
  readonly rule: string;
  readonly description: string;
  readonly since: number;
  /** The decision that opened the request; `holdpoint why` explains it. */
  readonly decision: string;
  /** How a person can answer in this session; `terminal` if the session has no channel of its own. */
  readonly channel: Channel;
  /** The questions that the person was asked, each with the id of its tool call. */
  readonly asked: readonly AskedQuestion[];
  /** An answer that counts only once it is confirmed. */
  readonly answered?: UnconfirmedAnswer;
}

export interface AskedQuestion {
  readonly call: string;
  readonly question: string;
  readonly at: number;
  /** Whether the host has told us that it shows the dialog. */
  readonly shown: boolean;
}

/** A person's answer that the host's own record has not confirmed yet. */
export interface UnconfirmedAnswer {
  readonly channel: Channel;
  readonly at: number;
  /** What the record must contain: the id of a tool call, or the prompt that was typed. */
  readonly call: string;
  readonly question?: string;
  readonly note?: string;
}

/** A person's rejection, kept until the rule is answered again. */
export interface Rejection {
  readonly rule: string;
  readonly session: string;
  readonly at: number;
  readonly channel: Channel;
  readonly note: string;
}

export function requestsIn(approvals: Json | undefined): Request[] {
  return objectsIn(approvals, 'requests').map((one) => ({
    rule: textIn(one, 'rule') ?? '',
    description: textIn(one, 'description') ?? '',
    session: textIn(one, 'session') ?? '',
    sessionId: textIn(one, 'session_id') ?? '',
    project: textIn(one, 'project') ?? '',
    branch: textIn(one, 'branch') ?? '',
    since: Number(one['since'] ?? 0),
    decision: textIn(one, 'decision') ?? '',
    channel: (textIn(one, 'channel') ?? 'terminal') as Channel,
    asked: objectsIn(one, 'asked') as unknown as AskedQuestion[],
    ...(isJsonObject(one['answered']) && { answered: one['answered'] as unknown as UnconfirmedAnswer }),
  }));
}

/** The last rejection of a rule in a session. */
export function rejectionIn(
  approvals: Json | undefined,
  rule: string,
  session: string,
): Rejection | undefined {
  return rejectionsIn(approvals).find((one) => isAbout(one, rule, session));
}

/** Also agents can write the file: what it contains must not make us fail. */
function rejectionsIn(approvals: Json | undefined): Rejection[] {
  return objectsIn(approvals, 'rejections').map((one) => {
    const [rule = '', session = '', channel = 'terminal', note = ''] = [
      'rule',
      'session',
      'channel',
      'note',
    ].map((key) => textIn(one, key));
    return { rule, session, at: countIn(one, 'at'), channel: channel as Channel, note };
  });
}

interface Approvals {
  readonly requests: readonly Request[];
  readonly rejections: readonly Rejection[];
}

/** Changes the requests and rejections of the document; it stays the same if both lists do. */
function changeApprovals(what: string, change: (kept: Approvals) => Partial<Approvals>): Change {
  return {
    document: APPROVALS,
    what,
    apply: (current) => {
      const before: Approvals = {
        requests: requestsIn(current),
        rejections: rejectionsIn(current),
      };
      const { requests, rejections } = { ...before, ...change(before) };
      if (requests === before.requests && rejections === before.rejections) return current;
      return {
        version: 1,
        ...(isJsonObject(current) && current),
        requests: requests.map(
          ({ sessionId, ...one }) => ({ ...one, session_id: sessionId }) as unknown as Json,
        ),
        rejections: rejections.map((one) => ({ ...one }) as unknown as Json),
      };
    },
  };
}

/** The list without some of its items; the same list if it has none of them. */
function without<T>(list: readonly T[], isDropped: (one: T) => boolean): readonly T[] {
  return list.some(isDropped) ? list.filter((one) => !isDropped(one)) : list;
}

/** What a request and a rejection are about. */
type Subject = Pick<Request, 'rule' | 'session'>;

const isAbout = (one: Subject, rule: string, session: string): boolean =>
  one.rule === rule && one.session === session;

/** Adds requests. One that is open stays as it is, unless the session has gone on to another branch unanswered. */
export function openRequests(requests: readonly Request[]): Change {
  return changeApprovals(`waiting for a person: ${requests.map(({ rule }) => rule).join(', ')}`, (kept) => {
    const isKnown = ({ rule, session, branch }: Request): boolean =>
      kept.requests.some(
        (one) => isAbout(one, rule, session) && (one.branch === branch || one.answered !== undefined),
      );
    const fresh = requests.filter((one) => !isKnown(one));
    const others = kept.requests.filter(
      (one) => !fresh.some(({ rule, session }) => isAbout(one, rule, session)),
    );
    return fresh.length === 0 ? {} : { requests: [...others, ...fresh] };
  });
}

export function closeRequests(what: string, isClosed: (request: Request) => boolean): Change {
  return changeApprovals(what, ({ requests }) => ({ requests: without(requests, isClosed) }));
}

/** Removes the requests and rejections of rules that are satisfied now. */
export function closeAnswered(isAnswered: (one: Subject) => boolean): Change {
  return changeApprovals('nobody waits any more', ({ requests, rejections }) => ({
    requests: without(requests, isAnswered),
    rejections: without(rejections, isAnswered),
  }));
}

/** Removes the requests, rejections and client of an ended session. */
export function forgetSession(sessionId: string): Change {
  const closing = closeAnswered(({ session }) => isSameSessionName(sessionId, session));
  return {
    ...closing,
    what: 'nothing waits any more in the ended session',
    apply: (current) => {
      const rest = closing.apply(current);
      const clients = Object.entries(objectIn(current, 'clients'));
      const others = without(clients, ([key]) => isSameSessionName(sessionId, key));
      if (others === clients || !isJsonObject(rest)) return rest;
      return { ...rest, clients: Object.fromEntries(others) };
    },
  };
}

/** A person's answer as a channel reports it. */
export interface PersonAnswer {
  readonly verdict: 'approve' | 'reject';
  readonly requirement: Requirement;
  readonly whose: AnswerTarget;
  readonly channel: Channel;
  readonly note?: string | undefined;
  /** Seconds since the epoch. */
  readonly now: number;
  /** Seconds after which the approval expires. */
  readonly ttl?: number | undefined;
  /** Counts only once the host's record of this call or prompt confirms it; see `settle` in channels.ts. */
  readonly provisional?: Pick<UnconfirmedAnswer, 'call' | 'question'>;
  /** The hub's signed statement, kept with the satisfaction. */
  readonly proof?: JsonObject;
}

/** Why an answer from this channel cannot count for the rule; `undefined` if it can. */
export function whyChannelNotAllowed(channel: Channel, { name, approval }: Requirement): string | undefined {
  return approval === 'hub' && channel !== 'hub' ? `\`${name}\` can be approved on the hub only` : undefined;
}

/** The changes that record a person's answer; none if the rule does not accept this channel. */
export function answerChanges(answer: PersonAnswer, read: (ref: DocumentRef) => Document): Change[] {
  const { verdict, requirement, whose, channel, now, provisional, note } = answer;
  if (whyChannelNotAllowed(channel, requirement) !== undefined) return [];
  const { name: rule } = requirement;
  const isMine = (one: Subject): boolean => isAbout(one, rule, whose.session);
  if (verdict === 'approve' && provisional !== undefined) {
    const answered: UnconfirmedAnswer = { channel, at: now, ...provisional, ...(note && { note }) };
    const what = `${rule} approved by a person (${channel}), to be confirmed`;
    // The first answer counts; its question cannot be answered again.
    const asked = (one: Request): readonly AskedQuestion[] =>
      one.asked.filter(({ call }) => call !== provisional.call);
    return [
      changeRequests(what, whose.session, (one) =>
        one.rule === rule && one.answered === undefined ? { ...one, answered, asked: asked(one) } : one,
      ),
    ];
  }
  const said = verdict === 'approve' ? 'approved' : 'rejected';
  const closing = changeApprovals(`${rule} ${said} by a person (${channel})`, ({ requests, rejections }) => {
    const others = rejections.filter((one) => !isMine(one));
    const rejection = { rule, session: whose.session, at: now, channel, note: note ?? '' };
    return {
      requests: requests.filter((one) => !isMine(one)),
      rejections: verdict === 'approve' ? others : [...others, rejection],
    };
  });
  const changes = verdict === 'approve' ? [...satisfyChanges(answer, read), closing] : [closing];
  return changes.map((change) => ({ ...change, by: { actor: 'person', channel } }));
}

/** Changes a session's requests one by one; the document stays the same if none changes. */
export function changeRequests(what: string, session: string, change: (one: Request) => Request): Change {
  return changeApprovals(what, ({ requests }) => {
    const changed = requests.map((one) => (one.session === session ? change(one) : one));
    return changed.every((one, at) => one === requests[at]) ? {} : { requests: changed };
  });
}

/** Records the rule as satisfied, in its scope. */
function satisfyChanges(
  { requirement, whose, channel, note, now, proof, ttl }: PersonAnswer,
  read: (ref: DocumentRef) => Document,
): Change[] {
  const { name, type, scope, approvalTtl } = requirement;
  const { branch, project, session: key, sessionId } = whose;
  const metadata = { ...(note && { note }), ...proof };
  const end = ttl ?? approvalTtl;
  const done = { name, follows: states.followsSession(requirement), ...(end !== undefined && { ttl: end }) };
  // A dynamic requirement is approved for a limited time, and only for the session.
  const how =
    type === 'dynamic' ? ({ scope: 'session', way: 'approval' } as const) : { scope, way: 'person' };
  return recordChanges(
    [{ ...done, ...how, ...(Object.keys(metadata).length > 0 && { metadata }) }],
    { branch, project, now, session: { id: sessionId || key, key }, by: { actor: 'person', channel } },
    read,
  );
}

/** What is recorded as satisfied. */
export interface Recorded {
  readonly name: string;
  readonly scope: Scope;
  /** Whether it counts on every branch of the session. */
  readonly follows: boolean;
  /** How it was satisfied, as the state and the counts say it. */
  readonly way: string;
  /** Seconds until it expires. */
  readonly ttl?: number;
  readonly metadata?: JsonObject;
}

/** Where and for whom something is satisfied. */
export interface RecordContext {
  readonly branch: string;
  readonly project: string;
  /** Seconds since the epoch. */
  readonly now: number;
  /** Absent if it counts for every session of the branch. */
  readonly session?: NamedSession | undefined;
  readonly by: Who;
}

/** Must be called under the lock, because the content of the files decides which of them are changed. */
function recordChanges(
  done: readonly Recorded[],
  { branch, project, now, session, by }: RecordContext,
  lookUp: (ref: DocumentRef) => Document,
): Change[] {
  const owner = { branch, project, now };
  const changes = done.map(({ name, scope, way, ttl, metadata }): Change => {
    const expiresAt = ttl === undefined ? undefined : now + ttl;
    const satisfaction = { by: way, at: now, ...by, expiresAt, ...(metadata && { metadata }) };
    const isOfProject = scope === 'permanent' && session !== undefined;
    return {
      document: isOfProject ? PROJECT_FILE : branchFile(branch, lookUp),
      what: `satisfied ${name}`,
      apply: (current) => {
        if (session === undefined) return states.satisfyRoot(current, owner, name, 'branch', satisfaction);
        if (!states.isPerSession(scope)) return states.satisfyRoot(current, owner, name, scope, satisfaction);
        const key = states.sessionKeyIn(states.migrateKeys(current), session.id, session.key);
        // Note the full id if more than the usual key is known.
        const whole = session.id === sessionKey(session.id) ? owner : { ...owner, sessionId: session.id };
        return states.satisfySession(current, whole, name, scope, key, satisfaction);
      },
    };
  });
  return session === undefined ? changes : [...changes, countSatisfied(done, session, owner)];
}

/** A session as it is named from outside. If the full id is unknown, `id` is the key as well. */
interface NamedSession {
  readonly id: string;
  readonly key: string;
}

/** Adds satisfactions to a session's counts, creating them if they must tell on which branch it was. */
function countSatisfied(
  done: readonly Recorded[],
  { id: sessionId, key }: NamedSession,
  { branch, project, now }: states.StateOwner,
): Change {
  // For a session that was named by its key, the full id is not known yet.
  const unnamed = sessionId === key ? { [FULL_ID]: undefined } : {};
  const counted = (current: Json | undefined): JsonObject =>
    isJsonObject(current)
      ? { ...current, branches: branchesWith(current, branch) }
      : { ...openMetrics(current, { key, sessionId, project, branch, now }), ...unnamed };
  return {
    document: metricsFile(key),
    what: 'session counts',
    apply: (current) =>
      isJsonObject(current) || done.some(({ follows }) => follows)
        ? done.reduce(
            (counts, { name, way }) => noteSatisfied(counts, [name], way, branch, now),
            counted(current),
          )
        : current,
  };
}

/* What `req satisfy` changes, separate from the command because `holdpoint backtest` replays it too. */

/** Metadata to record if a skill should have satisfied it. */
const BYPASSED: JsonObject = { bypass: true, method: 'cli_manual' };

/** Where and for whom it is satisfied, for how many seconds, and what to keep with it. */
interface SatisfyContext extends RecordContext {
  readonly ttl?: number | undefined;
  readonly metadata?: JsonObject | undefined;
}

/** What satisfying these names means. Without a session it counts for every session of the branch. */
export function satisfiedBy(
  names: readonly string[],
  known: readonly Requirement[],
  skills: RequirementsConfig['skills'],
  { session, by, ttl, metadata }: SatisfyContext,
): Recorded[] {
  const bySkill = Object.values(skills).flat();
  return names.map((name) => {
    const requirement = known.find((one) => one.name === name);
    const { scope = 'session', type, approvalTtl } = requirement ?? {};
    const one = { name, follows: requirement !== undefined && states.followsSession(requirement) };
    const kept = (all: JsonObject | undefined) => all && { metadata: all };
    // A value is approved for a limited time, and for a session whatever the scope.
    if (type === 'dynamic') {
      const end = ttl ?? approvalTtl ?? 0;
      return { ...one, scope: session ? 'session' : scope, way: 'approval', ttl: end, ...kept(metadata) };
    }
    const end = ttl ?? (by.actor === 'person' ? approvalTtl : undefined);
    const limited = { ...one, scope, ...(end !== undefined && { ttl: end }) };
    return bySkill.includes(name)
      ? { ...limited, way: 'cli_bypass', ...kept({ ...BYPASSED, ...metadata }) }
      : { ...limited, way: 'cli', ...kept(metadata) };
  });
}

/** Must be called under the lock, because the content of the files decides which of them are changed. */
export function satisfyingChanges(
  done: readonly Recorded[],
  how: RecordContext,
  lookUp: (ref: DocumentRef) => Document,
): Change[] {
  const { session } = how;
  const isDone = ({ rule, session: whose }: { rule: string; session: string }): boolean =>
    done.some(({ name }) => name === rule) && (session === undefined || whose === session.key);
  return [...recordChanges(done, how, lookUp), closeAnswered(isDone)];
}
