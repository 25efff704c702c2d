import { existsSync } from 'node:fs';
import { changesIn } from '../core/agreed';
import { attempt } from '../core/failure';
import { loadConfig } from '../core/project';
import type { Context, ExitCode } from './context';
import { openProject } from './project';

/**
 * Runs a command that changes config or settings. A person's change counts as accepted at once, unless somebody
 * else's change is already pending; any other caller's change stays pending, with a warning.
 */
export async function agreeing(context: Context, run: () => Promise<ExitCode>): Promise<ExitCode> {
  const hadPending = notAccepted(context).length > 0;
  const code = await run();
  if (hadPending || notAccepted(context).length === 0) return code;
  const project = openProject(context);
  if (context.caller().actor !== 'person' || project === undefined)
    context.out.error(
      'An agent works here: rules hold as they were until a person accepts this with `holdpoint trust --accept`.',
    );
  else context.chunks.configCompiler().acceptConfig(project, context.chunks);
  return code;
}

function notAccepted(context: Context) {
  const project = openProject(context);
  // No state directory: nothing was ever accepted, and loading the config would recreate it after an uninstall.
  if (project === undefined || !existsSync(project.layout.own)) return [];
  return changesIn(attempt(() => loadConfig(project, context.chunks)));
}
