import type { JsonObject } from '../../../core/json';
import { isoTime } from '../../../core/text';
import { objectAt, withMembersAt } from '../json-path';
import { constitutionPath, testsPath } from '../phase-evidence';
import { withoutEscalations } from './go';

/**
 * The state with a gate opened by a person, as the phase stands: what it lacks is named as waived. Tests and
 * constitution get the marks by which older readers know that somebody has looked at them.
 */
export function approved(
  state: JsonObject,
  phase: string,
  waived: readonly string[],
  now: number,
): JsonObject {
  const at = isoTime(now);
  const mark = { approved_at: at, approved_by: 'person', waived };
  const opened = withMembersAt(state, ['phases', phase, 'gate_approval'], mark);
  const escalation = { status: 'escalated', escalation_approved: true, approved_at: at };
  const wasTested = waived.includes('test_iteration') && objectAt(opened, testsPath(phase)) !== undefined;
  const tested = wasTested
    ? withMembersAt(opened, testsPath(phase), { completed: true, ...escalation })
    : opened;
  const checked = waived.includes('constitutional_validation')
    ? withMembersAt(tested, constitutionPath(phase), { completed: false, ...escalation })
    : tested;
  return withoutEscalations(checked, phase);
}
