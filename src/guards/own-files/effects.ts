import type { EffectRunner } from '../../core/guard';

/** It runs nothing. */
export const runEffect: EffectRunner = async (name) => {
  throw new Error(`there is no effect ${name}`);
};
