import type { Context, FileFact } from '../../core/guard';
import { objectIn } from '../../core/json';
import { globMatches } from '../../core/text';
import type { Document, DocumentRef } from '../../state/documents';
import type { WorkflowModel } from './model';

/** iSDLC's directory. A project that has it keeps its workflow state there. */
export const ISDLC_DIR = '.isdlc';

/** The environment variable that names the current project of a monorepo. */
export const PROJECT_VARIABLE = 'ISDLC_PROJECT';

/** Where the task plan and the constitution may be, the default first; iSDLC's places are fixed. */
const PATHS = {
  old: {
    plan: ['docs/isdlc/{project}tasks.md', '.isdlc/{project}tasks.md'],
    constitution: ['docs/isdlc/{project}constitution.md', '.isdlc/{project}constitution.md'],
  },
  own: {
    plan: ['docs/isdlc/{project}tasks.md', 'docs/{project}tasks.md', '{project}tasks.md'],
    constitution: [
      'docs/isdlc/{project}constitution.md',
      'docs/{project}constitution.md',
      '{project}constitution.md',
      '{project}CONSTITUTION.md',
      '.specify/memory/constitution.md',
    ],
  },
};

/** Where a workflow's state is kept, and for which project of a monorepo. */
export interface StatePlace {
  readonly document: DocumentRef;
  readonly project: string | undefined;
}

/** Whether the state is in iSDLC's directory, so that its files keep their iSDLC meaning. */
export function usesIsdlcDir({ document }: Pick<StatePlace, 'document'>): boolean {
  return document.base === 'project';
}

/** The path of the file; if there is none, where to create it: the first path in an existing directory. */
export function workflowFile(
  kind: 'plan' | 'constitution',
  model: WorkflowModel,
  place: StatePlace,
  look: (path: string) => FileFact['kind'],
): string {
  const given = kind === 'plan' ? model.planPaths : model.constitutionPaths;
  const templates = given ?? PATHS[usesIsdlcDir(place) ? 'old' : 'own'][kind];
  const paths = templates.map((template) => projectPath(template, place.project));
  const there = paths.find((path) => look(path) === 'file');
  const usable = templates.findIndex((template) => {
    const directory = template.replace('{project}', '').split('/').slice(0, -1).join('/');
    return directory === '' || look(directory) === 'directory';
  });
  return there ?? paths[usesIsdlcDir(place) ? 0 : Math.max(0, usable)] ?? '';
}

const KEPT = { format: 'json', durability: 'durable' } as const;

/** The state of a project without iSDLC's directory. */
export const OWN_STATE: DocumentRef = { base: 'own', path: 'workflow.json', ...KEPT };

/** The state of a project in iSDLC's directory. */
export function isdlcState(project: string | undefined): DocumentRef {
  const path = projectPath(`${ISDLC_DIR}/{project}state.json`, project);
  return { base: 'project', path, ...KEPT };
}

/**
 * Where the state is for work in a directory. A new `.isdlc` directory must not take over an active workflow: any agent
 * can create one.
 */
export function stateDocument(
  model: Pick<WorkflowModel, 'projects'>,
  where: Where,
  isOld: boolean,
  read: (ref: DocumentRef) => Document,
): StatePlace {
  const project = projectAt(model, where);
  const own = isOld ? read(OWN_STATE) : undefined;
  const isActive = own?.kind === 'present' && Object.keys(objectIn(own.value, 'active_workflow')).length > 0;
  return { document: isOld && !isActive ? isdlcState(project) : OWN_STATE, project };
}

/** Where the state is, or would be, for work in `cwd`: its document, file and project of a monorepo. */
export function statePlace(cwd: string, model: WorkflowModel, ctx: Context) {
  const { projectRoot: root, git } = ctx;
  const isOld = ctx.file({ path: ISDLC_DIR }).kind === 'directory';
  const where = { named: ctx.env(PROJECT_VARIABLE), cwd, root };
  const place = stateDocument(model, where, isOld, (ref) => ctx.document(ref));
  const own = git === undefined ? `${root}/.holdpoint/state` : `${git.commonDir}/holdpoint`;
  return { ...place, file: `${usesIsdlcDir(place) ? root : own}/${place.document.path}` };
}

/** Where somebody works, and the project that the environment names. */
type Where = { readonly named: string | undefined; readonly cwd: string; readonly root: string };

/** The project of a monorepo: the named one, else that of the nearest directory, else the default. */
export function projectAt({ projects }: Pick<WorkflowModel, 'projects'>, where: Where): string | undefined {
  if (projects === undefined) return undefined;
  const { named = '' } = where;
  if (projects.list.some(({ id }) => id === named)) return named;
  const [cwd = '', root] = [where.cwd, where.root].map((path) =>
    path.replaceAll('\\', '/').replace(/\/$/, ''),
  );
  const directory = cwd.startsWith(`${root}/`) ? cwd.slice(`${root}/`.length) : '';
  const around = projects.list.filter(({ path }) => path === '' || `${directory}/`.startsWith(`${path}/`));
  return around.sort((a, b) => b.path.length - a.path.length)[0]?.id ?? projects.default;
}

/** Fills in the project's directory; outside a monorepo there is none. */
export function projectPath(template: string, project: string | undefined): string {
  return template.replace('{project}', project === undefined ? '' : `projects/${project}/`);
}

const STATE_PATH = /(?:^|\/)\.isdlc\/(?:projects\/[^/]+\/)?state\.json$/i;

/** Whether a path is that of a state of iSDLC. */
export function isStatePath(path: string): boolean {
  return STATE_PATH.test(path.replaceAll('\\', '/'));
}

export function stateUnreadable(
  file: string,
  why: string,
  next = 'a person has to restore the file from a backup, or remove it, which ends the workflow.',
): string {
  return [
    `WORKFLOW STATE UNREADABLE: ${file} ${why}, so the current phase is unknown.`,
    `Next: ${next}`,
  ].join('\n');
}

/**
 * Files that tests do not depend on, relative to the root: what a workflow writes itself, including its plan,
 * and docs. Recording evidence, ticking off a task or documenting the work must not invalidate evidence. Git
 * reads the patterns in the same way: its `*` matches slashes too.
 */
export const NOT_TESTED = ['.isdlc/*', '.holdpoint/*', 'docs/*', '*.md'];

/** Whether a path is a file of the project that tests may depend on. */
export function isTestedFile(path: string, root: string): boolean {
  if (!path.startsWith(`${root}/`)) return false;
  const name = path.slice(root.length + 1);
  return !NOT_TESTED.some((pattern) => globMatches(pattern, name));
}
