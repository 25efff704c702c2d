import type { Event, EventOf } from '../../core/event';
import { type Deliberation, outcome, type Step } from '../../core/old-guard';
import type { Snapshot } from '../../core/snapshot';
import { NOTHING } from '../../core/verdict';
import type { RequirementsConfig } from './config';
import { dangerOf } from './dangerous';
import { dangerText } from './messages';
import { atCompaction, atEnd, atStart } from './session-life';
import { satisfiedBySkill } from './skill';
import { atStop } from './stop';
import { asksForWork, thinkFirst } from './think-first';
import { afterTool } from './tool-after';
import { beforeTool } from './tool-before';
import { type View, viewOf } from './view';

/** The discipline's whole judgement of one event. */
export function decide(
  event: Event,
  config: RequirementsConfig,
  snapshot: Snapshot,
  deliberation: Deliberation,
): Step {
  const view = viewOf(event, snapshot);
  if (view === undefined || (!config.enabled && event.kind !== 'session.start')) return outcome(NOTHING);
  switch (event.kind) {
    case 'tool.before':
      return beforeTool(event, config, snapshot, view, deliberation);
    case 'tool.after':
      return afterTool(event, config, snapshot, view);
    case 'turn.stop':
      return atStop(event, config, snapshot, view, deliberation);
    case 'session.start':
      return atStart(event, config, snapshot, view);
    case 'session.end':
      return atEnd(event, config, snapshot, view);
    case 'compact.before':
      return atCompaction(view);
    case 'prompt.submit':
      return atPrompt(event, config, view);
    case 'prompt.expand':
      return outcome(NOTHING, satisfiedBySkill(event.name, 'typed', config, view));
    case 'permission.request':
      return atPermissionRequest(config, snapshot);
    default:
      return outcome(NOTHING);
  }
}

function atPrompt(event: EventOf<'prompt.submit'>, config: RequirementsConfig, view: View): Step {
  const skill = typedSkill(event);
  if (skill === '' && config.thinkFirst.onPrompt && asksForWork(event)) return thinkFirst(config, view);
  return outcome(NOTHING, satisfiedBySkill(skill, 'typed', config, view));
}

/**
 * A skill that a person types is no tool call: only the prompt tells of it. What a subagent is told comes as a
 * prompt too, and the agent would be the one who wrote it.
 */
export function typedSkill({ text, origin }: EventOf<'prompt.submit'>): string {
  return origin === 'human' ? (/^\s*\/([\w:.-]+)(?:\s|$)/.exec(text)?.[1] ?? '') : '';
}

function atPermissionRequest({ denyDangerous }: RequirementsConfig, { commandLines, home }: Snapshot): Step {
  const danger = denyDangerous ? dangerOf(commandLines ?? [], home) : undefined;
  if (danger === undefined) return outcome(NOTHING);
  const grounds = [{ rule: 'hooks.permission_request.auto_deny_dangerous', fact: danger }];
  return outcome({ kind: 'deny', reason: dangerText(danger), grounds });
}
