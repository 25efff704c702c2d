import type { Document, DocumentRef } from '../../domain/document';
import type { Json } from '../../domain/json';
import { branchFile, PROJECT_FILE } from './branch-file';
import type { RequirementsConfig, Scope } from './config';
import { entryIn, isTriggered } from './state';
import { satisfiedIn } from './view';

/** One requirement as `status` shows it. */
export type RequirementStatus = {
  readonly name: string;
  readonly scope: Scope;
  readonly satisfied: boolean;
  readonly triggered: boolean;
  readonly place: string;
};

/** How the requirements stand for a session on a branch; without a session only what is everybody's counts. */
export function requirementStatuses(
  config: RequirementsConfig,
  branch: string,
  session: string,
  nowMs: number,
  read: (ref: DocumentRef) => Document,
): RequirementStatus[] {
  const onBranch = present(read(branchFile(branch, read)));
  const inProject = present(read(PROJECT_FILE));
  const now = Math.floor(nowMs / 1000);
  return config.requirements.map(({ name, scope, place }) => ({
    name,
    scope,
    satisfied: satisfiedIn({ name, scope }, onBranch, inProject, session, now),
    triggered: isTriggered(entryIn(onBranch, name), scope, session),
    place,
  }));
}

function present(document: Document): Json | undefined {
  return document.kind === 'present' ? document.value : undefined;
}
