import { ownsPhase } from './look-up';
import type { Agent, WorkflowModel } from './model';

/** `06-…` and `d3-…`, which number an agent and are no part of its name. */
const NUMBER = /^(?:\d{2}|[a-z]{1,2}\d)-(?=.)/;

/**
 * An agent's name in the one spelling that the model has: without the plugin that brings it,
 * in lower case, with dashes between its words.
 */
export function plainAgentName(given: string): string {
  const bare = given.slice(given.lastIndexOf(':') + 1);
  return bare
    .trim()
    .toLowerCase()
    .replace(/[\s_]+/g, '-');
}

/** The agent that a name, an alias or a numbered name means; none where nobody in the model is called so. */
export function agentNamed(model: WorkflowModel, given: string): Agent | undefined {
  const names = namesOf(model.agents);
  const plain = plainAgentName(given);
  return names.get(plain) ?? names.get(plain.replace(NUMBER, ''));
}

/** The name under which an agent is noted: the model's, else the given one in plain spelling. */
export function notedName(model: WorkflowModel, given: string): string {
  return agentNamed(model, given)?.name ?? plainAgentName(given);
}

/**
 * The phase that an agent's work is noted under: the current one where it owns it, else its first;
 * `all` and `setup` for those that stand beside the phases, nothing for an unknown one.
 */
export function notedPhase(model: WorkflowModel, agent: Agent | undefined, current: string): string {
  if (agent === undefined) return '';
  if (ownsPhase(model, agent, current)) return current;
  switch (agent.kind) {
    case 'orchestrator':
      return 'all';
    case 'setup':
      return 'setup';
    case 'phase':
    case 'sub':
      return agent.phases[0] ?? '';
  }
}

/** A name goes before an alias, and the first of two equal ones counts. */
function namesOf(agents: readonly Agent[]): ReadonlyMap<string, Agent> {
  const names = new Map<string, Agent>();
  const put = (name: string, agent: Agent): void => void (names.has(name) || names.set(name, agent));
  for (const agent of agents) put(agent.name, agent);
  for (const agent of agents) for (const alias of agent.aliases) put(alias, agent);
  return names;
}
