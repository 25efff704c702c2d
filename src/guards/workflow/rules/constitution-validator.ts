import { completionClaim } from '../attempts';
import type { Rule } from '../finding';
import { requirementsOf } from '../look-up';
import { completionBlocked, recordConstitution, waiver } from '../messages';
import { constitutionEvidence } from '../phase-evidence';
import { isEnforced } from '../state';
import { escalation, openConstitution } from '../state-notes';

/** Nobody calls a phase complete before it has been validated against the constitution. */
export const constitutionValidator: Rule = (facts) => {
  const { state, phase, model, workflow, now } = facts;
  if (state === undefined || phase === undefined || !isEnforced(state)) return undefined;
  const asked = requirementsOf(model, workflow?.type, phase).constitution;
  if (asked === undefined || completionClaim(facts) === undefined) return undefined;
  const seen = constitutionEvidence(state, phase);
  const isCompliant =
    seen?.completed === true && seen.status === 'compliant' && (seen.iterationsUsed ?? 1) >= 1;
  if (isCompliant || (seen?.status === 'escalated' && seen.approved)) return undefined;
  const text = completionBlocked({
    phase,
    articles: asked.articles,
    status: seen?.status ?? 'pending',
    iteration: seen?.iterationsUsed ?? 0,
    maxIterations: seen?.maxIterations ?? asked.maxIterations,
  });
  return {
    weight: 'deny',
    text,
    fact: `${phase} is not validated against the constitution`,
    clear: recordConstitution(asked.articles),
    waive: waiver(phase),
    onRefusal: [
      openConstitution(phase, asked.articles, asked.maxIterations, now),
      escalation('constitution_blocked', 'constitution-validator', phase, text, now),
    ],
  };
};
