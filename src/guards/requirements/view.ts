import type { Document, DocumentRef } from '../../core/document';
import type { Event } from '../../core/event';
import { branchLabel } from '../../core/git-head';
import { isJsonObject, type Json } from '../../core/json';
import { sessionKey } from '../../core/session-key';
import { documentIn, type Snapshot } from '../../core/snapshot';
import { branchFile, PROJECT_FILE } from './branch-file';
import type { Requirement } from './config';
import type { MetricsOwner } from './metrics';
import { migrateKeys } from './migrate-keys';
import { metricsFile, pauseFile } from './session-files';
import { keptId, sessionKeyIn } from './session-key-in';
import { entryIn, isSatisfied, isTriggered, type StateOwner, sessionIn } from './state';

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
export function viewOf(event: Event, snapshot: Snapshot): View | undefined {
  return viewOn(branchLabel(snapshot.git), event, snapshot);
}

/** The same from another branch on which the session has worked. */
export function viewOn(branch: string, event: Event, snapshot: Snapshot): View | undefined {
  const file = branchFile(branch, (ref) => documentIn(snapshot, ref));
  const onBranch = documentIn(snapshot, file);
  const inProject = documentIn(snapshot, PROJECT_FILE);
  const state = migrateKeys(presentValue(onBranch));
  const session = sessionKeyIn(state, event.sessionId);
  const short = sessionKey(event.sessionId);
  if (session === undefined || short === undefined) return undefined;
  const now = secondsOf(snapshot);
  return {
    session,
    branch,
    project: snapshot.projectRoot,
    file,
    owner: { branch, project: snapshot.projectRoot, now, sessionId: keptId(event.sessionId) },
    metricsOwner: { session: short, fullId: event.sessionId, project: snapshot.projectRoot, branch, now },
    state,
    metrics: presentValue(documentIn(snapshot, metricsFile(short))),
    paused: documentIn(snapshot, pauseFile(short)).kind === 'present',
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

/** The moment of the event in seconds since the epoch, as state files have it. */
export function secondsOf({ now }: Snapshot): number {
  return Math.floor(now / 1000);
}

function unreadableFile(document: Document, path: string): string[] {
  if (document.kind === 'unreadable') return [`${document.file} ${document.why}`];
  const broken = document.kind === 'present' && !isJsonObject(document.value);
  return broken ? [`${path} in the git directory is not a JSON object`] : [];
}
