import * as v from 'valibot';
import { described, flag, name, text } from '../../config/section';
import * as sentences from './key-sentences';
import { REVIEWERS } from './reviewers';

const PRIORITIES = ['critical', 'high', 'medium', 'low'] as const;

const reviewer = v.picklist(REVIEWERS);
const count = v.pipe(v.number(), v.integer('must be a whole number'), v.minValue(0, 'must not be negative'));
const timeout = v.optional(v.pipe(v.number(), v.gtValue(0, 'must be more than 0 seconds')));
const someReviewers = v.pipe(v.array(reviewer), v.nonEmpty('must name at least one reviewer'));
const patterns = v.optional(v.array(name));

/** What the person's own file may set too. */
export const stopHook = v.strictObject(
  described({ enabled: flag, run_interval_minutes: v.optional(count), reverify: flag }, sentences.STOP_HOOK),
);
export const debugLog = v.strictObject(
  described(
    { enabled: flag, max_size_mb: v.optional(v.pipe(v.number(), v.gtValue(0, 'must be more than 0'))) },
    sentences.DEBUG_LOG,
  ),
);

const entryPoint = v.strictObject(
  described({ path: name, exclude: patterns, checks: patterns, reviews: patterns }, sentences.ENTRY_POINT),
);

const check = v.pipe(
  v.strictObject(
    described(
      {
        command: v.pipe(v.string(), v.check(isFilled, 'must not be empty')),
        working_directory: v.optional(name),
        parallel: flag,
        run_in_ci: flag,
        run_locally: flag,
        timeout,
        fail_fast: flag,
        fix_instructions: v.optional(name),
        cache: flag,
      },
      sentences.CHECK,
    ),
  ),
  v.forward(
    v.partialCheck(
      [['fail_fast'], ['parallel']],
      (input) => !(input.fail_fast === true && input.parallel === true),
      'can only be used when parallel is false',
    ),
    ['fail_fast'],
  ),
);

const review = v.strictObject(
  described(
    {
      prompt: v.pipe(v.string(), v.check(isFilled, 'must not be empty')),
      model: text,
      cli_preference: v.optional(someReviewers),
      num_reviews: v.optional(
        v.pipe(v.number(), v.integer('must be a whole number'), v.minValue(1, 'must be at least 1')),
      ),
      parallel: flag,
      run_in_ci: flag,
      run_locally: flag,
      timeout,
      cache: flag,
    },
    sentences.REVIEW,
  ),
);

const cli = v.strictObject(
  described({ default_preference: v.optional(v.array(reviewer)), check_usage_limit: flag }, sentences.CLI),
);

/**
 * The gates as the config has them. What one part demands of another is judged when they are compiled,
 * and so is the emptiness of lists whose items may be switched off one by one.
 */
export const gates = v.strictObject(
  described(
    {
      base_branch: v.optional(name),
      log_dir: v.optional(name),
      allow_parallel: flag,
      max_retries: v.optional(count),
      rerun_new_issue_threshold: v.optional(v.picklist(PRIORITIES)),
      cli: v.optional(cli),
      entry_points: v.optional(v.array(entryPoint)),
      checks: v.optional(v.record(v.string(), check)),
      reviews: v.optional(v.record(v.string(), review)),
      debug_log: v.optional(debugLog),
      stop_hook: v.optional(stopHook),
    },
    sentences.GATES,
  ),
);

export type GatesInput = v.InferOutput<typeof gates>;
export type CheckInput = v.InferOutput<typeof check>;
export type ReviewInput = v.InferOutput<typeof review>;
export type EntryPointInput = v.InferOutput<typeof entryPoint>;

function isFilled(input: string): boolean {
  return input.trim() !== '';
}
