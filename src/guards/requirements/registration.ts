import type { Change } from '../../core/document';
import { isJsonObject, type Json } from '../../core/json';
import type { Snapshot } from '../../core/snapshot';
import { REFRESH_SECONDS, registerSession } from '../../state/sessions';
import { numberIn } from './metrics';
import type { View } from './view';

/**
 * Whether the session has to show itself in the registry. Its own counts tell, so that the registry,
 * which all projects share, is read once a minute and not at every call.
 */
export function isDue(metrics: Json | undefined, branch: string, nowSeconds: number): boolean {
  if (!isJsonObject(metrics) || metrics['branch'] !== branch) return true;
  return nowSeconds - numberIn(metrics, 'registered_at') >= REFRESH_SECONDS;
}

export function registration(sessionId: string, snapshot: Snapshot, view: View): Change[] {
  if (!isDue(view.metrics, view.branch, view.owner.now)) return [];
  return [
    registerSession({
      key: view.metricsOwner.session,
      sessionId,
      projectDir: snapshot.projectRoot,
      branch: view.branch,
      host: snapshot.hostProcess,
      pid: snapshot.pid,
      now: snapshot.now,
    }),
  ];
}
