import { type Ending, type Frame, type LoopState, modeName } from './state';

/** Scripts compare this sentence: not one byte of it may change. */
export function iterationText(iter: number, max: number): string {
  return `[ITERATION ${iter}/${max}] Continue working on the task. Check your progress and either complete the task or keep iterating.`;
}

export const NEAR_MISS =
  'Your last message has a completion signal that did not count: put it on a line of its own, outside of code, quotes and comments.';

export const UNCHECKED =
  'Your last message has a completion signal, but is too long or too deeply nested to be checked: repeat the signal in a short message.';

export const STANDSTILL =
  'The last iterations changed nothing: no commit, no staged file, no edit, the same message. Try another approach, or signal that you are stuck.';

export function worktreeText(path: string, branch: string | undefined, issue: string | undefined): string {
  return [
    'WORKTREE CONTEXT:',
    `- Working directory: ${path}`,
    ...(branch === undefined ? [] : [`- Branch: ${branch}`]),
    ...(issue === undefined ? [] : [`- Issue: ${issue}`]),
    `Use absolute paths below ${path}, and run commands there.`,
  ].join('\n');
}

export function refusedSignal(whose: string, refusal: string): string {
  return `${whose} completion signal was not accepted: ${refusal}`;
}

export function verifyFailed(command: string, how: string, tail: string): string {
  const said = tail === '' ? 'It printed nothing.' : `Its last lines:\n${tail}`;
  return `\`${command}\` ${how}. ${said}`;
}

/** A stranger may have written the command, so it is shown short and on one line. */
export function untrustedCommand(command: string): string {
  const shown = JSON.stringify(command.length > 60 ? `${command.slice(0, 60)}…` : command);
  return `its verify command ${shown} was not run, because \`loop start\` did not set it on this machine; the signal counts without it`;
}

export const WHY_HELD = {
  noSignal: 'there was no completion signal on a line of its own',
  unproven: 'there was a completion signal, but the verify command failed',
  innerDone: 'the inner loop has ended',
};

export const CLEAR = 'complete the task and signal it; `holdpoint loop status` shows the signal';
export const WAIVE =
  'a person, with `holdpoint loop cancel`, by typing /cancel-loop, or by starting the host with IDLE_LOOP_DISABLE=1';

const WHY_ENDED: Readonly<Record<string, string>> = {
  MAX_MINUTES: 'its time is used up',
  MAX_TOKENS: 'its tokens are used up',
  NO_PROGRESS: 'it made no progress',
};

/** Tells the person about an end that nobody asked for; `undefined` for other ends. */
export function endedNote(reason: Ending): string | undefined {
  const why = WHY_ENDED[reason];
  if (why === undefined) return undefined;
  const more = reason === 'NO_PROGRESS' ? ' `holdpoint loop resume` continues it.' : '';
  return `The loop ended because ${why} (${reason}).${more}`;
}

export function capNote(inRow: number): string {
  return `The loop let this turn end after it held ${inRow} stops in a row without any tool use in between.`;
}

export function pausedNote(why: string): string {
  return `The loop is paused${why === '' ? '' : ` (${why})`}. \`holdpoint loop resume\` continues it, \`holdpoint loop cancel\` ends it.`;
}

export const CANCELLED = {
  toAgent: 'The user has cancelled the loop. Stop working on its task, and do not start it again.',
  toPerson: 'The loop is cancelled.',
};

/** For the start of a session that has a loop: its current frame, and whose it is. */
export function liveNote({ paused, sessionId }: LoopState, top: Frame): string {
  const whose = sessionId === undefined ? 'A loop of this project' : 'A loop of this session';
  const where = `mode ${modeName(top)}, iteration ${top.iter} of ${top.max}`;
  return paused === undefined
    ? `${whose} is active: ${where}. \`holdpoint loop status\` shows it; a person ends it with \`holdpoint loop cancel\`.`
    : `${whose} is paused: ${where}. \`holdpoint loop resume\` continues it.`;
}

/** Names the command that continues the loop; if there are several loops, the person chooses. */
export function offerNote(from: readonly string[]): string {
  const [only = ''] = from;
  if (from.length > 1) {
    return `This project has ${from.length} unfinished loops from earlier sessions. \`holdpoint loop status\` shows them, \`holdpoint loop resume --from SESSION\` continues one here.`;
  }
  const named = /^[\w-]{1,64}$/.test(only) ? ` --from ${only}` : '';
  return `This project has an unfinished loop from an earlier session. \`holdpoint loop resume${named}\` continues it here, \`holdpoint loop status\` shows it.`;
}
