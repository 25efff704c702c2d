import type { ReviewJob } from '../detect/jobs';
import type { GateContext } from '../run/gate-context';
import { ReviewerHealth } from './health';

/** Who can be asked for a review, in the order of preference, and who cannot. */
export interface Available {
  readonly healthy: readonly string[];
  /** Not looked at, since there were enough before them; they may be asked should those fail. */
  readonly further: readonly string[];
  readonly refused: readonly { readonly name: string; readonly why: string }[];
  readonly health: ReviewerHealth;
}

/** All reviews of a run share what is known, so that nobody is probed twice. */
const byRun = new WeakMap<GateContext, ReviewerHealth>();

/** Looks at one after the other, as probing may cost something, until so many are found. */
export async function availableReviewers(
  { gate }: ReviewJob,
  context: GateContext,
  wanted: number,
): Promise<Available> {
  const { root, env, logDir, signal, config } = context;
  const { checkUsageLimit } = config.reviewers;
  const health = byRun.get(context) ?? new ReviewerHealth({ root, env, logDir, checkUsageLimit, signal });
  byRun.set(context, health);
  const healthy: string[] = [];
  const refused: { name: string; why: string }[] = [];
  const further = [...gate.preference];
  while (healthy.length < wanted && further.length > 0) {
    const name = further.shift() ?? '';
    const found = await health.of(name);
    if (found.state === 'healthy') healthy.push(name);
    else refused.push({ name, why: found.message });
  }
  return { healthy, further, refused, health };
}
