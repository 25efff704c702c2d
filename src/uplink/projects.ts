import { basename } from 'node:path';
import type { Chunks } from '../core/guard';
import type { ProjectWithState } from '../core/hook';
import { guardConfig, loadConfig, projectAbove } from '../core/project';
import { sha256Hex } from '../core/text';
import { processState } from '../exec/processes';
import { runGit } from '../git/run-git';
import type { Request } from '../guards/requirements/approvals';
import type { RequirementsConfig } from '../guards/requirements/section';
import { presentValue } from '../guards/requirements/view';
import { readDocument } from '../state/documents';
import {
  HUB_PROJECT,
  type HubProject,
  hubProjectIn,
  hubProjectJson,
  type Joined,
  stateDirectoryOf,
} from '../state/hub';
import { notedProjects } from '../state/journal';
import { REGISTRY, sessionsIn } from '../state/sessions';
import { updateDocuments } from '../state/update';

/** A project on this machine that the uplink follows. */
export interface FollowedProject {
  readonly project: ProjectWithState;
  /** Its state directory, which the work trees of one repository share. */
  readonly place: string;
  /** The roots of its known work trees. */
  readonly roots: readonly string[];
}

/** The registered sessions of this home, in all projects; `alive` says which still run. */
export function liveSessions(home: string, now: number) {
  const registry = readDocument({ root: home, git: home, own: home, home }, REGISTRY);
  return sessionsIn(presentValue(registry), now, processState);
}

/** Every project that a session was seen in, once per state directory. */
export function knownProjects(home: string, now: number): FollowedProject[] {
  const roots = new Set([
    ...liveSessions(home, now).map(({ projectDir }) => projectDir),
    ...notedProjects(home),
  ]);
  const found = new Map<string, FollowedProject>();
  for (const root of roots) {
    const project = root.startsWith('/') ? projectAbove(root, home) : undefined;
    if (project?.layout === undefined) continue;
    const place = stateDirectoryOf(project.root, project.git);
    const known = found.get(place) ?? { project: { ...project, layout: project.layout }, place, roots: [] };
    found.set(place, { ...known, roots: [...new Set([...known.roots, root, project.root])] });
  }
  return [...found.values()];
}

/** The work tree that a request came from, which may have a config of its own. */
export function requestProject(
  { project }: Pick<Request, 'project'>,
  { project: followedProject, place }: FollowedProject,
): ProjectWithState {
  const found = project.startsWith('/') ? projectAbove(project, followedProject.home) : undefined;
  if (found?.layout === undefined || stateDirectoryOf(found.root, found.git) !== place)
    return followedProject;
  return { ...found, layout: found.layout };
}

/** The project's id and name on the hub, stored beside the state, where the hook reads them. */
export async function hubProject(
  { project: followedProject, place }: FollowedProject,
  { machine }: Joined,
): Promise<HubProject> {
  const { layout, root } = followedProject;
  const kept = hubProjectIn(presentValue(readDocument(layout, HUB_PROJECT)), place);
  const { id, name } = await identityOf(root, machine);
  if (kept?.id === id && kept.name === name) return kept;
  const former = [...new Set([...(kept?.former ?? []), ...(kept === undefined ? [] : [kept.id])])];
  const project = { id, name, former: former.filter((one) => one !== id).slice(-MOST_FORMER) };
  const what = 'the name of the project on the hub';
  updateDocuments(
    layout,
    [{ document: HUB_PROJECT, what, apply: () => hubProjectJson(project, place) }],
    2000,
  );
  return project;
}

const MOST_FORMER = 5;

/** By first commit and remote, so that it is the same on every machine; else by its path on this one. */
async function identityOf(root: string, machine: string): Promise<Pick<HubProject, 'id' | 'name'>> {
  const ask = async (...args: string[]): Promise<string> => {
    const { code, printed } = await runGit({ cwd: root, args, env: process.env });
    return code === 0 ? printed.trim() : '';
  };
  const [first = ''] = (await ask('rev-list', '--max-parents=0', 'HEAD')).split('\n').sort();
  const [remote = ''] = (await ask('remote')).split('\n').sort((a, b) => rankOf(a) - rankOf(b));
  const url = remote === '' ? '' : remoteName(await ask('remote', 'get-url', remote));
  const isShared = first !== '' && url !== '';
  const id = sha256Hex(isShared ? `${first}\n${url}` : `${machine}\n${root}`).slice(0, 32);
  return { id, name: basename(isShared ? url : root) };
}

const rankOf = (remote: string): number => (remote === 'origin' ? 0 : 1);

/** Equal for every URL of a repository: no protocol, no user, no `.git`. */
function remoteName(url: string): string {
  return url
    .replace(/^[a-z+]+:\/\//, '')
    .replace(/^[^@/]*@/, '')
    .replace(/^([^/:]+):(?:\d+\/)?(?=[^/])/, '$1/')
    .replace(/\/+$/, '')
    .replace(/\.git$/, '');
}

export function requirementsConfigOf(
  project: ProjectWithState,
  chunks: Chunks,
): RequirementsConfig | undefined {
  return guardConfig(loadConfig(project, chunks), 'requirements') as RequirementsConfig | undefined;
}
