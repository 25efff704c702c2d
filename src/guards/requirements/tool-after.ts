import type { Change } from '../../core/document';
import type { EventOf } from '../../core/event';
import { outcome, type Step } from '../../core/old-guard';
import type { Snapshot } from '../../core/snapshot';
import { NOTHING, type Verdict } from '../../core/verdict';
import { isOpen } from './briefing';
import { planText } from './briefing-messages';
import { stateChange } from './change';
import type { RequirementsConfig } from './config';
import { passBranches } from './pass-branches';
import { satisfiedBySkill } from './skill';
import { consume } from './state';
import { thinkFirst } from './think-first';
import { isExempt, triggeredBy } from './triggers';
import { type View, viewOn } from './view';

/** What a finished call satisfies, and what it uses up. */
export function afterTool(
  event: EventOf<'tool.after'>,
  config: RequirementsConfig,
  snapshot: Snapshot,
  view: View,
): Step {
  const { call } = event;
  if (event.outcome === 'failure') return outcome(NOTHING);
  if (call.skill !== undefined) return outcome(NOTHING, satisfiedBySkill(call.skill, 'called', config, view));
  if (call.names.includes('EnterPlanMode') && config.thinkFirst.onPlan) return thinkFirst(config, view);
  const verdict = call.names.includes('ExitPlanMode') ? afterPlan(config, view) : NOTHING;
  return outcome(verdict, consuming(event, config, snapshot, view));
}

/** A pass for one action is used up by the action itself, but not by an attempt that failed. */
function consuming(
  event: EventOf<'tool.after'>,
  config: RequirementsConfig,
  snapshot: Snapshot,
  view: View,
): Change[] {
  const { call } = event;
  if (isExempt(call, snapshot.projectRoot, snapshot.home)) return [];
  const used = triggeredBy(call, config.requirements, snapshot).filter(({ scope }) => scope === 'single_use');
  if (used.length === 0) return [];
  const what = `consumed ${used.map(({ name }) => name).join(', ')}`;
  return passBranches(event, view.metrics, snapshot)
    .flatMap((branch) => viewOn(branch, event, snapshot) ?? [])
    .map((one) =>
      stateChange(one, what, (current) =>
        used.reduce((state, { name }) => consume(state, one.owner, name, one.session), current),
      ),
    );
}

/** Leaving plan mode is the moment to hear what stands before the work. */
function afterPlan({ requirements }: RequirementsConfig, view: View): Verdict {
  const open = requirements.filter((requirement) => isOpen(requirement, view));
  if (open.length === 0 || view.paused) return NOTHING;
  return { kind: 'advise', toAgent: planText(open, view), grounds: [] };
}
