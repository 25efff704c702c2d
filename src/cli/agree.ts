import { existsSync } from 'node:fs';
import { changesIn } from '../core/agreed';
import { loadConfig } from '../core/project';
import { attempt } from '../exec/attempt';
import type { Context, ExitCode } from './context';
import { openProject } from './project';

/**
 * Runs a command that changes config or settings. What a person changes by it while an agent works is agreed on at once,
 * unless a change of somebody else already waits; from anybody else it waits like any other change, and that is said.
 */
export async function agreeing(context: Context, run: () => Promise<ExitCode>): Promise<ExitCode> {
  const waited = waiting(context).length > 0;
  const code = await run();
  if (waited || waiting(context).length === 0) return code;
  const project = openProject(context);
  if (context.caller().actor !== 'person' || project === undefined)
    context.out.error(
      'An agent works here: rules hold as they were until a person accepts this with `holdpoint trust --accept`.',
    );
  else context.chunks.configCompiler().acceptConfig(project, context.chunks);
  return code;
}

function waiting(context: Context) {
  const project = openProject(context);
  // Where nothing of ours is kept, nothing was agreed on; and nothing is made there again after it was removed.
  if (project === undefined || !existsSync(project.layout.own)) return [];
  return changesIn(attempt(() => loadConfig(project, context.chunks)));
}
