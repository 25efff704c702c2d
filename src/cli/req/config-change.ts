import { asBlock } from '../../config/write-yaml';
import type { JsonObject } from '../../core/json';
import type { OpenProject } from '../project';
import { printable } from '../ui/output';
import { choose, confirm } from '../ui/prompts';
import type { Context, ExitCode } from '../verb';
import { requirementsFile } from './config-file';
import * as say from './config-messages';
import type { ConfigOptions } from './config-options';
import { editConfig } from './edit-config';
import { agentMayNot } from './messages';
import { noteOverride } from './note-override';
import { refuse } from './refuse';
import { withEdits } from './requirement-edits';
import { reservedForPeople } from './reserved';

type Change = ConfigOptions & { readonly name: string };

/** Changes one requirement in the local or the project's file, once a person agrees. */
export async function changeRequirement(
  change: Change,
  before: JsonObject,
  project: OpenProject,
  context: Context,
): Promise<ExitCode> {
  const reserved = reservedForPeople(project, context);
  if (reserved.length > 0) return refuse(context, agentMayNot(reserved), 1);
  const after = withEdits(before, change.name, change.edits);
  if (!after.ok) return refuse(context, say.nothingWritten(after.failure), 1);
  if (!change.json) preview(before, after.value, context);
  const agreed = await agreement(change);
  if (agreed.layer === undefined) return refuse(context, agreed.why, 1);
  return write(change, agreed.layer, { before, after: after.value }, project, context);
}

function preview(before: JsonObject, after: JsonObject, { out }: Context): void {
  for (const [title, entry] of [
    ['Before:', before],
    ['After:', after],
  ] as const) {
    out.line(out.style('bold', title));
    for (const line of asBlock(entry, '1.1')) out.line(printable(`  ${line}`));
  }
}

type Agreement =
  | { readonly layer: 'local' | 'project' }
  | { readonly layer: undefined; readonly why: string };

const PLACES = [
  { value: 'local', label: 'Only here', hint: 'the local file, which is not committed' },
  { value: 'project', label: 'For everybody', hint: 'the file that is committed' },
];

/** Which file the change goes to, and that it may be made. */
async function agreement({ layer, yes }: Change): Promise<Agreement> {
  if (yes) return { layer: layer ?? 'local' };
  const chosen = layer === undefined ? await choose('Where does this count?', PLACES) : undefined;
  if (chosen?.kind === 'nobody') return { layer: undefined, why: say.SAY_YES };
  if (chosen?.kind === 'cancelled') return { layer: undefined, why: say.CANCELLED };
  const sure = await confirm('Write this?');
  if (sure.kind === 'nobody') return { layer: undefined, why: say.SAY_YES };
  if (sure.kind === 'cancelled' || !sure.value) return { layer: undefined, why: say.CANCELLED };
  return { layer: layer ?? (chosen?.value === 'project' ? 'project' : 'local') };
}

function write(
  { name, edits, json }: Change,
  layer: 'local' | 'project',
  shown: { readonly before: JsonObject; readonly after: JsonObject },
  { root, layout }: OpenProject,
  context: Context,
): ExitCode {
  const { out } = context;
  const file = requirementsFile(layer, root);
  const below = edits.map(({ path, value }) => ({ path: ['requirements', name, ...path], value }));
  const written = editConfig(layout, file, below);
  if (!written.ok) return refuse(context, say.nothingWritten(written.failure), 1);
  noteOverride(layout, { command: 'config', about: name, session: '', written: [written.value] });
  if (json) out.json({ requirement: name, file: file.path, ...shown });
  else out.line(out.style('green', say.modified(file.path)));
  return 0;
}
