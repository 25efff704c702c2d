import * as v from 'valibot';
import { described, flag } from '../../config/section';

const count = v.optional(
  v.pipe(
    v.number(),
    v.integer('must be a whole number'),
    v.minValue(1, 'must be at least 1'),
    v.maxValue(1_000_000, 'must be at most 1000000'),
  ),
);
const positive = v.optional(v.pipe(v.number(), v.gtValue(0, 'must be more than 0')));

/** The keys of `loop`, all optional. */
export const loop = v.strictObject(
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
