import { userInfo } from 'node:os';
import { attempt } from '../../core/failure';
import type { JsonObject } from '../../core/json';
import { localTime, secondsIn } from '../../core/text';
import { readDocument } from '../../state/documents';
import { pauseFile, pauseOf } from '../../state/sessions';
import { whoOf } from '../caller';
import { type Context, cannotRun, type ExitCode, type Options, Refusal, report } from '../context';
import { type ProjectContext, requireProject } from '../project';
import { changeState, journalCommand, refuseAgent } from '../req/context';
import {
  checkSessionOption,
  findOrAskSession,
  type KnownSession,
  noSession,
  refuseUnknownSession,
  sessionLine,
  sessionList,
} from '../req/find-session';
import { styled } from '../ui/output';

type PauseOptions = Options<never, 'for' | 'reason' | 'session'>;
type Program = 'holdpoint' | 'req';

/** `holdpoint pause` and `req pause`: no rule holds in one session until it is resumed or ends. */
export const pause =
  (program: Program) =>
  async (context: Context, values: PauseOptions): Promise<ExitCode> => {
    const now = Date.now();
    const until = values.for === undefined ? undefined : now + durationIn(values.for);
    const { call, found } = await openFor(program, 'pause', context, values);
    const { key: session } = found;
    const { reason = null } = values;
    const mark: JsonObject = {
      paused_at: new Date(now).toISOString(),
      reason,
      by: attempt(() => userInfo().username) ?? null,
      ...whoOf(context.caller()),
      ...(until !== undefined && { until: new Date(until).toISOString() }),
    };
    const written = changeState(call.layout, 'Nothing was paused', () => [
      { document: pauseFile(session), what: `paused ${session}`, apply: () => mark },
    ]);
    const about = [values.for === undefined ? '' : `for ${values.for}`, reason ?? '']
      .filter(Boolean)
      .join(', ');
    journalCommand(call, `${program} pause`, written, { session, about });
    const end = until === undefined ? '' : ` until ${localTime(until, now, 'minutes')}`;
    return report(context, { session, paused: true, ...mark }, [
      ...foundLine(program, found),
      styled(
        'yellow',
        program === 'req'
          ? `Framework paused for session ${session}${end}`
          : `Holdpoint is paused in session ${session}${end}.`,
      ),
      styled(
        'dim',
        `Nothing is held: no requirement, workflow, gate or loop. \`${program} resume\` ends it.`,
      ),
    ]);
  };

export const resume =
  (program: Program) =>
  async (context: Context, values: PauseOptions): Promise<ExitCode> => {
    const { call, found } = await openFor(program, 'resume', context, values);
    const { key: session, id } = found;
    const wasPaused = pauseOf(id, (ref) => readDocument(call.layout, ref), Date.now()) !== undefined;
    // As text, so that a file that is not JSON is removed too.
    const document = { ...pauseFile(session), format: 'text' } as const;
    const written = changeState(call.layout, 'Nothing was resumed', () => [
      { document, what: `resumed ${session}`, apply: () => undefined },
    ]);
    if (written.length > 0) journalCommand(call, `${program} resume`, written, { session });
    const isOn = wasPaused
      ? `Holdpoint is on again in session ${session}.`
      : `Holdpoint was not paused in session ${session}.`;
    return report(context, { session, paused: false, was_paused: wasPaused }, [
      ...foundLine(program, found),
      styled(
        'green',
        program === 'req'
          ? `Framework resumed for session ${session}${wasPaused ? '' : ' (it was not paused)'}`
          : isOn,
      ),
    ]);
  };

/** Names the session if it was not given. */
function foundLine(program: Program, found: KnownSession): string[] {
  if (program === 'req') return [styled('dim', sessionLine(found))];
  return found.how === 'explicit' ? [] : [styled('dim', `Session ${found.key}: ${found.rule}.`)];
}

async function openFor(
  program: Program,
  verb: 'pause' | 'resume',
  context: Context,
  { session: given }: PauseOptions,
): Promise<{ readonly call: ProjectContext; readonly found: KnownSession }> {
  checkSessionOption(verb, given, program);
  const call = requireProject(context, 1);
  refuseAgent(`${verb} Holdpoint`, call);
  const found = await findOrAskSession(given, call);
  if (found.kind === 'none')
    throw new Refusal(
      program === 'req'
        ? noSession(found, call.root)
        : `Which session? Give it with --session ID.\n${sessionList(call)}`,
    );
  refuseUnknownSession(found, call, `${program} ${verb}`);
  return { call, found };
}

const LONGEST_DAYS = 30;

/** Parses `30m`, `2h`, `1h30m` into milliseconds. */
function durationIn(text: string): number {
  const total = (secondsIn(text) ?? 0) * 1000;
  if (total === 0)
    throw cannotRun(`--for takes a time such as 30m, 2h or 1h30m, not '${text}'. Nothing was paused.`);
  if (total > LONGEST_DAYS * 86_400_000)
    throw cannotRun(`--for takes at most ${LONGEST_DAYS}d, not '${text}'. Nothing was paused.`);
  return total;
}
