import { type Ending, type Frame, type LoopState, modeName } from './state';

/** The sentence that scripts compare; not one byte of it may change. */
export function iterationText(iter: number, max: number): string {
  return `[ITERATION ${iter}/${max}] Continue working on the task. Check your progress and either complete the task or keep iterating.`;
}

export const NEAR_MISS =
  'A completion signal was found in your last message, but not on a line of its own outside of code, quotes and comments, so it did not count.';

export const STANDSTILL =
  'The last iterations changed nothing: no commit, no staged file, no edit and the same words. Change your approach, or signal that you are stuck.';

export function worktreeText(path: string, branch: string | undefined, issue: string | undefined): string {
  return [
    'WORKTREE CONTEXT:',
    `- Working directory: ${path}`,
    ...(branch === undefined ? [] : [`- Branch: ${branch}`]),
    ...(issue === undefined ? [] : [`- Issue: ${issue}`]),
    `Give every path as an absolute one below ${path}, and run commands from there.`,
  ].join('\n');
}

export function verifyFailed(command: string, how: string, tail: string): string {
  const said = tail === '' ? 'It printed nothing.' : `Its last lines:\n${tail}`;
  return `Your completion signal was not accepted: \`${command}\` ${how}. ${said}`;
}

/** The command may be a stranger's, so it is shown short and on one line. */
export function untrustedCommand(command: string): string {
  const shown = JSON.stringify(command.length > 60 ? `${command.slice(0, 60)}…` : command);
  return `its command ${shown} was not run, since \`loop start\` did not set it on this machine; the signal counts without it`;
}

export const WHY_HELD = {
  noSignal: 'no completion signal stood on a line of its own',
  unproven: 'there was a completion signal, but the command that has to prove it failed',
  innerDone: 'the loop inside it has ended',
};

export const CLEAR = 'holdpoint loop cancel';
export const WAIVE = 'a person: type /cancel-loop, or start the host with IDLE_LOOP_DISABLE=1';

const WHY_ENDED: Readonly<Record<string, string>> = {
  MAX_MINUTES: 'its time was used up',
  MAX_TOKENS: 'its tokens were used up',
  NO_PROGRESS: 'it made no progress',
};

/** Ends that nobody asked for are told; `undefined` for the others. */
export function endedNote(reason: Ending): string | undefined {
  const why = WHY_ENDED[reason];
  if (why === undefined) return undefined;
  const more = reason === 'NO_PROGRESS' ? ' `holdpoint loop resume` takes it up again.' : '';
  return `The loop was ended because ${why} (${reason}).${more}`;
}

export function capNote(inRow: number): string {
  return `The loop let this turn end: ${inRow} stops in a row were refused without any tool use in between, and after so many most hosts end the turn by themselves, while others never would.`;
}

export function pausedNote(why: string): string {
  return `The loop is paused${why === '' ? '' : ` (${why})`}. \`holdpoint loop resume\` goes on with it, \`holdpoint loop cancel\` ends it.`;
}

export const CANCELLED = {
  toAgent: 'The person has cancelled the loop. Stop working on its task and do not start it again.',
  toPerson: 'The loop is cancelled.',
};

/** A loop of the session that begins: its current frame, and whose it is. */
export function liveNote({ paused, sessionId }: LoopState, top: Frame): string {
  const whose =
    sessionId === undefined ? 'A loop that any session of this project drives' : 'A loop of this session';
  const where = `mode ${modeName(top)}, iteration ${top.iter} of ${top.max}`;
  return paused === undefined
    ? `${whose} is live: ${where}. \`holdpoint loop status\` shows it, \`holdpoint loop cancel\` ends it.`
    : `${whose} is paused: ${where}. \`holdpoint loop resume\` goes on with it.`;
}

/** Names the command that takes the loop up; several have to be looked at first. */
export function offerNote(from: readonly string[]): string {
  const [only = ''] = from;
  if (from.length > 1) {
    return `This project has ${from.length} loops from earlier sessions that did not end. None goes on by itself: \`holdpoint loop status\` shows them, \`holdpoint loop resume --from SESSION\` takes one up here.`;
  }
  const named = /^[\w-]{1,64}$/.test(only) ? ` --from ${only}` : '';
  return `This project has a loop from earlier that did not end. It does not go on by itself: \`holdpoint loop resume${named}\` takes it up here, \`holdpoint loop status\` shows it.`;
}
