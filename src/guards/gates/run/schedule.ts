import { detailOf } from '../../../core/failure';
import type { CancelSignal } from '../../../exec/cancel-signal';
import type { Job } from '../detect/jobs';
import type { GateResult } from '../run-result';
import { gateBroke, INTERRUPTED, stoppedByFailFast, TIME_IS_OVER } from './messages';

/** How jobs are let go. */
export interface Schedule {
  readonly allowParallel: boolean;
  readonly deadline: number;
  readonly signal: CancelSignal;
  /** Looks whether a job can run at all, before any does. */
  preflight(job: Job): GateResult | undefined;
  start(job: Job): Promise<GateResult>;
  /** Told of every job that was started or refused, not of those that are left out. */
  finished(result: GateResult): void;
}

/**
 * Runs all jobs and gives a result for each, in their order. Those that may run in parallel share a bounded
 * number of places, while the others follow each other beside them. When one with `fail_fast` does not
 * pass, nothing further is started; what was running comes to its end.
 */
export async function runJobs(jobs: readonly Job[], schedule: Schedule): Promise<readonly GateResult[]> {
  const run = new JobRun(schedule);
  const ready = jobs.filter((job) => run.passesPreflight(job));
  const parallel = ready.filter((job) => schedule.allowParallel && job.gate.parallel);
  const sequential = ready.filter((job) => !parallel.includes(job));
  const places = parallel.length < 2 ? 1 : Math.max(2, processors()) - (sequential.length > 0 ? 1 : 0);
  const queue = [...parallel];
  const lanes = [run.lane([...sequential])];
  for (let place = 0; place < Math.min(places, parallel.length); place++) lanes.push(run.lane(queue));
  await Promise.all(lanes);
  return jobs.map((job) => run.resultOf(job));
}

/** Asked only where it matters: the module takes long to load, and the oldest Node has no way to load it late. */
function processors(): number {
  return process.getBuiltinModule?.('node:os').availableParallelism() ?? 4;
}

class JobRun {
  readonly #schedule: Schedule;
  readonly #results = new Map<string, GateResult>();
  #halt: string | undefined;

  constructor(schedule: Schedule) {
    this.#schedule = schedule;
  }

  passesPreflight(job: Job): boolean {
    if (this.#halt !== undefined) return false;
    const refused = this.#schedule.preflight(job);
    if (refused !== undefined) this.#take(job, refused);
    return refused === undefined;
  }

  /** Takes jobs from a queue, which other lanes may share, until it is empty or nothing may start any more. */
  async lane(queue: Job[]): Promise<void> {
    for (let job = queue.shift(); job !== undefined; job = queue.shift()) {
      if (this.#reasonNotToStart() !== undefined) return;
      this.#take(job, await this.#start(job));
    }
  }

  resultOf(job: Job): GateResult {
    const message = this.#reasonNotToStart() ?? TIME_IS_OVER;
    return this.#results.get(job.id) ?? { id: job.id, status: 'skipped', message, durationMs: 0 };
  }

  async #start(job: Job): Promise<GateResult> {
    try {
      return await this.#schedule.start(job);
    } catch (error) {
      return { id: job.id, status: 'error', message: gateBroke(detailOf(error)), durationMs: 0 };
    }
  }

  #take(job: Job, result: GateResult): void {
    this.#results.set(job.id, result);
    this.#schedule.finished(result);
    const failFast = job.kind === 'check' && job.gate.failFast;
    if (failFast && result.status !== 'pass') this.#halt ??= stoppedByFailFast(job.id);
  }

  #reasonNotToStart(): string | undefined {
    if (this.#halt !== undefined) return this.#halt;
    if (this.#schedule.signal.aborted) return INTERRUPTED;
    return Date.now() >= this.#schedule.deadline ? TIME_IS_OVER : undefined;
  }
}
