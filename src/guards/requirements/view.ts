import type { Document, DocumentRef } from '../../domain/document';
import type { Event } from '../../domain/event';
import { branchLabel } from '../../domain/git-head';
import type { Json } from '../../domain/json';
import { isJsonObject } from '../../domain/json';
import { sessionKey } from '../../domain/session-key';
import type { Snapshot } from '../../domain/snapshot';
import { documentIn } from '../../domain/snapshot';
import { branchFile, PROJECT_FILE } from './branch-file';
import type { Requirement } from './config';
import { entryIn, isSatisfied, isTriggered, type StateOwner, sessionIn } from './state';

/** What the requirements look like from one session on one branch. */
export interface View {
  /** The session's key in the state files. */
  readonly session: string;
  readonly branch: string;
  readonly file: DocumentRef;
  readonly owner: StateOwner;
  isSatisfied(requirement: Requirement): boolean;
  isTriggered(requirement: Requirement): boolean;
  /** State files that could not be read, so that nothing in them counts. */
  readonly unreadable: readonly string[];
}

/** `undefined` where the event names no session: then there is nobody to whom a requirement could apply. */
export function viewOf(event: Event, snapshot: Snapshot): View | undefined {
  const session = sessionKey(event.sessionId);
  if (session === undefined) return undefined;
  const branch = branchLabel(snapshot.git);
  const file = branchFile(branch, (ref) => documentIn(snapshot, ref));
  const onBranch = documentIn(snapshot, file);
  const inProject = documentIn(snapshot, PROJECT_FILE);
  const now = Math.floor(snapshot.now / 1000);
  return {
    session,
    branch,
    file,
    owner: { branch, project: snapshot.projectRoot, now },
    isSatisfied: (requirement) =>
      satisfiedIn(requirement, stateOf(onBranch), stateOf(inProject), session, now),
    isTriggered: ({ name, scope }) => isTriggered(entryIn(stateOf(onBranch), name), scope, session),
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

function stateOf(document: Document): Json | undefined {
  return document.kind === 'present' ? document.value : undefined;
}

function unreadableFile(document: Document, path: string): string[] {
  if (document.kind === 'unreadable') return [`${document.file} ${document.why}`];
  const broken = document.kind === 'present' && !isJsonObject(document.value);
  return broken ? [`${path} in the git directory is not a JSON object`] : [];
}
