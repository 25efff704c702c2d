import { appendJournal, nextDecisionId } from '../../state/journal';
import type { Layout } from '../../state/layout';
import { actorIn } from './actor';

/** What a command changed, for whom. */
interface Override {
  readonly command: string;
  readonly about: string;
  readonly session: string;
  readonly written: readonly string[];
}

/** Whoever changes by hand what holds an agent leaves a line in the journal. */
export function noteOverride(layout: Layout, { command, about, session, written }: Override): void {
  const now = Date.now();
  appendJournal(layout, {
    id: nextDecisionId(now, process.pid),
    at: new Date(now).toISOString(),
    host: 'command line',
    session,
    event: `req ${command}`,
    tool: about,
    actor: actorIn(process.env),
    decision: 'nothing',
    verdicts: [],
    written: [...written],
  });
}
