import type { Chunks, LiveSession } from '../core/guard';
import { type JsonObject, nameIn, textIn } from '../core/json';
import { answerChanges, type Request, requestsIn } from '../guards/requirements/approvals';
import {
  coversTarget,
  isSignedBy,
  isSignedByHub,
  keysOf,
  type Statement,
  statementIn,
} from '../guards/requirements/signed';
import { APPROVALS, presentValue } from '../guards/requirements/view';
import { type Document, type DocumentRef, type Layout, readDocument } from '../state/documents';
import { HUB_PROJECT, hubProjectIn, type Joined, type KeyLink, placeDigest } from '../state/hub';
import { appendJournal, nextDecisionId } from '../state/journal';
import { applyChanges, lockProject } from '../state/update';
import { type FollowedProject, requestProject, requirementsConfigOf } from './projects';
import { openRequestsIn } from './requests';
import type { Spool } from './spool';

/** What became of an answer from the hub. */
export type Outcome =
  | { readonly kind: 'applied' }
  /** Its request is still to be sent, again or for the first time; the hub then names the answer. */
  | { readonly kind: 'early' }
  /** Nothing waits for it: it was handled before, or comes too late. */
  | { readonly kind: 'done'; readonly why: string }
  /** Our hub cannot have given this answer to us. */
  | { readonly kind: 'refused'; readonly why: string }
  /** It could not be written now; we ask the hub for it again. */
  | { readonly kind: 'later'; readonly why: string };

interface AnswerContext {
  readonly joined: Joined;
  readonly spool: Spool;
  readonly projects: readonly FollowedProject[];
  readonly live: readonly LiveSession[];
  readonly chunks: Chunks;
  /** Milliseconds since the epoch. */
  readonly now: number;
}

const done = (why: string): Outcome => ({ kind: 'done', why });
const refused = (why: string): Outcome => ({ kind: 'refused', why });

/** Verifies an answer from the hub, and writes it to the state if one of our requests still waits for it. */
export function applyAnswer(item: JsonObject, answerContext: AnswerContext): Outcome {
  const { joined, spool, projects, now } = answerContext;
  const [text, signature] = [textIn(item, 'statement') ?? '', textIn(item, 'signature') ?? ''];
  const statement = statementIn(text);
  if (statement === undefined) return refused('it has no statement of this version');
  if (!isSignedByHub(joined, text, signature, statement))
    return refused('its signature is not of the pinned key');
  if (statement.machine !== joined.machine) return refused('it is for another machine');
  if (nameIn(item, 'id') !== statement.request) return refused('it names another request');
  if (spool.nonces.includes(statement.nonce)) return done('it was seen before');
  if (now >= statement.until) return done("its time is over, by this machine's clock");
  const sent = spool.requests[statement.request];
  if (sent === undefined) return unknown(statement, answerContext);
  const followed = projects.find(({ place }) => place === sent.place);
  if (followed === undefined) return done('nothing here waits for it');
  const stored = readDocument(followed.project.layout, HUB_PROJECT);
  const project = hubProjectIn(presentValue(stored), followed.place);
  const isHere =
    project !== undefined &&
    [project.id, ...project.former].includes(statement.project) &&
    statement.digest === placeDigest(followed.place);
  if (!isHere || statement.rule !== sent.rule) return refused('it is for another project or rule');
  return write(statement, { statement: text, signature }, followed, answerContext);
}

/** An answer to a request that we do not know: one like it may wait here unsent, or its id was lost. */
function unknown(
  { digest, rule, session }: Statement,
  { spool, projects, live, now }: AnswerContext,
): Outcome {
  const sent = Object.values(spool.requests);
  const isUnsent = projects
    .filter(({ place }) => placeDigest(place) === digest)
    .flatMap((followed) => openRequestsIn(followed, live, now))
    .filter((one) => one.rule === rule && (one.sessionId || one.session) === session)
    .some((one) => !sent.some(({ decision }) => decision === one.decision));
  return isUnsent ? { kind: 'early' } : done('nothing here waits for it');
}

function write(
  statement: Statement,
  hub: KeyLink,
  followed: FollowedProject,
  answerContext: AnswerContext,
): Outcome {
  const { chunks, now, spool, joined } = answerContext;
  const { layout } = followed.project;
  const read = (ref: DocumentRef): Document => readDocument(layout, ref);
  const { decision } = spool.requests[statement.request] ?? {};
  const findAsked = (): Request | undefined =>
    requestsIn(presentValue(read(APPROVALS))).find(
      (one) => one.rule === statement.rule && one.decision === decision,
    );
  const asked = findAsked();
  if (asked === undefined) return done('nothing here waits for it');
  const config = requirementsConfigOf(requestProject(asked, followed), chunks);
  const requirement = config?.requirements.find(({ name }) => name === statement.rule);
  if (requirement === undefined || requirement.agentMaySatisfy)
    return done('the rule is no longer in effect');
  if (!isSignedByHub(joined, hub.statement, hub.signature, statement, config?.hubKey))
    return refused('the config asks for another key');
  const lock = lockProject(layout, 2000);
  if (!lock.ok) return { kind: 'later', why: lock.failure.code };
  try {
    const request = findAsked();
    const isMeant = ({ sessionId, session, branch }: Request): boolean =>
      coversTarget(statement, { requirement, sessionId: sessionId || session, branch });
    if (request === undefined || !isMeant(request)) return done('nothing here waits for it');
    const ends = Number.isFinite(statement.until);
    const changes = answerChanges(
      {
        verdict: statement.answer,
        requirement,
        whose: request,
        channel: 'hub',
        note: statement.note,
        now: Math.floor(now / 1000),
        ...(ends && { ttl: Math.max(0, Math.floor((statement.until - now) / 1000)) }),
        proof: { hub },
      },
      read,
    );
    const { written, failures } = applyChanges(layout, lock.value, changes);
    const [failure] = failures.filter(({ durability }) => durability === 'durable');
    if (failure !== undefined) return { kind: 'later', why: failure.failure.code };
    note(layout, statement, request, written, now);
    return { kind: 'applied' };
  } finally {
    lock.value.release();
  }
}

function note(
  layout: Layout,
  { answer, rule, by, request: id }: Statement,
  { sessionId, session, branch }: Request,
  written: readonly string[],
  now: number,
): void {
  appendJournal(layout, {
    id: nextDecisionId(now, process.pid),
    at: new Date(now).toISOString(),
    host: 'hub',
    session: sessionId || session,
    event: answer,
    tool: rule,
    actor: 'person',
    channel: 'hub',
    by,
    request: id,
    branch,
    decision: 'nothing',
    verdicts: [],
    written: [...written],
  });
}

/** The chain with one more key, to which the last key has handed over; `undefined` if it has not. */
export function withKey(joined: Joined, link: KeyLink): Joined | undefined {
  const keys = keysOf(joined);
  const last = keys.at(-1);
  if (keys.length !== joined.chain.length + 1 || last === undefined) return undefined;
  if (joined.chain.some(({ statement }) => statement === link.statement)) return undefined;
  if (!isSignedBy(last.key, link.statement, link.signature)) return undefined;
  const longer = { ...joined, chain: [...joined.chain, link] };
  return keysOf(longer).length === keys.length + 1 ? longer : undefined;
}
