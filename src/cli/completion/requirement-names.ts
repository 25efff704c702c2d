import { compileOnly } from '../../core/compile-config';
import { readCache } from '../../core/config-cache';
import { openProject, requirementsConfig } from '../project';
import type { Context } from '../verb';

/** Only these are offered: a name goes into somebody's command line, and the config may be a stranger's. */
const PLAIN = /^[\w.-]+$/;

/** The names that `req satisfy` takes here, from the compiled config where there is one. */
export function requirementNames(context: Context): readonly string[] {
  const project = openProject(context);
  if (project === undefined) return [];
  const config = requirementsConfig(readCache(project) ?? compileOnly(project, context.chunks));
  return (config?.requirements ?? []).map(({ name }) => name).filter((name) => PLAIN.test(name));
}
