import { parseArgs } from 'node:util';
import { processState } from '../../exec/alive';
import type { Layout } from '../../state/layout';
import { dropDeadSessions } from '../../state/sessions';
import { updateDocuments } from '../../state/update';
import { NO_PROJECT } from '../messages';
import { openProject } from '../project';
import { ago, type Output } from '../ui/output';
import type { Context, Verb } from '../verb';
import { layoutOfHome, type RegisteredSession, readRegistry } from './registry';
import { sessionJson } from './session-json';

const WAIT_MS = 10_000;

export const verb: Verb = {
  usage: 'req sessions [--project] [--all] [--json]',
  run(args, context) {
    const { out } = context;
    const { values } = parseArgs({
      args: [...args],
      options: {
        project: { type: 'boolean', default: false },
        all: { type: 'boolean', default: false },
        json: { type: 'boolean', default: false },
      },
    });
    const project = openProject(context);
    if (values.project && project === undefined) {
      out.error(NO_PROJECT);
      return 1;
    }
    const now = Date.now();
    const layout = project?.layout ?? layoutOfHome(context.env['HOME'] ?? '/');
    const sessions = sessionsOf(layout, values.all, now, context)
      .filter((one) => values.all || one.alive)
      .filter((one) => !values.project || one.projectDir === project?.root);
    if (values.json) out.json({ sessions: sessions.map(sessionJson) });
    else for (const line of sessionLines(sessions, now, out)) out.line(line);
    return 0;
  },
};

/** Those that have ended are dropped on the way, unless they were asked for too. */
function sessionsOf(
  layout: Layout,
  all: boolean,
  now: number,
  { out }: Context,
): readonly RegisteredSession[] {
  const registry = readRegistry(layout, now);
  if (registry.kind === 'unreadable') out.error(`${registry.file} ${registry.why}; no session in it counts.`);
  if (!all && registry.sessions.some((one) => !one.alive))
    updateDocuments(layout, [dropDeadSessions(now, processState)], WAIT_MS);
  return registry.sessions;
}

function sessionLines(sessions: readonly RegisteredSession[], now: number, out: Output): string[] {
  if (sessions.length === 0) return ['No active Claude Code sessions found.'];
  const active = sessions.filter((one) => one.alive).length;
  return [
    out.style('bold', `Active Claude Code Sessions (${active})`),
    ...sessions.flatMap((one) => [
      `  ${out.style('cyan', one.id)} - ${out.style('bold', one.projectDir)}`,
      `    ${out.style('dim', `${one.branch} [PID ${one.hostPid}, ${one.alive ? ago(now / 1000 - one.lastActive) : 'ended'}]`)}`,
    ]),
  ];
}
