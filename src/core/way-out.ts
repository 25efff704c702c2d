import { type Layout, projectLockFile } from '../state/layout';
import type { Decision } from './decision';
import type { Failure } from './failure';
import { whyLine } from './hold-messages';
import { heldUnwritten } from './messages';

/** Whether the journal knows a decision, or why it does not. */
export type Noted = Failure | undefined;

/**
 * A hold that rests on what is on disk stands also where nothing can be written: nobody switches a guard off by
 * `chmod`. But then the command that it names would fail too, so it says what has failed and who can help; and it
 * points to the journal only where that knows of it.
 */
export function withWayOut(
  decision: Decision,
  layout: Layout,
  failures: readonly Failure[],
  unnoted: Noted,
): Decision {
  const failure = failures.find((one) => isHindrance(one, layout)) ?? unnoted;
  if (failure === undefined || !('reason' in decision) || isOfLoopAlone(decision.by)) return decision;
  const why = `\n${whyLine(decision.id)}`;
  const { reason } = decision;
  const body = reason.endsWith(why) ? reason.slice(0, -why.length) : reason;
  const note = heldUnwritten(failure, isOfLock(failure, layout));
  return { ...decision, reason: `${body}\n${note}${unnoted === undefined ? why : ''}` };
}

/** The loop's own sentence is a wire format, so nothing is added to it. */
function isOfLoopAlone(by: readonly string[]): boolean {
  return by.length === 1 && by[0] === 'loop';
}

/** What stands in the home is shared by projects, and nothing that is held rests on it. */
function isHindrance(failure: Failure, { root, git }: Layout): boolean {
  switch (failure.code) {
    case 'state.write-failed':
    case 'state.outside':
    case 'lock.timeout':
      return [root, git].some((dir) => failure.file.startsWith(`${dir}/`));
    default:
      return false;
  }
}

function isOfLock(failure: Failure, layout: Layout): boolean {
  return 'file' in failure && failure.file === projectLockFile(layout);
}
