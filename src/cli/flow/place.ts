import { existsSync } from 'node:fs';
import type { DocumentRef } from '../../core/document';
import { fail, type Result, succeed } from '../../core/failure';
import type { GitHead } from '../../core/git-head';
import { isJsonObject, type JsonObject } from '../../core/json';
import { loadConfig } from '../../core/load-config';
import { seedGround } from '../../core/seed-ground';
import { builtinModel } from '../../guards/workflow/config/compile';
import type { WorkflowModel } from '../../guards/workflow/model';
import {
  OWN_STATE,
  PROJECT_VARIABLE,
  projectAt,
  SEED_DIR,
  seedState,
  stateUnreadable,
} from '../../guards/workflow/place';
import { readDocument } from '../../state/documents';
import { documentFile, type Layout } from '../../state/layout';
import { type OpenProject, openProject } from '../project';
import type { Context } from '../verb';

/** The workflows of a project, and where their state is kept. */
export interface FlowPlace {
  readonly root: string;
  readonly layout: Layout;
  readonly head: GitHead | undefined;
  readonly model: WorkflowModel;
  readonly document: DocumentRef;
  /** Absolute: the file of the state. */
  readonly file: string;
  /** The project of a monorepo. */
  readonly project: string | undefined;
}

/** Says `undefined` where no state could be kept: neither git, nor a directory of ours, nor of the older program. */
export function openFlow(context: Context): FlowPlace | undefined {
  const { cwd, env } = context;
  const project = openProject(context);
  if (project !== undefined) return flowIn(project, context);
  const seeded = seedGround({ cwd }, { HOME: env['HOME'] });
  return seeded && flowIn({ ...seeded, head: undefined }, context);
}

/** The place in a project that was found already. */
export function flowIn(opened: OpenProject, { cwd, env, chunks }: Context): FlowPlace {
  const { root, layout, head } = opened;
  const config = loadConfig(opened, chunks);
  const index = config?.head.guards.findIndex(({ name }) => name === 'workflow') ?? -1;
  const compiled = index < 0 ? undefined : (config?.configOf(index) as WorkflowModel | undefined);
  const model = compiled ?? builtinModel();
  const project = projectAt(model, { named: env[PROJECT_VARIABLE], cwd, root });
  const document = existsSync(`${root}/${SEED_DIR}`) ? seedState(project) : OWN_STATE;
  const file = documentFile(layout, document);
  return { root, layout, head, model, document, file, project };
}

/** The state as it is; empty where there is none, and a sentence where nobody can read it. */
export function readState({ layout, document, file }: FlowPlace): Result<JsonObject, string> {
  const found = readDocument(layout, document);
  switch (found.kind) {
    case 'missing':
      return succeed({});
    case 'unreadable':
      return fail(stateUnreadable(found.file, found.why));
    case 'present':
      return isJsonObject(found.value)
        ? succeed(found.value)
        : fail(stateUnreadable(file, 'is not an object'));
  }
}
