import { join } from 'node:path';
import type { Job } from '../detect/jobs';
import { runReviewGate } from '../review/review-gate';
import type { GateResult } from '../run-result';
import { preflightCheck, runCheck } from './check';
import type { GateContext } from './gate-context';
import { gateLogName } from './log-names';
import type { Plan } from './plan';
import type { Attempt } from './retries';
import type { Scene, Stage } from './scene';
import { runJobs } from './schedule';

/** Runs what the plan leaves to be run. Gives a result for each of its gates, in their order. */
export async function executeGates(
  stage: Stage,
  scene: Scene,
  plan: Plan,
  attempt: Attempt,
  rerun: boolean,
): Promise<readonly GateResult[]> {
  const { console, debug, request, signal } = stage;
  const context = contextOf(stage, scene, plan, attempt, rerun);
  const left = plan.jobs.filter((job) => !plan.cached.has(job.id));
  for (const result of plan.cached.values()) console.say({ kind: 'finished', result });
  const results = await runJobs(left, {
    allowParallel: request.config.allowParallel,
    deadline: context.deadline,
    signal,
    preflight: (job) => (job.kind === 'check' ? preflightCheck(job, context) : undefined),
    start: (job) => {
      console.say({ kind: 'started', id: job.id });
      return startGate(job, context);
    },
    finished: (result) => console.say({ kind: 'finished', result }),
  });
  for (const result of results) {
    if (result.status === 'skipped') console.say({ kind: 'finished', result });
    debug(gateLine(result));
  }
  const byId = new Map(results.map((result) => [result.id, result]));
  return plan.jobs.flatMap(({ id }) => plan.cached.get(id) ?? byId.get(id) ?? []);
}

function startGate(job: Job, context: GateContext): Promise<GateResult> {
  return job.kind === 'check' ? runCheck(job, context) : runReviewGate(job, context);
}

function gateLine({ id, status, durationMs, violations }: GateResult): string {
  const found = violations === undefined ? '' : ` violations=${violations}`;
  return `GATE_RESULT ${id} status=${status} duration=${(durationMs / 1000).toFixed(2)}s${found}`;
}

function contextOf(
  { request, logDir, console, signal }: Stage,
  { base, state }: Scene,
  { changes }: Plan,
  { number }: Attempt,
  rerun: boolean,
): GateContext {
  const { root, config, env, select, deadline } = request;
  const names = new Map<string, string>();
  return {
    root,
    config,
    env,
    logDir,
    run: number,
    logFile: (id, slot) => join(logDir, ownName(names, id, number, slot)),
    rerun,
    changes,
    base,
    ...(state?.working_tree_ref !== undefined && { previousTree: state.working_tree_ref }),
    select,
    report: console.say,
    signal,
    deadline: deadline ?? Number.POSITIVE_INFINITY,
  };
}

/** Two ids may come to the same name, since names have fewer characters; they must not share a file. */
function ownName(taken: Map<string, string>, id: string, run: number, slot: string | undefined): string {
  for (let copy = 1; ; copy++) {
    const name = gateLogName(copy === 1 ? id : `${id}-${copy}`, run, slot);
    const owner = taken.get(name);
    if (owner !== undefined && owner !== id) continue;
    taken.set(name, id);
    return name;
  }
}
