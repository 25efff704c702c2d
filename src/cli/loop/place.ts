import { loadConfig } from '../../core/load-config';
import { borrowedGround, findMessageStore, findProject, type Project } from '../../core/project';
import { LOOP_DEFAULTS, type LoopConfig } from '../../guards/loop/config';
import { isKept, type Layout } from '../../state/layout';
import type { Context } from '../verb';

/** Where the loops of a project are kept, and what its config says of them. */
export interface LoopPlace {
  readonly root: string;
  /** The directory in which the person stands: stores and loop files are looked for from here. */
  readonly cwd: string;
  readonly layout: Layout;
  /** Whether our own directory lies in a git directory, where nothing comes to by cloning. */
  readonly hasGit: boolean;
  readonly config: LoopConfig;
}

/** Says `undefined` where no loop could be kept: neither git, nor a directory of ours, nor a message store. */
export function openLoopPlace(context: Context): LoopPlace | undefined {
  const { cwd, env } = context;
  const above = findProject(cwd, env);
  const project = above?.layout === undefined ? borrowedGround({ kind: 'turn.stop', cwd }, env) : above;
  return project?.layout === undefined ? undefined : placeIn(project, project.layout, context);
}

/** Whether a new loop can be kept there, and not only one that has a file of its own already. */
export function hasRoom({ layout }: LoopPlace): boolean {
  return layout.messages !== undefined || isKept(layout, 'own');
}

/** The place in a project that was found already. */
export function placeIn(project: Project, layout: Layout, { cwd, env, chunks }: Context): LoopPlace {
  const messages = findMessageStore(cwd, env);
  return {
    root: project.root,
    cwd,
    hasGit: project.git !== undefined,
    layout: { ...layout, ...(messages !== undefined && { messages }) },
    config: loopConfig(project, chunks),
  };
}

function loopConfig(project: Project, chunks: Context['chunks']): LoopConfig {
  const config = loadConfig(project, chunks);
  const index = config?.head.guards.findIndex(({ name }) => name === 'loop') ?? -1;
  return config === undefined || index < 0 ? LOOP_DEFAULTS : (config.configOf(index) as LoopConfig);
}
