import type { CancelSignal } from '../../../exec/cancel-signal';
import { runCommand } from '../../../exec/run';
import { missingProgram } from '../run/preflight';
import type { Env } from '../run/request';
import { readCooldowns, startCooldown } from './cooldowns';
import { COMMAND_NOT_FOUND, coolingDown, probeFailed, timedOut, USAGE_LIMIT } from './messages';
import { firstLine } from './printed-lines';
import { reviewerEnvironment } from './reviewer-environment';
import { type ReviewerCall, reviewerNamed } from './reviewers';
import { saysUsageLimit } from './usage-limit';

/** Whether a reviewer can be asked. */
export type Health =
  | { readonly state: 'healthy' }
  | { readonly state: 'missing' | 'unhealthy'; readonly message: string };

/** What is looked at to tell. */
export interface HealthScene {
  readonly root: string;
  readonly env: Env;
  readonly logDir: string;
  /** Whether to ask each for a word, which costs a little. */
  readonly checkUsageLimit: boolean;
  readonly signal?: CancelSignal;
}

const PROBE = 'hello';
const MOST_BYTES = 64 * 1024;

/** What is known of the reviewers in one run. Each is looked at, and probed, once. */
export class ReviewerHealth {
  readonly #scene: HealthScene;
  readonly #known = new Map<string, Promise<Health>>();

  constructor(scene: HealthScene) {
    this.#scene = scene;
  }

  of(name: string): Promise<Health> {
    const known = this.#known.get(name);
    if (known !== undefined) return known;
    const found = this.#look(name);
    this.#known.set(name, found);
    return found;
  }

  /** It has said that its quota is used up: nobody asks it again soon. Answers with a warning, if there is one. */
  limited(name: string): string | undefined {
    this.#known.set(name, Promise.resolve({ state: 'unhealthy', message: USAGE_LIMIT }));
    return startCooldown(this.#scene.logDir, name, Date.now());
  }

  async #look(name: string): Promise<Health> {
    const reviewer = reviewerNamed(name);
    const { root, env, logDir, checkUsageLimit } = this.#scene;
    if (reviewer === undefined || missingProgram(reviewer.program, root, env) !== undefined) {
      return { state: 'missing', message: COMMAND_NOT_FOUND };
    }
    const until = readCooldowns(logDir, Date.now())[name];
    if (until !== undefined) return { state: 'unhealthy', message: coolingDown(until) };
    return checkUsageLimit ? this.#probe(name) : { state: 'healthy' };
  }

  async #probe(name: string): Promise<Health> {
    const reviewer = reviewerNamed(name);
    if (reviewer === undefined) return { state: 'missing', message: COMMAND_NOT_FOUND };
    const { root, env, signal } = this.#scene;
    const ended = await runCommand({
      command: reviewer.program,
      args: reviewer.probe.args(callOf(root, env)),
      cwd: root,
      env: reviewerEnvironment(env),
      input: PROBE,
      timeoutMs: reviewer.probe.seconds * 1000,
      maxBytesInMemory: MOST_BYTES,
      ...(signal && { signal }),
    });
    if (saysUsageLimit(`${ended.stdout}\n${ended.stderr}`, PROBE)) {
      startCooldown(this.#scene.logDir, name, Date.now());
      return { state: 'unhealthy', message: USAGE_LIMIT };
    }
    if (ended.kind === 'exited' && ended.code === 0) return { state: 'healthy' };
    const said = ended.kind === 'timed-out' ? timedOut(reviewer.probe.seconds) : firstLine(ended);
    return { state: 'unhealthy', message: probeFailed(said) };
  }
}

/** How a reviewer is called from a directory. */
export function callOf(cwd: string, env: Env, model?: string): ReviewerCall {
  return { cwd, model, has: (program) => missingProgram(program, cwd, env) === undefined };
}
