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
      max_iterations: 'Iterations of a loop started without `--max`. Default: 10.',
      grind_max: 'Iterations of a loop started with `--mode grind` and without `--max`. Default: 100.',
      max_minutes: 'Ends a loop of `loop start` after this many minutes. Default: no limit.',
      max_tokens: 'Ends a loop of `loop start` after this many tokens. Default: no limit.',
      stall: '`on` warns and then ends a loop of `loop start` that makes no progress. Default: on.',
      near_miss: 'Tell the agent about a completion signal that did not count. Default: true.',
      include_prompt: 'Repeat the task at every iteration, as `--include-prompt` does. Default: false.',
      ttl_seconds: 'Ends a loop after this many seconds without activity. Default: 7200.',
      output:
        'How a held turn is reported to the host: exit code 2, or `exit0-json` for JSON with exit code 0. Default: exit2.',
    },
  ),
);

/** The loop's part of the config. It is never absent: loops are started by hand, not by config. */
export const loopSection = section({
  guard: 'loop',
  keys: described(
    { loop },
    { loop: 'Defaults of loops. A loop holds the end of a turn until the task is complete.' },
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
