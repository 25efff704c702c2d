import { appendJournal, nextDecisionId } from '../../state/journal';
import { actorIn } from '../req/actor';
import { findSession } from '../req/find-session';
import type { Context } from '../verb';
import type { FlowPlace } from './place';

/** Whoever moves a workflow by hand leaves a line in the journal: which command, about what, an agent or a person. */
export function noteChange(
  place: FlowPlace,
  command: string,
  about: string,
  written: readonly string[],
  { env }: Context,
): void {
  if (written.length === 0) return;
  const now = Date.now();
  const actor = actorIn(env);
  // A person beside a session is not the session.
  const session = actor === 'agent' ? findSession(undefined, place, env) : undefined;
  appendJournal(place.layout, {
    id: nextDecisionId(now, process.pid),
    at: new Date(now).toISOString(),
    host: 'command line',
    session: session?.kind === 'found' ? session.key : '',
    event: `flow ${command}`,
    tool: about,
    actor,
    decision: 'nothing',
    verdicts: [],
    written: [...written],
  });
}
