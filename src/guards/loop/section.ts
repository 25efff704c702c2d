import { described, section } from '../../config/section';
import { LOOP_DEFAULTS, type LoopConfig } from './config';
import { loop } from './schema';

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
    const { max_minutes: maxMinutes, max_tokens: maxTokens } = given;
    return {
      maxIterations: given.max_iterations ?? LOOP_DEFAULTS.maxIterations,
      grindMax: given.grind_max ?? LOOP_DEFAULTS.grindMax,
      ...(maxMinutes !== undefined && { maxMinutes }),
      ...(maxTokens !== undefined && { maxTokens }),
      stall: given.stall !== 'off',
      nearMiss: given.near_miss ?? LOOP_DEFAULTS.nearMiss,
      includePrompt: given.include_prompt ?? LOOP_DEFAULTS.includePrompt,
      ttlSeconds: given.ttl_seconds ?? LOOP_DEFAULTS.ttlSeconds,
      output: given.output ?? LOOP_DEFAULTS.output,
    } satisfies LoopConfig;
  },
});
