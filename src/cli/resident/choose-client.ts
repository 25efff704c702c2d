import { detailOf, fail, type Result, succeed } from '../../domain/failure';
import { programOn } from '../../process/programs';
import { preparePlace, runtimePlace } from '../../resident/place';
import type { LaunchState } from '../install/launch-state';
import type { Context } from '../verb';
import type { ResidentStart } from './client';
import { CLIENT_FORMS, type ClientForm, clientOf } from './client-table';
import * as say from './messages';
import { givesUp, TRIAL_CONFIG, trialTime, warmUp } from './trial';
import { buildTrialStage, type TrialStage } from './trial-stage';

/**
 * The fastest way to a server that this machine has, of those that were tried in a real one and carried events
 * unharmed. The failure is a sentence for people.
 */
export async function chooseClient(env: Context['env']): Promise<Result<ResidentStart, string>> {
  const uid = process.getuid?.() ?? 0;
  const place = runtimePlace(env, uid);
  const prepared = preparePlace(place, uid);
  if (!prepared.ok) return prepared;
  const candidates = CLIENT_FORMS.flatMap((form) => startBy(form, place.socket, env) ?? []);
  if (candidates.length === 0) return fail(say.noClient(namesOf(CLIENT_FORMS)));
  try {
    const stage = await buildTrialStage(TRIAL_CONFIG);
    try {
      const best = await bestOf(stage, candidates);
      return best === undefined
        ? fail(say.noneWorks(namesOf(candidates.map(({ form }) => form))))
        : succeed(best);
    } finally {
      await stage.remove();
    }
  } catch (error) {
    return fail(say.noTrial(detailOf(error)));
  }
}

/** The way that a launch file has now, as this version writes it; nothing where it has none or the program is gone. */
export function residentAgain({ resident }: LaunchState, env: Context['env']): ResidentStart | undefined {
  const form = CLIENT_FORMS.find(({ name }) => name === resident?.form);
  return form === undefined || resident === undefined
    ? undefined
    : startBy(form, resident.socket, env)?.start;
}

interface Candidate {
  readonly form: ClientForm;
  readonly start: ResidentStart;
}

function startBy(form: ClientForm, socket: string, env: Context['env']): Candidate | undefined {
  const [program, cat, setsid] = [form.program, 'cat', 'setsid'].map((name) =>
    programOn(env['PATH'] ?? '', name),
  );
  if (program === undefined || cat === undefined) return undefined;
  const client = clientOf(form, program);
  return { form, start: { socket, client, cat, ...(setsid !== undefined && { setsid }) } };
}

async function bestOf(
  stage: TrialStage,
  candidates: readonly Candidate[],
): Promise<ResidentStart | undefined> {
  if (!warmUp(stage)) return undefined;
  const timed: (Candidate & { readonly ms: number })[] = [];
  for (const candidate of candidates) {
    const ms = await trialTime(stage, { ...candidate.start, socket: stage.socket });
    if (ms !== undefined) timed.push({ ...candidate, ms });
  }
  const fastestFirst = timed.sort((a, b) => a.ms - b.ms);
  return fastestFirst.find(({ form, start }) => givesUp(stage, form, start))?.start;
}

function namesOf(forms: readonly ClientForm[]): string {
  return [...new Set(forms.map(({ program }) => program))].join(', ');
}
