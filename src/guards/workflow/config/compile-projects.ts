import type { Project, Projects } from '../model';
import type { InputLayer } from './input-layer';
import * as say from './messages';

/** An id becomes part of a path, so it must be a plain name. */
const ID = /^[A-Za-z0-9_][A-Za-z0-9._-]*$/;

/** The projects of the highest layer that has any. */
export function compileProjects(layers: readonly InputLayer[]): Projects | undefined {
  const layer = layers.findLast(({ input }) => input.projects !== undefined);
  const given = layer?.input.projects;
  if (layer === undefined || given === undefined) return undefined;
  const list = Object.entries(given.paths).flatMap(([id, path]): Project[] => {
    if (ID.test(id)) return [{ id, path: plainPath(path) }];
    layer.report(['projects', 'paths', id], say.badProjectId(id));
    return [];
  });
  const isKnown = list.some(({ id }) => id === given.default);
  if (given.default !== undefined && !isKnown) {
    layer.report(['projects', 'default'], say.noSuchProject(given.default));
  }
  return { ...(given.default !== undefined && isKnown && { default: given.default }), list };
}

/** Below the root, with forward slashes and none at the ends; empty is the root itself. */
function plainPath(path: string): string {
  return path
    .replaceAll('\\', '/')
    .split('/')
    .filter((part) => part !== '' && part !== '.')
    .join('/');
}
