import type { Event } from '../../core/event';
import { type Deliberation, outcome, type Step } from '../../core/old-guard';
import type { Snapshot } from '../../core/snapshot';
import { NOTHING } from '../../core/verdict';
import { afterTool } from './after-tool';
import { atError } from './at-error';
import { atPrompt } from './at-prompt';
import { atStart } from './at-start';
import { atStop } from './at-stop';
import type { LoopConfig } from './config';

/** The discipline's whole judgement of one event. */
export function decide(
  event: Event,
  config: LoopConfig,
  snapshot: Snapshot,
  deliberation: Deliberation,
): Step {
  switch (event.kind) {
    case 'turn.stop':
      return atStop(event, config, snapshot, deliberation);
    case 'tool.after':
      return afterTool(event, snapshot);
    case 'prompt.submit':
      return atPrompt(event, config, snapshot);
    case 'turn.error':
      return atError(event, snapshot);
    case 'session.start':
      return atStart(event, config, snapshot);
    default:
      return outcome(NOTHING);
  }
}
