import { nearest } from '../../config/nearest';
import { type CompiledFiles, compileConfig } from '../../core/compile-config';
import { isJsonObject, type JsonObject } from '../../core/json';
import { NO_PROJECT } from '../messages';
import { openProject } from '../project';
import type { Verb } from '../verb';
import { changeRequirement } from './config-change';
import * as say from './config-messages';
import { configOptions } from './config-options';
import { showAll, showOne } from './config-show';
import { refuse } from './refuse';

export const verb: Verb = {
  usage: [
    'req config [NAME|show] [--sources] [--json]',
    'req config NAME [--enable|--disable] [--scope S] [--message T] [--set K=V]… [--project|--local] [--yes]',
  ].join('\n       '),
  async run(args, context) {
    const options = configOptions(args);
    if (!options.ok) return refuse(context, options.failure.why, options.failure.code);
    const project = openProject(context);
    if (project === undefined) return refuse(context, NO_PROJECT, 1);
    const files = compileConfig(project.root, project.home);
    const { name, edits } = options.value;
    if (name === undefined) return showAll(files, options.value, context);
    const known = requirementsIn(files);
    const found = Object.hasOwn(known, name) ? (known[name] ?? {}) : undefined;
    if (found === undefined)
      return refuse(context, say.notDefined(name, nearest(name, Object.keys(known))), 1);
    const entry = isJsonObject(found) ? found : {};
    return edits.length === 0
      ? showOne(name, entry, files, options.value, context)
      : changeRequirement({ ...options.value, name }, entry, project, context);
  },
};

/** All requirements that any file defines, those with mistakes too. */
function requirementsIn({ model }: CompiledFiles): JsonObject {
  const requirements = model.value['requirements'];
  return isJsonObject(requirements) ? requirements : {};
}
