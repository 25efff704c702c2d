import type { Change, Document, DocumentRef } from '../../core/document';
import type { Event } from '../../core/event';
import { branchLabel } from '../../core/git-head';
import type { Context } from '../../core/guard';
import { sha256Hex } from '../../core/hash';
import { isJsonObject, type Json, type JsonObject } from '../../core/json';
import { sessionKey } from '../../core/session-key';
import { isPlainWord } from '../../core/text';
import type { Requirement, RequirementsConfig } from './config';
import { type MetricsOwner, openMetrics } from './metrics';
import { entryIn, isSatisfied, isTriggered, migrateKeys, type StateOwner, sessionIn } from './state';

/** What a session did: counts, times, branches. No decision rests on it. */
export function metricsFile(session: string): DocumentRef {
  return {
    base: 'git',
    path: `requirements/sessions/${session}.json`,
    format: 'json',
    keeping: 'bookkeeping',
  };
}

/** Present while a person has paused the requirements for a session. */
export function pauseFile(session: string): DocumentRef {
  return { base: 'git', path: `requirements/sessions/${session}.paused`, format: 'json', keeping: 'durable' };
}

/** Values that cost a process to find out, kept for a while. */
export const VALUES_FILE: DocumentRef = {
  base: 'own',
  path: 'values.json',
  format: 'json',
  keeping: 'bookkeeping',
};

const LONGEST = 120;
/** A file name holds 255 bytes, and the store makes longer names of this one while it writes. */
const LONGEST_BYTES = 180;
const PROJECT_SLUG = '_project';

/** What was satisfied once for the whole project. */
export const PROJECT_FILE: DocumentRef = stateFile(PROJECT_SLUG);

function stateFile(slug: string): DocumentRef {
  return { base: 'git', path: `requirements/${slug}.json`, format: 'json', keeping: 'durable' };
}

/** A branch name as a file name: slashes become dashes, what is neither letter nor digit becomes `_`. */
export function branchSlug(branch: string): string {
  // Most names are of this kind; of what comes after it each step costs more than all of this.
  const dashes = branch.replaceAll('/', '-');
  if (isPlainWord(dashes.replaceAll('-', ''))) return dashes;
  const dashed = branch.normalize('NFC').replace(/[/\\]/g, '-');
  // The Unicode classes cost a third of a millisecond, so plain names do without them.
  const plain = /^[\x20-\x7e]*$/.test(dashed);
  return plain ? dashed.replace(/[^0-9A-Za-z_-]/g, '_') : dashed.replace(/[^\p{L}\p{N}_-]/gu, '_');
}

/**
 * The file of a branch. Two branches may share a slug (`a/b` and `a-b`); whoever finds the file
 * taken by another branch gets one with a hash of its name.
 */
export function branchFile(branch: string, lookUp: (ref: DocumentRef) => Document | undefined): DocumentRef {
  const slug = branchSlug(branch);
  const plain = stateFile(slug);
  const taken = slug === PROJECT_SLUG || isTooLong(slug) || belongsToAnother(lookUp(plain), branch);
  return taken ? stateFile(`${cut(slug)}~${sha256Hex(branch).slice(0, 8)}`) : plain;
}

function isTooLong(slug: string): boolean {
  // No character takes more than three bytes for each of its places in a string.
  if (slug.length * 3 <= LONGEST_BYTES) return false;
  return slug.length > LONGEST || Buffer.byteLength(slug) > LONGEST_BYTES;
}

function cut(slug: string): string {
  let kept = slug.slice(0, LONGEST);
  while (Buffer.byteLength(kept) > LONGEST_BYTES) kept = kept.slice(0, -1);
  return kept;
}

function belongsToAnother(document: Document | undefined, branch: string): boolean {
  if (document?.kind !== 'present' || !isJsonObject(document.value)) return false;
  const owner = document.value['branch'];
  return typeof owner === 'string' && owner !== branch;
}

const LONG_KEY = 12;
/** As much of an id as is kept: nobody may fill the state with one. */
const LONGEST_ID = 128;

/** A session's id as it stands in its entries. */
export function keptId(sessionId: string): string {
  return sessionId.slice(0, LONGEST_ID);
}

/**
 * The key of a session in a state. Two sessions may begin with the same eight characters; the one
 * that comes second finds the other's whole id in the entry and takes a longer key.
 */
export function sessionKeyIn(state: Json | undefined, sessionId: string): string | undefined {
  const short = sessionKey(sessionId);
  if (short === undefined || sessionId.length <= short.length) return short;
  const requirements = isJsonObject(state) ? state['requirements'] : undefined;
  if (!isJsonObject(requirements)) return short;
  const taken = Object.values(requirements).some((entry) =>
    belongsToAnotherInSessionKeyIn(entry, short, sessionId),
  );
  return taken ? longKey(sessionId) : short;
}

