import { parseArgs } from 'node:util';
import { pauseFile } from '../../guards/requirements/session-files';
import type { ExitCode, Verb } from '../verb';
import { noteOverride, refuseReserved, reservedForPeople } from './actor';
import { checkSessionOption, requireSession, sessionLine } from './find-session';
import { requireProject } from './refuse';
import { changeState } from './state-files';

/** `req pause`: nothing is held for one session until it is resumed or ends. */
export const pauseVerb: Verb = {
  usage: 'req pause [-r REASON] [-s SESSION] [--json]',
  async run(args, context): Promise<ExitCode> {
    const { out } = context;
    const { values } = parseArgs({
      args: [...args],
      options: {
        reason: { type: 'string', short: 'r' },
        session: { type: 'string', short: 's' },
        json: { type: 'boolean' },
      },
    });
    checkSessionOption('pause', values.session);
    const project = requireProject(context);
    // Pausing lets everything through, so an agent may do it only where it may satisfy everything too.
    refuseReserved(reservedForPeople(project, context));
    const found = await requireSession(values.session, project, context.env);
    const { key: session } = found;
    const { reason } = values;
    const mark = { paused_at: new Date().toISOString(), reason: reason ?? null };
    const written = changeState(project.layout, 'Nothing was paused', () => [
      { document: pauseFile(session), what: `paused ${session}`, apply: () => mark },
    ]);
    noteOverride(project.layout, { command: 'pause', about: reason ?? '', session, written });
    if (values.json) out.json({ session, paused: true, ...mark });
    else {
      out.line(out.style('dim', sessionLine(found)));
      out.line(out.style('yellow', `Framework paused for session ${session}`));
      out.line(out.style('dim', 'Nothing is held until `req resume`, or until the session ends.'));
    }
    return 0;
  },
};

/** `req resume`: ends a pause. */
export const resumeVerb: Verb = {
  usage: 'req resume [-s SESSION] [--json]',
  async run(args, context): Promise<ExitCode> {
    const { out } = context;
    const { values } = parseArgs({
      args: [...args],
      options: { session: { type: 'string', short: 's' }, json: { type: 'boolean' } },
    });
    checkSessionOption('resume', values.session);
    const project = requireProject(context);
    const found = await requireSession(values.session, project, context.env);
    const { key: session } = found;
    // As text: a mark that is not JSON has to go too.
    const document = { ...pauseFile(session), format: 'text' } as const;
    const written = changeState(project.layout, 'Nothing was resumed', () => [
      { document, what: `resumed ${session}`, apply: () => undefined },
    ]);
    const wasPaused = written.length > 0;
    if (wasPaused) noteOverride(project.layout, { command: 'resume', about: '', session, written });
    if (values.json) out.json({ session, paused: false, was_paused: wasPaused });
    else {
      out.line(out.style('dim', sessionLine(found)));
      const note = wasPaused ? '' : ' (it was not paused)';
      out.line(out.style('green', `Framework resumed for session ${session}${note}`));
    }
    return 0;
  },
};
