import { REVIEW_REMINDER } from '../advice-messages';
import { madeCommit } from '../commit-made';
import type { Rule } from '../finding';
import { isReviewNeeded } from '../state';

/** A commit in a team without code review: somebody should look at it. */
export const reviewReminder: Rule = ({ event, state, effects }) => {
  if (event.kind !== 'tool.after' || event.outcome === 'failure' || effects === undefined) return undefined;
  if (!isReviewNeeded(state) || !madeCommit(effects)) return undefined;
  return { weight: 'warn', text: REVIEW_REMINDER, fact: 'a commit was made and code review is switched off' };
};
