import { globMatches } from '../../domain/glob';
import { NOTHING, type Verdict } from '../../domain/verdict';
import type { Requirement, RequirementsConfig } from './config';
import { briefingText, GLOBAL_ONLY, standardBriefing } from './messages';
import type { View } from './view';

/** What a session hears when it begins: never nothing while something is enforced. */
export function briefing(config: RequirementsConfig, view: View): Verdict {
  const { requirements, briefing: style } = config;
  if (config.reach === 'global-only') {
    return { kind: 'advise', toAgent: GLOBAL_ONLY, toPerson: GLOBAL_ONLY, grounds: [] };
  }
  if (!style.inject || requirements.length === 0) return NOTHING;
  const open = requirements.filter((requirement) => isOpen(requirement, view));
  const write = style.format === 'standard' ? standardBriefing : briefingText;
  return { kind: 'advise', toAgent: write(requirements, open, view, style.header), grounds: [] };
}

/** A condition is open only while it holds: a protected branch concerns nobody on another one. */
function isOpen(requirement: Requirement, view: View): boolean {
  if (view.isSatisfied(requirement)) return false;
  if (requirement.type === 'blocking') return true;
  return (
    requirement.condition === 'protected_branch' &&
    requirement.branches.some((pattern) => globMatches(pattern, view.branch))
  );
}
