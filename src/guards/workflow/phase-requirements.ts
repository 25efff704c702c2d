import { objectAt, textsAt } from '../../config/pointer';
import { type Agent, ownersOf, type PhaseRequirements, requirementsOf, type WorkflowModel } from './model';
import { activeWorkflow, type MaybeState } from './state';

/** Path in the state for what `flow start` did not find in the project. */
export const ABSENT_PATH = ['active_workflow', 'absent'];

export type Absent = ReturnType<typeof absentIn>;

/** What the project lacks, so that no gate of this workflow requires it. */
export function absentIn(state: MaybeState) {
  const found = objectAt(state, ABSENT_PATH);
  return {
    /** Agents of its phases, by name. */
    agents: textsAt(found, 'agents'),
    /** There is no constitution file. */
    constitution: found?.['constitution'] === true,
    /** Articles that the constitution lacks. */
    articles: textsAt(found, 'articles'),
    /** The session has no user to ask. */
    elicitation: found?.['elicitation'] === true,
  };
}

/** The agents that may do a phase's work; messages name the first. If empty, any agent may do it. */
export function agentsFor(model: WorkflowModel, state: MaybeState, phase: string): readonly Agent[] {
  if (model.without.includes('agents')) return [];
  const { agents } = absentIn(state);
  return ownersOf(model, phase).filter(({ name }) => !agents.includes(name));
}

/** What the gate of a phase requires in this project: its requirements, minus what the project lacks. */
export function requirementsFor(model: WorkflowModel, state: MaybeState, phase: string): PhaseRequirements {
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
