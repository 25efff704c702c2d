import type { Change, Document, DocumentRef } from '../../core/document';
import type { Event } from '../../core/event';
import { branchLabel } from '../../core/git-head';
import type { Context } from '../../core/guard';
import { isJsonObject, type Json, type JsonObject } from '../../core/json';
import { sessionKey, sha256Hex } from '../../core/text';
import type { Requirement, RequirementsConfig } from './config';
import { type MetricsOwner, openMetrics } from './metrics';
import {
  entryIn,
  isSatisfied,
  isTriggered,
  longKey,
  migrateKeys,
  objectIn,
  type StateOwner,
  sessionIn,
} from './state';

function gitFile(path: string, keeping: DocumentRef['keeping']): DocumentRef {
  return { base: 'git', path: `requirements/${path}`, format: 'json', keeping };
}

/** What a session did: counts, times, branches. No decision rests on it. */
export function metricsFile(session: string): DocumentRef {
  return gitFile(`sessions/${session}.json`, 'bookkeeping');
}

/** Present while a person has paused the requirements for a session. */
export function pauseFile(session: string): DocumentRef {
  return gitFile(`sessions/${session}.paused`, 'durable');
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
export const PROJECT_FILE = gitFile(`${PROJECT_SLUG}.json`, 'durable');

/** A branch name as a file name: slashes become dashes, what is neither letter nor digit becomes `_`. */
export function branchSlug(branch: string): string {
  const dashed = branch.normalize('NFC').replace(/[/\\]/g, '-');
  return dashed.replace(/[^\p{L}\p{N}_-]/gu, '_');
}

/**
 * The file of a branch. Two branches may share a slug (`a/b` and `a-b`); the one that finds the file
 * taken by another gets one with a hash of its name.
 */
export function branchFile(branch: string, lookUp: (ref: DocumentRef) => Document | undefined): DocumentRef {
  const slug = branchSlug(branch);
  const plain = gitFile(`${slug}.json`, 'durable');
  let short = slug.slice(0, LONGEST);
  while (Buffer.byteLength(short) > LONGEST_BYTES) short = short.slice(0, -1);
  const isTaken = slug === PROJECT_SLUG || slug !== short || belongsToAnother(lookUp(plain), branch);
  return isTaken ? gitFile(`${short}~${sha256Hex(branch).slice(0, 8)}.json`, 'durable') : plain;
}

function belongsToAnother(document: Document | undefined, branch: string): boolean {
  if (document?.kind !== 'present' || !isJsonObject(document.value)) return false;
  const owner = document.value['branch'];
  return typeof owner === 'string' && owner !== branch;
}

/** How much of an id is kept, so that a long one cannot fill the state. */
const LONGEST_ID = 128;

/**
 * The key of a session in a state. Two sessions may begin with the same eight characters; the one
 * that comes second finds the other's whole id in the entry and takes a longer key.
 */
export function sessionKeyIn(state: Json | undefined, sessionId: string): string | undefined {
  const short = sessionKey(sessionId);
  if (short === undefined || sessionId.length <= short.length) return short;
  const isTaken = Object.values(objectIn(state, 'requirements')).some((entry) => {
    const owner = isJsonObject(entry) ? sessionIn(entry, short)['session_id'] : undefined;
    return typeof owner === 'string' && owner !== sessionId.slice(0, LONGEST_ID);
  });
  return isTaken ? longKey(sessionId) : short;
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

/** `undefined` where the event names no session: then no requirement applies to anybody. */
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
  const isPermanentUsed = requirements.some(({ scope }) => scope === 'permanent');
  const inProject: Document = isPermanentUsed ? ctx.document(PROJECT_FILE) : { kind: 'missing' };
  const state = migrateKeys(presentValue(onBranch));
  const session = sessionKeyIn(state, event.sessionId);
  const short = sessionKey(event.sessionId);
  if (session === undefined || short === undefined) return undefined;
  const now = Math.floor(ctx.now / 1000);
  const project = ctx.projectRoot;
  return {
    session,
    branch,
    project,
    file,
    owner: { branch, project, now, sessionId: event.sessionId.slice(0, LONGEST_ID) },
    metricsOwner: { session: short, fullId: event.sessionId, project, branch, now },
    state,
    metrics: presentValue(ctx.document(metricsFile(short))),
    paused: ctx.document(pauseFile(short)).kind === 'present',
    isSatisfied: (requirement) => satisfiedIn(requirement, state, presentValue(inProject), session, now),
    isTriggered: ({ name, scope }) => isTriggered(entryIn(state, name), scope, session),
    unreadable: [...unreadableFile(onBranch, file.path), ...unreadableFile(inProject, PROJECT_FILE.path)],
  };
}

/** What may satisfy a requirement depends on its scope; a satisfaction at the root counts for every session. */
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

/** What a document holds, where it can be read. */
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

/** A change to the session's counts. */
export function metricsChange({ metricsOwner }: View, change: (metrics: JsonObject) => JsonObject): Change {
  return {
    document: metricsFile(metricsOwner.session),
    what: 'session counts',
    apply: (current) => change(openMetrics(current, metricsOwner)),
  };
}
