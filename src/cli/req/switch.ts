import { parseArgs } from 'node:util';
import { nearest } from '../../config/nearest';
import { type CompiledFiles, compileConfig } from '../../core/compile-config';
import { isJsonObject } from '../../core/json';
import { NO_PROJECT } from '../messages';
import { type OpenProject, openProject } from '../project';
import { printable } from '../ui/output';
import type { Context, ExitCode } from '../verb';
import { requirementsFile, switchPlace } from './config-file';
import * as say from './config-messages';
import { editConfig } from './edit-config';
import { agentMayNot } from './messages';
import { noteOverride } from './note-override';
import { refuse } from './refuse';
import { reservedForPeople } from './reserved';

/** Switches all requirements, or one of them, on or off in the file that is nobody else's. */
export function switchRequirements(enabled: boolean, args: readonly string[], context: Context): ExitCode {
  const { values, positionals } = parseArgs({
    args: [...args],
    allowPositionals: true,
    options: { json: { type: 'boolean', default: false } },
  });
  const verb = enabled ? 'enable' : 'disable';
  const [name, ...more] = positionals;
  if (more.length > 0) return refuse(context, say.oneNameOnly(verb), 2);
  const project = openProject(context);
  if (project === undefined) return refuse(context, NO_PROJECT, 1);
  const reserved = reservedForPeople(project, context);
  if (reserved.length > 0) return refuse(context, agentMayNot(reserved), 1);
  const trouble = hindranceFor(enabled, name, compileConfig(project.root, project.home));
  if (trouble !== undefined) return refuse(context, trouble, 1);
  return write(verb, name, values.json, project, context);
}

function hindranceFor(enabled: boolean, name: string | undefined, files: CompiledFiles): string | undefined {
  if (name !== undefined) {
    const requirements = files.model.value['requirements'];
    const known = isJsonObject(requirements) ? Object.keys(requirements) : [];
    return known.includes(name) ? undefined : say.notDefined(name, nearest(name, known));
  }
  const here = files.sources.some(({ layer }) => layer !== 'global');
  return enabled && !here ? say.NO_PROJECT_CONFIG : undefined;
}

function write(
  verb: 'enable' | 'disable',
  name: string | undefined,
  json: boolean,
  { root, layout }: OpenProject,
  context: Context,
): ExitCode {
  const { out } = context;
  const enabled = verb === 'enable';
  const { file, path } =
    name === undefined
      ? switchPlace(root)
      : { file: requirementsFile('local', root), path: ['requirements', name, 'enabled'] };
  const written = editConfig(layout, file, [{ path, value: enabled }]);
  if (!written.ok) return refuse(context, say.nothingWritten(written.failure), 1);
  noteOverride(layout, { command: verb, about: name ?? '', session: '', written: [written.value] });
  if (json) {
    out.json({ enabled, ...(name !== undefined && { requirement: name }), file: file.path });
    return 0;
  }
  out.line(out.style('green', say.switched(enabled, name)));
  out.line(printable(say.modified(file.path)));
  return 0;
}
