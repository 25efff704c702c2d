import { parseArgs } from 'node:util';
import { loadConfig } from '../../core/load-config';
import { sentenceOf } from '../../core/messages';
import { pauseFile } from '../../guards/requirements/view';
import { NO_PROJECT } from '../messages';
import { type OpenProject, openProject } from '../project';
import type { Context, ExitCode, Verb } from '../verb';
import { actorIn } from './actor';
import { findOrAskSession, isEmptyId, type KnownSession } from './find-session';
import { agentMayNot, emptySessionId, noSession, sessionLine } from './messages';
import { noteOverride } from './note-override';
import { refuse } from './refuse';
import { requirementsConfig } from './requirements-config';
import { changeState } from './under-lock';

interface Options {
  readonly reason?: string | undefined;
  readonly json: boolean;
}

export const verb: Verb = {
  usage: 'req pause [-r REASON] [-s SESSION] [--json]',
  async run(args, context): Promise<ExitCode> {
    const { values } = parseArgs({
      args: [...args],
      options: {
        reason: { type: 'string', short: 'r' },
        session: { type: 'string', short: 's' },
        json: { type: 'boolean', default: false },
      },
    });
    if (isEmptyId(values.session)) return refuse(context, emptySessionId('pause'), 2);
    const project = openProject(context);
    if (project === undefined) return refuse(context, NO_PROJECT, 1);
    const reserved = reservedFor(project, context);
    if (reserved.length > 0) return refuse(context, agentMayNot(reserved), 1);
    const found = await findOrAskSession(values.session, project, context.env);
    if (found.kind === 'none') return refuse(context, noSession(found, project.root), 1);
    return pause(found, values, project, context);
  },
};

/** Pausing lets everything through, so an agent may do it only where it may satisfy everything too. */
function reservedFor(project: OpenProject, { env, chunks }: Context): string[] {
  if (actorIn(env) === 'person') return [];
  const config = requirementsConfig(loadConfig(project, chunks));
  return (config?.requirements ?? [])
    .filter(({ agentMaySatisfy }) => !agentMaySatisfy)
    .map(({ name }) => name);
}

function pause(
  found: KnownSession,
  { reason, json }: Options,
  { layout }: OpenProject,
  context: Context,
): ExitCode {
  const { key: session } = found;
  const { out } = context;
  const mark = { paused_at: new Date().toISOString(), reason: reason ?? null };
  const done = changeState(layout, () => [
    { document: pauseFile(session), what: `paused ${session}`, apply: () => mark },
  ]);
  if (!done.ok) return refuse(context, `Nothing was paused: ${sentenceOf(done.failure)}`, 1);
  noteOverride(layout, { command: 'pause', about: reason ?? '', session, written: done.value });
  if (json) out.json({ session, paused: true, ...mark });
  else {
    out.line(out.style('dim', sessionLine(found)));
    out.line(out.style('yellow', `Framework paused for session ${session}`));
    out.line(out.style('dim', 'Nothing is held until `req resume`, or until the session ends.'));
  }
  return 0;
}
