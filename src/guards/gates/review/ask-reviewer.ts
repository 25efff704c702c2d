import { type RunResult, runCommand } from '../../../exec/run';
import type { ReviewJob } from '../detect/jobs';
import type { GateContext } from '../run/gate-context';
import { INTERRUPTED, overDeadline, TIME_IS_OVER } from '../run/messages';
import { type Answer, answerIn } from './answer';
import { callOf } from './health';
import { COMMAND_NOT_FOUND, endedBy, exitedWith, NO_ANSWER, timedOut, USAGE_LIMIT } from './messages';
import { firstLine } from './printed-lines';
import { reviewerEnvironment } from './reviewer-environment';
import { reviewerNamed } from './reviewers';
import { saysUsageLimit } from './usage-limit';

/** A review without a limit of its own must not wait for ever. */
const DEFAULT_SECONDS = 300;
const MOST_BYTES_IN_MEMORY = 2 * 1024 * 1024;
const MOST_BYTES_ON_DISK = 10 * 1024 * 1024;

/** What asking came to. Only an answer says anything about the code; everything else is trouble of the asking. */
export type Reply =
  | { readonly kind: 'answered'; readonly answer: Answer; readonly ended: RunResult }
  | { readonly kind: 'limited' | 'failed'; readonly why: string; readonly ended: RunResult }
  /** Nobody else need be asked. */
  | { readonly kind: 'over'; readonly why: string; readonly ended?: RunResult };

/** Asks one reviewer once. What it prints goes to the log as it comes. */
export async function askReviewer(
  name: string,
  prompt: string,
  log: string,
  { id, gate }: Pick<ReviewJob, 'id' | 'gate'>,
  context: GateContext,
): Promise<Reply> {
  const { root, env, signal } = context;
  const own = (gate.timeout ?? DEFAULT_SECONDS) * 1000;
  const left = context.deadline - Date.now();
  const reviewer = reviewerNamed(name);
  if (signal.aborted) return { kind: 'over', why: INTERRUPTED };
  if (left <= 0) return { kind: 'over', why: TIME_IS_OVER };
  const ended = await runCommand({
    command: reviewer?.program ?? name,
    args: reviewer?.args(callOf(root, env, gate.model)) ?? [],
    cwd: root,
    env: reviewerEnvironment(env),
    input: prompt,
    timeoutMs: Math.min(own, left),
    maxBytesInMemory: MOST_BYTES_IN_MEMORY,
    log: { file: log, maxBytes: MOST_BYTES_ON_DISK },
    signal,
    onLine: (line) => context.report({ kind: 'line', id, line }),
  });
  return replyOf(ended, prompt, root, left < own);
}

function replyOf(ended: RunResult, prompt: string, root: string, isDeadline: boolean): Reply {
  switch (ended.kind) {
    case 'exited': {
      const answer = ended.code === 0 ? answerIn(ended.stdout, root) : undefined;
      if (answer !== undefined) return { kind: 'answered', answer, ended };
      return troubleOf(
        ended,
        prompt,
        ended.code === 0 ? NO_ANSWER : exitedWith(ended.code, firstLine(ended)),
      );
    }
    case 'signalled':
      return troubleOf(ended, prompt, endedBy(ended.signal));
    case 'timed-out': {
      const seconds = Number((ended.afterMs / 1000).toFixed(2));
      if (isDeadline) return { kind: 'over', why: overDeadline(seconds), ended };
      return troubleOf(ended, prompt, timedOut(seconds));
    }
    case 'cancelled':
      return { kind: 'over', why: INTERRUPTED, ended };
    case 'not-started':
      return { kind: 'failed', why: ended.why === 'not-found' ? COMMAND_NOT_FOUND : ended.detail, ended };
  }
}

function troubleOf(ended: RunResult, prompt: string, why: string): Reply {
  const limited = saysUsageLimit(`${ended.stdout}\n${ended.stderr}`, prompt);
  return limited ? { kind: 'limited', why: USAGE_LIMIT, ended } : { kind: 'failed', why, ended };
}
