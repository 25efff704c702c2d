import {
  isJsonObject,
  type Json,
  type JsonObject,
  jsonObjectIn,
  nameIn,
  objectIn,
  textIn,
  textsIn,
} from '../../core/json';
import type { Document, DocumentRef } from '../../state/documents';
import { HUB_PROJECT, hubProjectIn, type Joined, joinedIn, placeDigest } from '../../state/hub';
import { HUB } from '../../state/journal';
import type { Requirement } from './section';
import { APPROVALS, presentValue } from './view';

/*
 * Approvals that the hub has signed. Loaded only if a rule has `approval: hub`, and by the uplink when an approval
 * arrives. For such a rule the state file proves nothing by itself: only the statement in it counts, if the pinned
 * key signed it and it is about this machine, project, rule, and session or branch.
 */

/** Loaded on first use: it costs a new process 4 ms. */
function crypto(): typeof import('node:crypto') {
  return require('node:crypto');
}

/** What a hub signs when a person answers. Times are milliseconds since the epoch. */
export interface Statement {
  readonly request: string;
  readonly machine: string;
  readonly project: string;
  readonly rule: string;
  readonly scope: string;
  readonly session: string;
  readonly branch: string;
  readonly digest: string;
  readonly answer: 'approve' | 'reject';
  readonly note: string;
  readonly by: string;
  readonly at: number;
  /** `Infinity` if it does not end. */
  readonly until: number;
  readonly nonce: string;
}

/** Parses a signed statement; `undefined` if it is not an approval of this version. */
export function statementIn(text: string): Statement | undefined {
  const value = jsonObjectIn(text);
  if (value?.['v'] !== 1 || value['kind'] !== 'approval') return undefined;
  const { answer, until } = value;
  const [request, machine, project, rule, nonce] = ['request', 'machine', 'project', 'rule', 'nonce'].map(
    (name) => nameIn(value, name),
  );
  const at = Date.parse(textIn(value, 'at') ?? '');
  const end = until === null ? Number.POSITIVE_INFINITY : Date.parse(String(until));
  if (!request || !machine || !project || !rule || !nonce || Number.isNaN(at) || Number.isNaN(end))
    return undefined;
  if (answer !== 'approve' && answer !== 'reject') return undefined;
  const words = (name: string): string => textIn(value, name) ?? '';
  return {
    ...{ request, machine, project, rule, nonce, answer, at, until: end },
    ...{ scope: words('scope'), session: words('session'), branch: words('branch') },
    ...{ digest: words('digest'), note: words('note'), by: words('by') },
  };
}

/** Whether the owner of a public key has signed a text. */
export function isSignedBy(key: string, text: string, signature: string): boolean {
  const { createPublicKey, verify } = crypto();
  try {
    const publicKey = createPublicKey({ key: Buffer.from(key, 'base64'), format: 'der', type: 'spki' });
    const isEd25519 = publicKey.asymmetricKeyType === 'ed25519';
    return isEd25519 && verify(null, Buffer.from(text), publicKey, Buffer.from(signature, 'base64'));
  } catch {
    return false;
  }
}

/** The id of a key: `sha256:` and the digest of its public half. */
export function keyId(key: string): string {
  return `sha256:${crypto().createHash('sha256').update(Buffer.from(key, 'base64')).digest('hex')}`;
}

/** A key of the hub, and when its successor took over. */
export interface HubKey {
  readonly key: string;
  readonly until: number;
}

/** The pinned key and its successors. The chain ends at a key that its predecessor did not sign. */
export function keysOf({ key, chain }: Pick<Joined, 'key' | 'chain'>): HubKey[] {
  const keys: HubKey[] = [{ key, until: Number.POSITIVE_INFINITY }];
  for (const { statement, signature } of chain) {
    const [last] = keys.slice(-1);
    const value = jsonObjectIn(statement);
    const next = nameIn(value, 'key');
    const at = Date.parse(textIn(value, 'at') ?? '');
    if (last === undefined || next === undefined || Number.isNaN(at)) break;
    if (value?.['v'] !== 1 || value['kind'] !== 'key' || !isSignedBy(last.key, statement, signature)) break;
    keys.splice(-1, 1, { ...last, until: at }, { key: next, until: Number.POSITIVE_INFINITY });
  }
  return keys;
}

/**
 * Whether a key of the hub signed a statement while that key was in use. `pinned` is the key id that the config
 * demands; if set, only that key and its successors count.
 */
export function isSignedByHub(
  joined: Pick<Joined, 'key' | 'chain'>,
  text: string,
  signature: string,
  { at }: Pick<Statement, 'at'>,
  pinned?: string,
): boolean {
  return usableKeys(joined, pinned).some(({ key, until }) => at <= until && isSignedBy(key, text, signature));
}

