import { isJsonObject, type Json } from '../../core/json';
import { noteSatisfied } from '../../guards/requirements/metrics';
import { metricsFile } from '../../guards/requirements/view';
import type { Layout } from '../../state/layout';
import { updateDocuments } from '../../state/update';
import type { Satisfied } from './messages';

const WAIT_MS = 2000;

/** Adds what a command has satisfied to the counts of a session that has any. Nothing rests on them. */
export function countSatisfied(layout: Layout, session: string, done: readonly Satisfied[]): void {
  const now = Math.floor(Date.now() / 1000);
  const change = {
    document: metricsFile(session),
    what: 'session counts',
    apply: (metrics: Json | undefined) =>
      isJsonObject(metrics)
        ? done.reduce(
            (counted, { name, approvedFor }) =>
              noteSatisfied(counted, [name], approvedFor === undefined ? 'cli' : 'approval', now),
            metrics,
          )
        : metrics,
  };
  updateDocuments(layout, [change], WAIT_MS);
}
