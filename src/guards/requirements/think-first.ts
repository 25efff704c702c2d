import type { EventOf } from '../../core/event';
import { isJsonObject } from '../../core/json';
import { outcome, type Step } from '../../core/old-guard';
import { NOTHING } from '../../core/verdict';
import { designText } from './briefing-messages';
import { metricsChange } from './change';
import type { RequirementsConfig } from './config';
import { DESIGN_GATE } from './design-gate';
import type { View } from './view';

const FEWEST_WORDS = 4;

/** A prompt that asks for work, as opposed to an answer of a word or two, a command, or a machine's. */
export function asksForWork({ text, origin }: EventOf<'prompt.submit'>): boolean {
  if (origin === 'machine' || origin === 'continuation' || /^\s*[/!#]/.test(text)) return false;
  return text.trim().split(/\s+/, FEWEST_WORDS).length === FEWEST_WORDS;
}

/** Once a session, before work on a design that nobody has agreed to: think first. */
export function thinkFirst({ requirements }: RequirementsConfig, view: View): Step {
  const gate = requirements.find(({ name }) => name === DESIGN_GATE);
  const told = isJsonObject(view.metrics) && view.metrics['design_reminder_at'] !== undefined;
  if (gate === undefined || told || view.paused || view.isSatisfied(gate)) return outcome(NOTHING);
  return outcome({ kind: 'advise', toAgent: designText(gate, view), grounds: [] }, [
    metricsChange(view, (metrics) => ({ ...metrics, design_reminder_at: view.owner.now })),
  ]);
}
