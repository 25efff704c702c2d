import { NO_PROJECT } from '../messages';
import { type OpenProject, openProject } from '../project';
import type { Context, ExitCode } from '../verb';

/** Ends a `req` command with a message on standard error. `req` itself catches it. */
export class Refusal extends Error {
  readonly code: ExitCode;

  constructor(message: string, code: ExitCode = 1) {
    super(message);
    this.code = code;
  }
}

/** Prints why the command does nothing, and returns its exit code. */
export function refuse({ out }: Context, why: string, code: ExitCode): ExitCode {
  out.error(why);
  return code;
}

/** The project in which a `req` command runs. */
export function requireProject(context: Context): OpenProject {
  const project = openProject(context);
  if (project === undefined) throw new Refusal(NO_PROJECT);
  return project;
}
