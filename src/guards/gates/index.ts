import type { Event } from '../../core/event';
import { fromSnapshots } from '../../core/old-guard';
import type { Needs } from '../../core/snapshot';
import type { GatesConfig } from './config';
import { decide } from './decide';
import { interest } from './interest';
import { lockFile, stateFile } from './log-places';
import { ENVIRONMENT } from './stop-hook-environment';

/** Far more than a state has. */
const LARGEST_STATE = 1024 * 1024;

/** Hold the end of a turn until the checks and reviews of what changed have passed. */
export const guard = fromSnapshots<GatesConfig>({ name: 'gates', interest, needs, decide });

function needs(event: Event, config: GatesConfig): Needs {
  if (event.kind === 'session.start') return { env: ENVIRONMENT };
  if (event.kind !== 'turn.stop') return {};
  const state = { path: stateFile(config), maxTextBytes: LARGEST_STATE };
  return { env: ENVIRONMENT, files: [state, { path: lockFile(config) }] };
}
