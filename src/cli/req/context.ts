import type { Context, ExitCode } from '../context';
import { NO_PROJECT } from '../messages';
import { type OpenProject, openProject } from '../project';
import { Refusal } from '../ui/refusal';

/** What a `req` command works with that needs a project. */
export type ReqContext = Context & OpenProject;

/** Opens the project of the current directory, or refuses. */
export function requireProject(context: Context): ReqContext {
  const project = openProject(context);
  if (project === undefined) throw new Refusal(NO_PROJECT);
  return { ...context, ...project };
}

/** Prints a result as JSON, or for people as lines and problems, and returns the exit code of success. */
export function report(
  { out }: Context,
  json: boolean | undefined,
  value: unknown,
  lines: readonly string[],
  problems: readonly string[] = [],
): ExitCode {
  if (json) out.json(value);
  else {
    for (const line of lines) out.line(line);
    for (const problem of problems) out.error(problem);
  }
  return 0;
}