function usableKeys(joined: Pick<Joined, 'key' | 'chain'>, pinned: string | undefined): HubKey[] {
  const keys = keysOf(joined);
  const first = pinned === undefined ? 0 : keys.findIndex(({ key }) => keyId(key) === pinned);
  return first < 0 ? [] : keys.slice(first);
}

/** What a statement must be about to count for a rule here. */
export interface ApprovalTarget {
  readonly requirement: Pick<Requirement, 'name' | 'scope' | 'perBranch' | 'approvalTtl'> & {
    readonly type?: string;
  };
  readonly sessionId: string;
  readonly branch: string;
}

/** A dynamic requirement is approved for the session, whatever its scope. */
export function scopeOf({ scope, type }: ApprovalTarget['requirement']): Requirement['scope'] {
  return type === 'dynamic' ? 'session' : scope;
}

/** Whether a statement is about this rule, and about this session or branch as the rule's scope demands. */
export function coversTarget(
  statement: Statement,
  { requirement, sessionId, branch }: ApprovalTarget,
): boolean {
  const scope = scopeOf(requirement);
  if (statement.rule !== requirement.name || statement.scope !== scope) return false;
  const isHere = statement.branch === branch;
  if (scope === 'branch') return isHere;
  if (scope === 'permanent') return true;
  return statement.session === sessionId && sessionId !== '' && (isHere || !requirement.perBranch);
}

/**
 * When an approval ends. The rule's own `approval_ttl` limits it too, because anyone with the machine's token can ask
 * the hub for a longer one.
 */
function endOf({ at, until }: Statement, { approvalTtl }: ApprovalTarget['requirement']): number {
  return approvalTtl === undefined ? until : Math.min(until, at + Math.ceil(approvalTtl) * 1000);
}

type Read = (ref: DocumentRef) => Document;

/** The session, branch and project for which an approval is checked. */
export interface ApprovalContext {
  readonly sessionId: string;
  readonly branch: string;
  /** The directory that holds the project's state; see `placeBelow`. */
  readonly place: string;
  /** Seconds since the epoch. */
  readonly now: number;
  /** The id of the key that the config demands. */
  readonly hubKey?: string | undefined;
}

/** Returns a check whether the hub has signed what a state file records for a rule. */
export function signatureCheck(
  read: Read,
  from: ApprovalContext,
): (rule: ApprovalTarget['requirement'], holder: JsonObject) => boolean {
  const value = (ref: DocumentRef): Json | undefined => presentValue(read(ref));
  return (requirement, holder) => {
    const { statement: text, signature } = proofIn(holder);
    const statement = statementIn(text);
    const joined = statement && joinedIn(value(HUB));
    if (statement === undefined || joined === undefined || statement.answer !== 'approve') return false;
    const project = hubProjectIn(value(HUB_PROJECT), from.place);
    const isOurs =
      statement.machine === joined.machine &&
      statement.digest === placeDigest(from.place) &&
      project !== undefined &&
      [project.id, ...project.former].includes(statement.project);
    const isOver =
      from.now * 1000 >= endOf(statement, requirement) ||
      usedApprovals(value(APPROVALS)).includes(statement.nonce);
    if (!isOurs || isOver || !coversTarget(statement, { requirement, ...from })) return false;
    return isSignedByHub(joined, text, signature, statement, from.hubKey);
  };
}

/** The signed statement that is stored with a satisfaction. */
function proofIn(holder: JsonObject): { readonly statement: string; readonly signature: string } {
  const proof = objectIn(objectIn(holder, 'metadata'), 'hub');
  return { statement: textIn(proof, 'statement') ?? '', signature: textIn(proof, 'signature') ?? '' };
}

/** Used approvals for one call: they do not count again if someone restores them in a state file. */
function usedApprovals(approvals: Json | undefined): readonly string[] {
  return textsIn(approvals, 'spent');
}

const MOST_SPENT = 500;

/** The approvals document with an approval marked as used. */
export function withUsedApproval(approvals: Json | undefined, holder: JsonObject): Json | undefined {
  const nonce = statementIn(proofIn(holder).statement)?.nonce;
  const spent = usedApprovals(approvals);
  if (nonce === undefined || spent.includes(nonce)) return approvals;
  return {
    version: 1,
    ...(isJsonObject(approvals) && approvals),
    spent: [...spent, nonce].slice(-MOST_SPENT),
  };
}

/** Whether this machine can get approvals from the hub, for messages about a hold. */
export type HubStatus =
  | { readonly kind: 'absent' }
  /** `other`: it has joined a hub whose key is not the one that the config demands. */
  | { readonly kind: 'joined' | 'other' | 'refused'; readonly url: string };

export function hubStatus(read: Read, hubKey: string | undefined): HubStatus {
  const joined = joinedIn(presentValue(read(HUB)));
  if (joined === undefined) return { kind: 'absent' };
  const { url, refused } = joined;
  if (usableKeys(joined, hubKey).length === 0) return { kind: 'other', url };
  return { kind: refused === undefined ? 'joined' : 'refused', url };
}
