import * as v from 'valibot';
import { flag, mapping, section } from '../../config/section';
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

const loop = mapping({
  max_iterations: [count, 'Iterations of a loop without a limit of its own. Default: 10.'],
  grind_max: [count, 'Most issues that `loop start --mode grind` works through. Default: 100.'],
  max_minutes: [positive, 'Minutes after which a loop of `loop start` ends. Default: no limit.'],
  max_tokens: [positive, 'Tokens after which a loop of `loop start` ends. Default: no limit.'],
  stall: [
    v.optional(v.picklist(['on', 'off'])),
    'If `off`, a loop of `loop start` does not end when it makes no progress. Default: on.',
  ],
  near_miss: [
    flag,
    'If false, the agent is not told about a completion signal that did not count. Default: true.',
  ],
  include_prompt: [flag, 'If true, `loop start` repeats the task at every iteration. Default: false.'],
  ttl_seconds: [
    positive,
    'Seconds without any activity after which a loop is stale and does not continue. Default: 7200.',
  ],
  output: [
    v.optional(v.picklist(['exit2', 'exit0-json'])),
    'With `exit0-json`, a held end of a turn is JSON with exit code 0 instead of exit code 2. Default: exit2.',
  ],
});

const SENTENCE = 'Limits and options of loops, which hold the end of a turn until the work is complete.';

/** The loop section of the config. It is never absent: loops are started by hand, not by config. */
export const loopSection = section({
  guard: 'loop',
  keys: { loop: v.pipe(loop, v.description(SENTENCE)) },
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
