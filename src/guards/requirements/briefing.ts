import { matchesName } from '../../core/glob';
import { NOTHING, type Verdict } from '../../core/verdict';
import * as say from './briefing-messages';
import type { Carried } from './carry-over';
import type { Requirement, RequirementsConfig } from './config';
import { overridesIn } from './overrides';
import type { View } from './view';

/** What a session hears when it begins: that something is enforced, or why nothing is. */
export function briefing(config: RequirementsConfig, view: View, carried: readonly Carried[]): Verdict {
  const silence = whyNothing(config);
  if (silence !== undefined) return { kind: 'advise', toAgent: silence, toPerson: silence, grounds: [] };
  const { requirements, briefing: style } = config;
  if (requirements.length === 0) return NOTHING;
  if (view.paused) return { kind: 'advise', toAgent: say.PAUSED, toPerson: say.PAUSED, grounds: [] };
  if (!style.inject) return NOTHING;
  const taken = carried.map(({ name }) => name);
  const open = requirements.filter((one) => isOpen(one, view) && !taken.includes(one.name));
  const write = style.format === 'standard' ? say.standardBriefing : say.briefingText;
  const overrides = say.overrideText(overridesIn(view.state));
  const text = write(requirements, open, view, style.header, carried);
  if (overrides === '') return { kind: 'advise', toAgent: text, grounds: [] };
  return { kind: 'advise', toAgent: `${text}\n${overrides}`, toPerson: overrides, grounds: [] };
}

function whyNothing({ enabled, reach, requirements }: RequirementsConfig): string | undefined {
  if (!enabled) return say.SWITCHED_OFF;
  if (reach === 'global-only') return requirements.length > 0 ? say.GLOBAL_ONLY : undefined;
  return requirements.length === 0 ? say.NONE_ENABLED : undefined;
}

/** A condition is open only while it holds, a value only once it is known to be too large. */
export function isOpen(requirement: Requirement, view: View): boolean {
  if (view.isSatisfied(requirement)) return false;
  switch (requirement.type) {
    case 'blocking':
      return true;
    case 'dynamic':
      return false;
    case 'condition':
      return (
        requirement.condition === 'protected_branch' &&
        requirement.branches.some((pattern) => matchesName(pattern, view.branch))
      );
  }
}
