import { isJsonObject, type Json, type JsonObject } from '../../core/json';
import { listIn, numberIn, objectIn } from '../loose-fields';
import { hasOwnLine } from '../own-lines';
import type { Finding } from '../setup';
import { hooksOff, ownHookOff, tooShort } from './messages';

/** Below this somebody has written seconds. */
const LEAST_MS = 1000;

/** What in the settings keeps our hooks from working. A hook that runs out of time lets everything pass. */
export function examine(settings: Json | undefined): readonly Finding[] {
  if (!isJsonObject(settings)) return [];
  const config = objectIn(settings, 'hooksConfig');
  const named = listIn(config, 'disabled').includes('holdpoint');
  return [
    ...(config['enabled'] === false ? [hooksOff()] : []),
    ...(named ? [ownHookOff()] : []),
    ...ownHooks(settings).flatMap(([event, hook]) => {
      const timeout = numberIn(hook, 'timeout');
      return timeout !== undefined && timeout < LEAST_MS ? [tooShort(event, timeout)] : [];
    }),
  ];
}

function ownHooks(settings: JsonObject): (readonly [string, JsonObject])[] {
  const events = objectIn(settings, 'hooks');
  return Object.keys(events).flatMap((event) =>
    listIn(events, event)
      .filter(isJsonObject)
      .flatMap((group) => listIn(group, 'hooks').filter(isJsonObject))
      .filter((hook) => hasOwnLine(hook))
      .map((hook) => [event, hook] as const),
  );
}
