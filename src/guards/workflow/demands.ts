import { objectAt, textsAt } from './json-path';
import { type Agent, ownersOf, type PhaseRequirements, requirementsOf, type WorkflowModel } from './model';
import { activeWorkflow, type MaybeState } from './state';

/** Where the state keeps what `flow start` did not find in the project. */
export const ABSENT = ['active_workflow', 'absent'];

export type Absent = ReturnType<typeof absentIn>;

/** What the project does not have, so that no gate of this workflow asks for it. */
export function absentIn(state: MaybeState) {
  const found = objectAt(state, ABSENT);
  return {
    /** Agents that work in its phases, by name. */
    agents: textsAt(found, 'agents'),
    /** No file has the constitution. */
    constitution: found?.['constitution'] === true,
    /** Articles that the constitution does not have. */
    articles: textsAt(found, 'articles'),
    /** The session has nobody to ask. */
    elicitation: found?.['elicitation'] === true,
  };
}

/** The agents that a phase's work may be handed to, the one to name first. Without any, any agent may do it. */
export function agentsFor(model: WorkflowModel, state: MaybeState, phase: string): readonly Agent[] {
  if (model.without.includes('agents')) return [];
  const { agents } = absentIn(state);
  return ownersOf(model, phase).filter(({ name }) => !agents.includes(name));
}

/** What the gate of a phase asks for in this project: the phase's requirements, less what the project does not have. */
export function demandsOf(model: WorkflowModel, state: MaybeState, phase: string): PhaseRequirements {
  const asked = requirementsOf(model, activeWorkflow(state)?.type, phase);
  const { constitution, elicitation } = asked;
  const absent = absentIn(state);
  const lacks = (what: 'constitution' | 'elicitation'): boolean =>
    absent[what] || model.without.includes(what);
  const articles = constitution?.articles.filter((article) => !absent.articles.includes(article)) ?? [];
  const isEmpty = articles.length === 0 && absent.articles.length > 0;
  return {
    ...asked,
    constitution:
      constitution && !isEmpty && !lacks('constitution') ? { ...constitution, articles } : undefined,
    elicitation: lacks('elicitation') ? undefined : elicitation,
    delegation: (asked.delegation && agentsFor(model, state, phase).length > 0) || undefined,
  };
}
