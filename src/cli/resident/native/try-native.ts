import { join } from 'node:path';
import { CLIENT_FILE } from '../../install/start-line';
import type { Context } from '../../verb';
import type { NativeClient } from '../client';
import { nativeAt } from '../client-table';
import { givesUp, trialTime } from '../trial';
import type { TrialStage } from '../trial-stage';
import { BUILDS, compileClient } from './compile';

/** The fastest build of our own client that carries events unharmed here, still to be written to its place in the home. */
export async function tryNative(
  stage: TrialStage,
  compiler: string,
  env: Context['env'],
  home: string,
): Promise<NativeClient | undefined> {
  for (const build of BUILDS) {
    const compiled = compileClient(compiler, build, stage.scratch, env);
    if (compiled === undefined) continue;
    const client = nativeAt(compiled.file);
    const works = (await trialTime(stage, client)) !== undefined && givesUp(stage, client);
    if (works) return { ...nativeAt(join(home, CLIENT_FILE)), image: compiled.image };
  }
  return undefined;
}
