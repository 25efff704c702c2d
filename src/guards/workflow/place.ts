import type { DocumentRef } from '../../core/document';
import type { Projects, WorkflowModel } from './model';

/** The directory of a project that keeps its workflow where its older program did. */
export const SEED_DIR = '.isdlc';

/** Names the project of a monorepo that somebody works on. */
export const PROJECT_VARIABLE = 'ISDLC_PROJECT';

/** The state of a project that has no directory for it. */
export const OWN_STATE: DocumentRef = {
  base: 'own',
  path: 'workflow.json',
  format: 'json',
  keeping: 'durable',
};

/** Where somebody works: which project they name, and their directory, absolute as the root is. */
export interface Whereabouts {
  readonly named: string | undefined;
  readonly cwd: string;
  readonly root: string;
}

/** The state of a project in the seed's directory. */
export function seedState(project: string | undefined): DocumentRef {
  const folder = project === undefined ? '' : `projects/${project}/`;
  return { base: 'project', path: `${SEED_DIR}/${folder}state.json`, format: 'json', keeping: 'durable' };
}

/** The project of a monorepo: the named one, else that of the nearest directory, else the default. */
export function projectAt({ projects }: WorkflowModel, where: Whereabouts): string | undefined {
  if (projects === undefined) return undefined;
  const { named } = where;
  if (named !== undefined && named !== '' && isPlainName(named)) return named;
  return nearestProject(projects, below(where)) ?? projects.default;
}

/** One path, with the project's folder where there is a project. */
export function projectPath(template: string, project: string | undefined): string {
  return template.replace('{project}', project === undefined ? '' : `projects/${project}/`);
}

/** An id that could lead out of the folder of its project is none. */
function isPlainName(id: string): boolean {
  return /^[\w.-]+$/.test(id) && !/^\.+$/.test(id);
}

function nearestProject({ list }: Projects, directory: string): string | undefined {
  const around = list.filter(({ path }) => path === '' || `${directory}/`.startsWith(`${path}/`));
  return around.sort((a, b) => b.path.length - a.path.length)[0]?.id;
}

/** The directory relative to the root, with forward slashes; empty outside of it. */
function below({ cwd, root }: Whereabouts): string {
  const [inner, outer] = [cwd, root].map((path) => path.replaceAll('\\', '/').replace(/\/$/, ''));
  return inner?.startsWith(`${outer}/`) === true ? inner.slice((outer?.length ?? 0) + 1) : '';
}

/** Whether a path is that of a workflow's state, in the seed's directory or in ours. */
export function isStatePath(path: string): boolean {
  return STATE_PATH.test(path.replaceAll('\\', '/'));
}

const STATE_PATH = /(?:^|\/)(?:\.isdlc\/(?:projects\/[^/]+\/)?state\.json|holdpoint\/workflow\.json)$/i;
