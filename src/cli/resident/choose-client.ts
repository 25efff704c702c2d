import { detailOf, fail, type Result, succeed } from '../../core/failure';
import { isProgram, programOn } from '../../exec/programs';
import { preparePlace, runtimePlace } from '../../server/place';
import type { LaunchState } from '../install/launch-state';
import type { Context } from '../verb';
import type { Client, ResidentStart } from './client';
import { CLIENT_FORMS, type ClientForm, clientOf, NATIVE, nativeAt } from './client-table';
import * as say from './messages';
import { COMPILERS, compilerOn } from './native/compile';
import { tryNative } from './native/try-native';
import { givesUp, TRIAL_CONFIG, trialTime, warmUp } from './trial';
import { buildTrialStage, type TrialStage } from './trial-stage';

/**
 * The fastest way to a server that this machine has, of those that were tried in a real one and carried events
 * unharmed: a client of our own where it can be compiled, else what is there. The failure is a sentence for people.
 */
export async function chooseClient(
  env: Context['env'],
  home: string,
): Promise<Result<ResidentStart, string>> {
  const uid = process.getuid?.() ?? 0;
  const place = runtimePlace(env, uid);
  const prepared = preparePlace(place, uid);
  if (!prepared.ok) return prepared;
  const compiler = compilerOn(env);
  const found = CLIENT_FORMS.flatMap((form) => clientBy(form, env) ?? []);
  const programs = [...COMPILERS, ...CLIENT_FORMS.map(({ program }) => program)];
  if (compiler === undefined && found.length === 0) return fail(say.noClient(listed(programs)));
  try {
    const stage = await buildTrialStage(TRIAL_CONFIG);
    try {
      const best = await bestOf(stage, compiler, found, env, home);
      const tried = [...(compiler === undefined ? [] : [compiler]), ...found.map(({ program }) => program)];
      return best === undefined
        ? fail(say.noneWorks(listed(tried)))
        : succeed(startBy(best, place.socket, env));
    } finally {
      await stage.remove();
    }
  } catch (error) {
    return fail(say.noTrial(detailOf(error)));
  }
}

/** The way that a launch file has now, as this version writes it; nothing where it has none or the program is gone. */
export function residentAgain({ resident }: LaunchState, env: Context['env']): ResidentStart | undefined {
  if (resident === undefined) return undefined;
  const form = CLIENT_FORMS.find(({ name }) => name === resident.form);
  const isNative = resident.form === NATIVE && isProgram(resident.client);
  const client = isNative ? nativeAt(resident.client) : form && clientBy(form, env);
  return client && startBy(client, resident.socket, env);
}

function clientBy(form: ClientForm, env: Context['env']): Client | undefined {
  const path = env['PATH'] ?? '';
  const [program, cat] = [programOn(path, form.program), programOn(path, 'cat')];
  return program === undefined || cat === undefined ? undefined : clientOf(form, program, cat);
}

function startBy(client: Client, socket: string, env: Context['env']): ResidentStart {
  const setsid = programOn(env['PATH'] ?? '', 'setsid');
  return { socket, client, ...(setsid !== undefined && { setsid }) };
}

async function bestOf(
  stage: TrialStage,
  compiler: string | undefined,
  found: readonly Client[],
  env: Context['env'],
  home: string,
): Promise<Client | undefined> {
  if (!warmUp(stage)) return undefined;
  const native = compiler === undefined ? undefined : await tryNative(stage, compiler, env, home);
  return native ?? fastestOf(stage, found);
}

async function fastestOf(stage: TrialStage, clients: readonly Client[]): Promise<Client | undefined> {
  const timed: { readonly client: Client; readonly ms: number }[] = [];
  for (const client of clients) {
    const ms = await trialTime(stage, client);
    if (ms !== undefined) timed.push({ client, ms });
  }
  const fastestFirst = timed.sort((a, b) => a.ms - b.ms);
  return fastestFirst.find(({ client }) => givesUp(stage, client))?.client;
}

function listed(programs: readonly string[]): string {
  return [...new Set(programs)].join(', ');
}
