import { isJsonObject, type JsonObject } from '../../domain/json';
import { findProject } from '../../pipeline/project';
import { readAll } from '../../process/standard-io';
import { openProject } from '../project';
import { gatherStatus } from '../status/gather';
import { shortStatus } from '../status/short-text';
import type { Context, Verb } from '../verb';

/** Said where nothing is known: a status line that fails is an empty one, and that looks like being off. */
const UNKNOWN = 'holdpoint ?';

export const verb: Verb = {
  usage:
    'holdpoint statusline\n\nReads the JSON document that Claude Code gives its status line on standard input. In settings:\n  "statusLine": { "type": "command", "command": "holdpoint statusline" }',
  run(_args, context) {
    context.out.line(lineFor(context));
    return 0;
  },
};

function lineFor(context: Context): string {
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
    const asker =
      typeof session === 'string' && session !== ''
        ? { session }
        : { calling: () => ({ kind: 'called' }) as const };
    return shortStatus(gatherStatus(project, { ...context, cwd }, Date.now(), asker));
  } catch {
    return UNKNOWN;
  }
}

function directoryIn(document: JsonObject): string | undefined {
  const workspace = isJsonObject(document['workspace']) ? document['workspace'] : {};
  const places = [workspace['current_dir'], document['cwd'], workspace['project_dir']];
  return places.find((place): place is string => typeof place === 'string' && place.startsWith('/'));
}
