import { isJsonObject } from '../../core/json';
import type { Report } from '../doctor/report';
import type { Context } from '../verb';
import { VERBS } from '../verbs';

/** Lets doctor look, and keeps what it says for programs. */
export async function askDoctor(context: Context): Promise<Report | undefined> {
  let said: unknown;
  const out: Context['out'] = {
    ...context.out,
    line: () => true,
    error: () => undefined,
    json: (value) => {
      said = value;
      return true;
    },
  };
  const doctor = await VERBS['doctor']?.load();
  await doctor?.verb.run(['--json'], { ...context, out });
  return isJsonObject(said) ? (said as unknown as Report) : undefined;
}
