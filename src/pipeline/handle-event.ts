import type { Answer } from '../domain/decision';
import type { Result } from '../domain/failure';
import { firstLook } from './first-look';
import type { Surroundings } from './surroundings';

const SILENT: Answer = { stdout: '', stderr: '', exitCode: 0, losses: [] };

/** The whole way of an event, from the host's bytes to the bytes for the host. */
export async function handleEvent(input: Result<string>, surroundings: Surroundings): Promise<Answer> {
  const look = firstLook(input, surroundings);
  return look.kind === 'unwatched' ? SILENT : surroundings.chunks.decideEvent(look, surroundings);
}
