import { fail, type Result, succeed } from '../../core/failure';
import type { Standing } from '../../guards/workflow/gate';
import * as say from './messages';

/** A workflow that is going on, in a phase that it has. */
export type Active = Standing & { readonly phase: string };

/** The workflow that a command is about, or why there is none to be moved. */
export function requireActive(standing: Standing | undefined): Result<Active, string> {
  const open = requireOpen(standing);
  if (!open.ok) return open;
  const { workflow, phase } = open.value;
  if (workflow.suspended) return fail(say.IS_SUSPENDED);
  return phase === undefined ? fail(say.NO_PHASE) : succeed({ ...open.value, phase });
}

/** The workflow that has not ended, be it suspended. */
export function requireOpen(standing: Standing | undefined): Result<Standing, string> {
  return standing === undefined ? fail(say.NO_WORKFLOW) : succeed(standing);
}
