import type { JsonObject } from '../../../core/json';
import { isoTime } from '../../../core/text';
import { listAt, numberAt, objectAt, textsAt, withValueAt } from '../json-path';
import type { PhaseRequirements } from '../model';
import { constitutionPath, elicitationPath } from '../phase-evidence';

type ConstitutionRequirement = NonNullable<PhaseRequirements['constitution']>;

const HISTORY_KEPT = 50;

/**
 * The state with articles that were checked. All of them make the phase compliant; who has not checked all
 * after so many rounds as are allowed leaves it to a person.
 */
export function constitutionChecked(
  state: JsonObject,
  phase: string,
  asked: ConstitutionRequirement,
  articles: readonly string[],
  now: number,
): JsonObject {
  const path = constitutionPath(phase);
  const at = isoTime(now);
  const before = objectAt(state, path) ?? { required: true, started_at: at, violations_found: [] };
  const round = (numberAt(before, 'iterations_used') ?? 0) + 1;
  const checked = [...new Set([...textsAt(before, 'articles_checked'), ...articles])];
  const isCompliant = asked.articles.every((article) => checked.includes(article));
  const isOver = !isCompliant && round >= asked.maxIterations;
  const entry = { iteration: round, timestamp: at, articles };
  return withValueAt(state, path, {
    ...before,
    completed: isCompliant,
    status: isCompliant ? 'compliant' : isOver ? 'escalated' : 'iterating',
    iterations_used: round,
    max_iterations: asked.maxIterations,
    articles_required: asked.articles,
    articles_checked: checked,
    history: [...listAt(before, ['history']), entry].slice(-HISTORY_KEPT),
    ...(isCompliant && { completed_at: at }),
  });
}

/** The state with the last choice of a person who was asked. */
export function elicitationEnded(
  state: JsonObject,
  phase: string,
  selection: string,
  now: number,
): JsonObject {
  const path = elicitationPath(phase);
  const at = isoTime(now);
  const before = objectAt(state, path) ?? { required: true, menu_interactions: 0, started_at: at };
  const selections = [...listAt(before, ['selections']), { selection, timestamp: at }];
  return withValueAt(state, path, {
    ...before,
    completed: true,
    selections: selections.slice(-HISTORY_KEPT),
    last_selection: selection,
    last_selection_at: at,
    final_selection: selection,
    completed_at: at,
  });
}
