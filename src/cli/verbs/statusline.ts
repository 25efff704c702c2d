import { isJsonObject, type JsonObject } from '../../core/json';
import { findProject } from '../../core/project';
import { readAll } from '../../exec/standard-io';
import { type OpenProject, openProject } from '../project';
import type { Calling } from '../status/calling';
import { gatherStatus } from '../status/gather';
import { shortStatus } from '../status/short-text';
import { isSurelyCalled } from '../status/surely-called';
import type { Context, ExitCode, Verb } from '../verb';

/** Said where nothing is known: a status line that fails is an empty one, and that looks like being off. */
const UNKNOWN = 'holdpoint ?';

export const verb: Verb = {
  usage:
    'holdpoint statusline\n\nReads the JSON document that Claude Code gives its status line on standard input. In settings:\n  "statusLine": { "type": "command", "command": "holdpoint statusline" }',
  async run(_args, context): Promise<ExitCode> {
    context.out.line(await lineFor(context));
    return 0;
  },
};

async function lineFor(context: Context): Promise<string> {
  try {
    const given = readAll(0);
    const input: unknown = given.ok && given.value.trim() !== '' ? JSON.parse(given.value) : {};
    const document = isJsonObject(input) ? input : {};
    const cwd = directoryIn(document) ?? context.cwd;
    // The host's own project counts where the agent has wandered off.
    const root = findProject(cwd, context.env)?.root;
    const project = root === undefined ? undefined : openProject({ ...context, cwd: root });
    if (project === undefined) return 'holdpoint off: no project';
    const session = document['session_id'];
    const calling = await callingHere(project, context.env);
    const asker = {
      ...(typeof session === 'string' && session !== '' && { session }),
      calling: () => calling,
    };
    return shortStatus(gatherStatus(project, { ...context, cwd }, Date.now(), asker));
  } catch {
    return UNKNOWN;
  }
}

/** The line stands in Claude Code, so other hosts are of no interest. It is drawn all day: a closer look is for who is not sure. */
async function callingHere(project: OpenProject, env: Context['env']): Promise<Calling> {
  const { root, home } = project;
  if (isSurelyCalled({ project: root, home, env })) return { kind: 'called' };
  const { callingIn } = await import('../status/calling');
  return callingIn(project, env, 'claude-code');
}

function directoryIn(document: JsonObject): string | undefined {
  const workspace = isJsonObject(document['workspace']) ? document['workspace'] : {};
  const places = [workspace['current_dir'], document['cwd'], workspace['project_dir']];
  return places.find((place): place is string => typeof place === 'string' && place.startsWith('/'));
}
