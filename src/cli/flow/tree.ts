import type { JsonObject } from '../../core/json';
import { looksAtTests } from '../../guards/workflow/gate';
import { textAt } from '../../guards/workflow/json-path';
import type { Context } from '../verb';
import type { FlowPlace } from './place';

const WAIT_MS = 60_000;

/** The tree as it is now, and why it could not be told. */
export interface TreeNow {
  readonly tree?: string;
  readonly trouble?: string;
}

/** Asks git for the tree, where the current phase's gate has to be compared with it. */
export async function treeNow(place: FlowPlace, state: JsonObject, context: Context): Promise<TreeNow> {
  const { root, head, model } = place;
  if (head === undefined || !looksAtTests(model, state)) return {};
  const { env, chunks } = context;
  const run = chunks.effects('workflow');
  const found = await run('tree', null, { projectRoot: root, env, deadline: Date.now() + WAIT_MS });
  const trouble = textAt(found, 'trouble');
  // Of a tree that nobody knows it cannot be said that it was tested.
  return { tree: textAt(found, 'tree') ?? '', ...(trouble !== undefined && { trouble }) };
}
