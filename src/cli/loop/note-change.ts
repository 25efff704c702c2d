import { appendJournal, nextDecisionId } from '../../state/journal';
import type { LoopPlace } from './place';

/** Whoever starts or ends by hand what holds an agent leaves a line in the journal; the task is not in it. */
export function noteChange(
  { layout }: LoopPlace,
  command: string,
  session: string,
  written: readonly string[],
): void {
  const now = Date.now();
  appendJournal(layout, {
    id: nextDecisionId(now, process.pid),
    at: new Date(now).toISOString(),
    host: 'command line',
    session,
    event: `loop ${command}`,
    decision: 'nothing',
    verdicts: [],
    written: [...written],
  });
}
