import { existsSync } from 'node:fs';
import type { DocumentRef } from '../../core/document';
import { fail, type Result, succeed } from '../../core/failure';
import type { GitHead } from '../../core/git-head';
import { isJsonObject, type JsonObject } from '../../core/json';
import { loadConfig } from '../../core/load-config';
import { seedGround } from '../../core/seed-ground';
import { looksAtTests, type Standing, standingOf } from '../../guards/workflow/advance';
import { builtinModel } from '../../guards/workflow/config/builtin-model';
import { textAt } from '../../guards/workflow/json-path';
import { stateUnreadable } from '../../guards/workflow/messages';
import type { WorkflowModel } from '../../guards/workflow/model';
import { OWN_STATE, PROJECT_VARIABLE, projectAt, SEED_DIR, seedState } from '../../guards/workflow/place';
import { readDocument } from '../../state/documents';
import { documentFile, type Layout } from '../../state/layout';
import { NO_PROJECT } from '../messages';
import { type OpenProject, openProject } from '../project';
import type { Context } from '../verb';

/** The workflows of a project, and where their state is kept. */
export interface FlowPlace {
  readonly root: string;
  readonly layout: Layout;
  readonly head: GitHead | undefined;
  readonly model: WorkflowModel;
  readonly document: DocumentRef;
  /** The project of a monorepo. */
  readonly project: string | undefined;
}

/** The place for a command; where no state could be kept, prints why and returns nothing. */
export function requireFlow(context: Context): FlowPlace | undefined {
  const { cwd, env, out } = context;
  const project = openProject(context);
  if (project !== undefined) return flowIn(project, context);
  const seeded = seedGround({ cwd }, { HOME: env['HOME'] });
  if (seeded !== undefined) return flowIn({ ...seeded, head: undefined }, context);
  out.error(NO_PROJECT);
  return undefined;
}

function flowIn(opened: OpenProject, { cwd, env, chunks }: Context): FlowPlace {
  const { root, layout, head } = opened;
  const config = loadConfig(opened, chunks);
  const index = config?.head.guards.findIndex(({ name }) => name === 'workflow') ?? -1;
  const compiled = index < 0 ? undefined : (config?.configOf(index) as WorkflowModel | undefined);
  const model = compiled ?? builtinModel();
  const project = projectAt(model, { named: env[PROJECT_VARIABLE], cwd, root });
  const document = existsSync(`${root}/${SEED_DIR}`) ? seedState(project) : OWN_STATE;
  return { root, layout, head, model, document, project };
}

/** The state; empty where there is none, and a sentence where it cannot be read. */
export function readState({ layout, document }: FlowPlace): Result<JsonObject, string> {
  const found = readDocument(layout, document);
  if (found.kind === 'missing') return succeed({});
  if (found.kind === 'unreadable') return fail(stateUnreadable(found.file, found.why));
  return isJsonObject(found.value)
    ? succeed(found.value)
    : fail(stateUnreadable(documentFile(layout, document), 'is not an object'));
}

/** The workflow without asking git: whether tests ran on this very tree is not known. */
export interface FlowGlance {
  readonly state: JsonObject;
  /** Absent where no workflow is active. */
  readonly standing?: Standing;
  /** Why the state cannot be read. */
  readonly trouble?: string;
}

export function glanceAtFlow(project: OpenProject, context: Context): FlowGlance {
  const place = flowIn(project, context);
  const state = readState(place);
  if (!state.ok) return { state: {}, trouble: state.failure };
  const standing = standingOf(place.model, state.value);
  return { state: state.value, ...(standing && { standing }) };
}

const TREE_WAIT_MS = 60_000;

/** Asks git for the tree, where the current phase's gate compares tests with it; also says why that failed. */
export async function treeNow(
  { root, head, model }: FlowPlace,
  state: JsonObject,
  { env, chunks }: Context,
): Promise<{ readonly tree?: string; readonly trouble?: string | undefined }> {
  if (head === undefined || !looksAtTests(model, state)) return {};
  const deadline = Date.now() + TREE_WAIT_MS;
  const found = await chunks.effects('workflow')('tree', null, { projectRoot: root, env, deadline });
  // Nobody can say that an unknown tree was tested.
  return { tree: textAt(found, 'tree') ?? '', trouble: textAt(found, 'trouble') };
}

export const NO_WORKFLOW = 'No workflow is active here. `holdpoint flow start WORKFLOW` starts one.';
export const IS_SUSPENDED =
  'The workflow is suspended: its rules rest. `holdpoint flow resume` goes on with it.';
