import * as v from 'valibot';
import { described, flag, section } from '../../config/section';
import { LOOP_DEFAULTS, type LoopConfig } from './state';

const count = v.optional(
  v.pipe(
    v.number(),
    v.integer('must be a whole number'),
    v.minValue(1, 'must be at least 1'),
    v.maxValue(1_000_000, 'must be at most 1000000'),
  ),
);
const positive = v.optional(v.pipe(v.number(), v.gtValue(0, 'must be more than 0')));

const loop = v.strictObject(
  described(
    {
      max_iterations: count,
      grind_max: count,
      max_minutes: positive,
      max_tokens: positive,
      stall: v.optional(v.picklist(['on', 'off'])),
      near_miss: flag,
      include_prompt: flag,
      ttl_seconds: positive,
      output: v.optional(v.picklist(['exit2', 'exit0-json'])),
    },
    {
      max_iterations: 'How often a loop runs that names no bound of its own; 10 where this is not given.',
      grind_max:
        'How many issues `loop start --mode grind` works through at most; 100 where this is not given.',
      max_minutes:
        'After how many minutes a loop of `loop start` is ended; no bound where this is not given.',
      max_tokens: 'After how many tokens a loop of `loop start` is ended; no bound where this is not given.',
      stall: '`off`: a loop of `loop start` that makes no progress is neither told so nor ended.',
      near_miss: 'False: nothing is said of a completion signal that stood where it does not count.',
      include_prompt: 'True: `loop start` repeats the task at every iteration unless told otherwise.',
      ttl_seconds:
        'After how many seconds without a sign of life a loop is not continued; 7200 where this is not given.',
      output:
        '`exit0-json`: a refused stop is told by JSON with exit code 0 instead of exit code 2, for hosts that want it so.',
    },
  ),
);

/** The loop's part of the config. It is never absent: loops are started by hand, not by config. */
export const loopSection = section({
  guard: 'loop',
  keys: described(
    { loop },
    { loop: 'Bounds and manners of loops, which hold the end of a turn until the work is complete.' },
  ),
  seedOnly: [],
  files: [],
  units: [],
  tolerated: [],
  compile({ loop: given = {} }) {
    return {
      maxIterations: given.max_iterations ?? LOOP_DEFAULTS.maxIterations,
      grindMax: given.grind_max ?? LOOP_DEFAULTS.grindMax,
      maxMinutes: given.max_minutes,
      maxTokens: given.max_tokens,
      stall: given.stall !== 'off',
      nearMiss: given.near_miss ?? LOOP_DEFAULTS.nearMiss,
      includePrompt: given.include_prompt ?? LOOP_DEFAULTS.includePrompt,
      ttlSeconds: given.ttl_seconds ?? LOOP_DEFAULTS.ttlSeconds,
      output: given.output ?? LOOP_DEFAULTS.output,
    } satisfies LoopConfig;
  },
});