/** The key of twelve: of the id itself where that is plain, else of its hash, as with the short one. */
export function longKey(sessionId: string): string {
  const plain = sessionId.replaceAll('-', '');
  return (/^[0-9A-Za-z_]+$/.test(plain) ? plain : sha256Hex(sessionId)).slice(0, LONG_KEY);
}

function belongsToAnotherInSessionKeyIn(entry: Json | undefined, key: string, sessionId: string): boolean {
  const sessions = isJsonObject(entry) ? entry['sessions'] : undefined;
  const own = isJsonObject(sessions) && Object.hasOwn(sessions, key) ? sessions[key] : undefined;
  const owner = isJsonObject(own) ? own['session_id'] : undefined;
  return typeof owner === 'string' && owner !== keptId(sessionId);
}

/** What the requirements look like from one session on one branch. */
export interface View {
  /** The session's key in the state files. */
  readonly session: string;
  readonly branch: string;
  readonly project: string;
  readonly file: DocumentRef;
  readonly owner: StateOwner;
  readonly metricsOwner: MetricsOwner;
  readonly state: Json | undefined;
  readonly metrics: Json | undefined;
  /** Whether a person has paused the requirements for this session. */
  readonly paused: boolean;
  isSatisfied(requirement: Requirement): boolean;
  isTriggered(requirement: Requirement): boolean;
  /** State files that could not be read, so that nothing in them counts. */
  readonly unreadable: readonly string[];
}

/** `undefined` where the event names no session: then there is nobody to whom a requirement could apply. */
export function viewOf(event: Event, config: RequirementsConfig, ctx: Context): View | undefined {
  return viewOn(branchLabel(ctx.git), event, config, ctx);
}

/** The same from another branch on which the session has worked. */
export function viewOn(
  branch: string,
  event: Event,
  { requirements }: RequirementsConfig,
  ctx: Context,
): View | undefined {
  const file = branchFile(branch, ctx.document);
  const onBranch = ctx.document(file);
  const isAsked = requirements.some(({ scope }) => scope === 'permanent');
  const inProject: Document = isAsked ? ctx.document(PROJECT_FILE) : { kind: 'missing' };
  const state = migrateKeys(presentValue(onBranch));
  const session = sessionKeyIn(state, event.sessionId);
  const short = sessionKey(event.sessionId);
  if (session === undefined || short === undefined) return undefined;
  const now = Math.floor(ctx.now / 1000);
  return {
    session,
    branch,
    project: ctx.projectRoot,
    file,
    owner: { branch, project: ctx.projectRoot, now, sessionId: keptId(event.sessionId) },
    metricsOwner: { session: short, fullId: event.sessionId, project: ctx.projectRoot, branch, now },
    state,
    metrics: presentValue(ctx.document(metricsFile(short))),
    paused: ctx.document(pauseFile(short)).kind === 'present',
    isSatisfied: (requirement) => satisfiedIn(requirement, state, presentValue(inProject), session, now),
    isTriggered: ({ name, scope }) => isTriggered(entryIn(state, name), scope, session),
    unreadable: [...unreadableFile(onBranch, file.path), ...unreadableFile(inProject, PROJECT_FILE.path)],
  };
}

/** What may satisfy a requirement depends on its scope; a satisfaction at the root is everybody's. */
export function satisfiedIn(
  { name, scope }: Pick<Requirement, 'name' | 'scope'>,
  onBranch: Json | undefined,
  inProject: Json | undefined,
  session: string,
  now: number,
): boolean {
  const entry = entryIn(onBranch, name);
  switch (scope) {
    case 'session':
    case 'single_use':
      return isSatisfied(entry, now) || isSatisfied(sessionIn(entry, session), now);
    case 'branch':
      return isSatisfied(entry, now);
    case 'permanent':
      return entryIn(inProject, name)['satisfied'] === true || entry['satisfied'] === true;
  }
}

export function presentValue(document: Document): Json | undefined {
  return document.kind === 'present' ? document.value : undefined;
}

function unreadableFile(document: Document, path: string): string[] {
  if (document.kind === 'unreadable') return [`${document.file} ${document.why}`];
  const broken = document.kind === 'present' && !isJsonObject(document.value);
  return broken ? [`${path} in the git directory is not a JSON object`] : [];
}

/** A change to the state of the view's branch. */
export function stateChange(
  view: View,
  what: string,
  apply: (state: Json | undefined) => Json | undefined,
): Change {
  return { document: view.file, what, apply };
}

/** A change to the session's counts; nothing is told of it. */
export function metricsChange({ metricsOwner }: View, change: (metrics: JsonObject) => JsonObject): Change {
  return {
    document: metricsFile(metricsOwner.session),
    what: 'session counts',
    apply: (current) => change(openMetrics(current, metricsOwner)),
  };
}
