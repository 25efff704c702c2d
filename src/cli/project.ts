import { existsSync } from 'node:fs';
import { dirname, join, relative } from 'node:path';
import { isSettings, unacceptedChanges } from '../core/accepted-config';
import { attempt } from '../core/failure';
import type { ProjectWithState } from '../core/hook';
import { type CompiledConfig, findProject, guardConfig, loadConfig, projectAbove } from '../core/project';
import { SESSION_RECORDS } from '../core/text';
import { type GitHead, readHead } from '../git/head';
import type { Requirement, RequirementsConfig } from '../guards/requirements/section';
import type { Layout } from '../state/documents';
import { type Context, type ExitCode, Refusal } from './context';
import { NO_PROJECT } from './messages';
import { printError } from './ui/output';

/** A command's context, the project it runs in, which has a state directory, and where its HEAD points. */
export type ProjectContext = Context & ProjectWithState & { readonly head: GitHead | undefined };

export function openProject(context: Context): ProjectContext | undefined {
  const { cwd, env, chunks } = context;
  const project = projectAbove(cwd, env['HOME'] ?? '') ?? findProject(cwd, env);
  if (project?.layout === undefined) return undefined;
  const head = project.git && readHead(project.git, chunks.askGit);
  return { ...context, ...project, layout: project.layout, head };
}

/** `req` commands exit with 1 outside a project, all others with 2. */
export function requireProject(context: Context, code: ExitCode = 2): ProjectContext {
  const project = openProject(context);
  if (project === undefined) throw new Refusal(NO_PROJECT, code);
  return project;
}

/** `undefined` if the project has none. */
export function requirementsConfig(config: CompiledConfig | undefined): RequirementsConfig | undefined {
  return guardConfig(config, 'requirements') as RequirementsConfig | undefined;
}

export function requirementsIn(project: ProjectContext): readonly Requirement[] {
  return requirementsConfig(loadConfig(project, project.chunks))?.requirements ?? [];
}

export function stateDirectories({ own, git }: Layout): readonly string[] {
  return [own, `${own}/${SESSION_RECORDS}`, `${git}/requirements`];
}

/** A file of the project as a command in the current directory has to name it. */
export function pathFromHere({ cwd, root }: ProjectContext, file: string): string {
  return relative(cwd, join(root, file));
}

export function nearestExisting(path: string): string {
  return existsSync(path) || dirname(path) === path ? path : nearestExisting(dirname(path));
}

/**
 * Runs a command that changes config or settings. A person's change counts as accepted at once, unless somebody
 * else's change is already pending; then, and for any other caller, it stays pending, with a warning.
 */
export async function acceptingOwnChange(context: Context, run: () => Promise<ExitCode>): Promise<ExitCode> {
  const before = pendingChanges(context);
  const code = await run();
  const now = pendingChanges(context);
  if (now.length === 0 || JSON.stringify(now) === JSON.stringify(before)) return code;
  const project = openProject(context);
  if (before.length > 0 || context.caller().actor !== 'person' || project === undefined)
    printError(
      'An agent works here: rules hold as they were until a person accepts the changes with `holdpoint trust --accept`.',
    );
  else context.chunks.part('compile-config').acceptConfig(project, context.chunks);
  return code;
}

/** Comes before a config that is shown as it is on disk, if the rules hold as they were before. */
export function notInEffect(context: Context): string[] {
  if (pendingChanges(context).every(({ file }) => isSettings(file))) return [];
  return [
    'This config is not in effect: a change waits for a person (`holdpoint trust` shows it). Until then the agreed rules hold.',
  ];
}

function pendingChanges(context: Context) {
  const project = openProject(context);
  // No state directory: nothing was ever accepted, and loading the config would recreate it after an uninstall.
  if (project === undefined || !existsSync(project.layout.own)) return [];
  return unacceptedChanges(attempt(() => loadConfig(project, context.chunks)));
}
