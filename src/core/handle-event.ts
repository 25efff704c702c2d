import type { Answer } from './decision';
import type { Result } from './failure';
import { firstLook } from './first-look';
import type { Surroundings } from './surroundings';

/** The answer to an event that nobody watches. */
const UNWATCHED: Answer = { stdout: '', stderr: '', exitCode: 0, losses: [] };

/** The whole way of an event, from the host's bytes to the bytes for the host. Only a guard's effect makes it wait. */
export function handleEvent(input: Result<string>, surroundings: Surroundings): Answer | Promise<Answer> {
  const look = firstLook(input, surroundings);
  return look.kind === 'unwatched' ? UNWATCHED : surroundings.chunks.decideEvent(look, surroundings);
}
