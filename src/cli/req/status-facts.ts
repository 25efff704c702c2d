import { formatDiagnostic } from '../../config/diagnostics';
import { compileConfig } from '../../core/compile-config';
import type { Document, DocumentRef } from '../../core/document';
import { loadConfig } from '../../core/load-config';
import type { RequirementsConfig } from '../../guards/requirements/config';
import { type RequirementStatus, requirementStatuses } from '../../guards/requirements/status';
import { branchFile, PROJECT_FILE } from '../../guards/requirements/view';
import { readDocument } from '../../state/documents';
import type { OpenProject } from '../project';
import type { Context } from '../verb';
import { type Paused, readPaused } from './paused-mark';
import { type RegisteredSession, readRegistry } from './registry';
import { requirementsConfig } from './requirements-config';

/** What `req status` tells, as data. */
export interface ReqStatus {
  readonly project: string;
  readonly branch: string;
  /** Empty where no session could be told. */
  readonly session: string;
  readonly reach: 'none' | 'disabled' | 'global-only' | 'enforced';
  readonly paused: Paused | undefined;
  readonly requirements: readonly RequirementStatus[];
  /** The live sessions on this branch. */
  readonly sessions: readonly RegisteredSession[];
  /** What is wrong with the config, at its place. */
  readonly problems: readonly string[];
  /** Whether a part of the config is without effect because of it. */
  readonly broken: boolean;
  /** State files that could not be read, so that nothing in them counts. */
  readonly unreadable: readonly string[];
}

export function gatherReqStatus(
  project: OpenProject,
  branch: string,
  session: string,
  { chunks }: Pick<Context, 'chunks'>,
  now: number,
): ReqStatus {
  const config = requirementsConfig(loadConfig(project, chunks));
  const { sessions } = readRegistry(project.layout, now);
  const here = sessions.filter((one) => one.alive && one.projectDir === project.root);
  const from = { projectRoot: project.root, branch, session, sessions, now };
  const read = (ref: DocumentRef): Document => readDocument(project.layout, ref);
  return {
    project: project.root,
    branch,
    session,
    reach: reachOf(config),
    paused: session === '' ? undefined : readPaused(project.layout, session),
    requirements: config === undefined ? [] : requirementStatuses(config, from, read),
    sessions: here.filter((one) => one.branch === branch),
    ...configProblems(project),
    unreadable: [read(branchFile(branch, read)), read(PROJECT_FILE)].flatMap((document) =>
      document.kind === 'unreadable' ? [`${document.file} ${document.why}`] : [],
    ),
  };
}

function reachOf(config: RequirementsConfig | undefined): ReqStatus['reach'] {
  if (config !== undefined && !config.enabled) return 'disabled';
  if (config === undefined || config.requirements.length === 0) return 'none';
  return config.reach === 'global-only' ? 'global-only' : 'enforced';
}

/** Compiled afresh: only then is it known which problems are mistakes and which mere warnings. */
function configProblems({ root, home, configured }: OpenProject): Pick<ReqStatus, 'problems' | 'broken'> {
  if (!configured) return { problems: [], broken: false };
  const { diagnostics } = compileConfig(root, home);
  return {
    problems: diagnostics.map(formatDiagnostic),
    broken: diagnostics.some(({ severity }) => severity === 'error'),
  };
}
