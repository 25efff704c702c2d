import { pauseFile } from '../../guards/requirements/view';
import type { Context, ExitCode } from '../context';
import { noteOverride, refuseReserved, reservedForPeople } from './actor';
import { report, requireProject } from './context';
import { checkSessionOption, requireSession, sessionLine } from './find-session';
import { changeState } from './state-files';

/** `req pause`: nothing is held for one session until it is resumed or ends. */
export async function pause(
  context: Context,
  values: { readonly reason?: string; readonly session?: string; readonly json: boolean },
): Promise<ExitCode> {
  const { out } = context;
  checkSessionOption('pause', values.session);
  const call = requireProject(context);
  // Pausing lets everything through, so an agent may do it only where it may satisfy everything too.
  refuseReserved(reservedForPeople(call, call));
  const found = await requireSession(values.session, call);
  const { key: session } = found;
  const { reason } = values;
  const mark = { paused_at: new Date().toISOString(), reason: reason ?? null };
  const written = changeState(call.layout, 'Nothing was paused', () => [
    { document: pauseFile(session), what: `paused ${session}`, apply: () => mark },
  ]);
  noteOverride(call.layout, { command: 'pause', about: reason ?? '', session, written });
  return report(context, values.json, { session, paused: true, ...mark }, [
    out.style('dim', sessionLine(found)),
    out.style('yellow', `Framework paused for session ${session}`),
    out.style('dim', 'Nothing is held until `req resume`, or until the session ends.'),
  ]);
}

/** `req resume`: ends a pause. */
export async function resume(
  context: Context,
  values: { readonly session?: string; readonly json: boolean },
): Promise<ExitCode> {
  const { out } = context;
  checkSessionOption('resume', values.session);
  const call = requireProject(context);
  const found = await requireSession(values.session, call);
  const { key: session } = found;
  // As text: a mark that is not JSON has to go too.
  const document = { ...pauseFile(session), format: 'text' } as const;
  const written = changeState(call.layout, 'Nothing was resumed', () => [
    { document, what: `resumed ${session}`, apply: () => undefined },
  ]);
  const wasPaused = written.length > 0;
  if (wasPaused) noteOverride(call.layout, { command: 'resume', about: '', session, written });
  const note = wasPaused ? '' : ' (it was not paused)';
  return report(context, values.json, { session, paused: false, was_paused: wasPaused }, [
    out.style('dim', sessionLine(found)),
    out.style('green', `Framework resumed for session ${session}${note}`),
  ]);
}
