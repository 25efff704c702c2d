import { HOST_VARIABLES } from '../../core/host-name';
import { appendJournal, nextDecisionId } from '../../state/journal';
import type { Layout } from '../../state/layout';
import type { Context } from '../context';
import { type OpenProject, requirementsIn } from '../project';
import { Refusal } from '../ui/refusal';

/** Who runs a command, as far as the hosts mark the shells of their agents. */
export type Actor = 'agent' | 'person';

/** Tells an agent's shell from a person's by its environment. */
export function actorIn(env: Context['env']): Actor {
  const variables = Object.values(HOST_VARIABLES).flatMap(({ agent }) => agent);
  return variables.some((name) => !['', '0'].includes(env[name] ?? '')) ? 'agent' : 'person';
}

/**
 * The requirements that keep an agent from changing the config or pausing: an agent that may not satisfy them must
 * not be able to switch them off either. Empty when a person runs the command.
 */
export function reservedForPeople(project: OpenProject, { env, chunks }: Context): string[] {
  if (actorIn(env) === 'person') return [];
  return requirementsIn(project, { chunks })
    .filter(({ agentMaySatisfy }) => !agentMaySatisfy)
    .map(({ name }) => name);
}

/** Refuses to go on where requirements are reserved for people. */
export function refuseReserved(reserved: readonly string[]): void {
  if (reserved.length > 0)
    throw new Refusal(
      `${reserved.join(', ')}: the config says agent_may_satisfy: false, so a person has to run this in a terminal of their own.`,
    );
}

/** What a command changed, for whom. */
interface Override {
  readonly command: string;
  readonly about: string;
  readonly session?: string;
  readonly written: readonly string[];
}

/** Records in the journal that somebody changed by hand what holds an agent. */
export function noteOverride(layout: Layout, { command, about, session = '', written }: Override): void {
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
