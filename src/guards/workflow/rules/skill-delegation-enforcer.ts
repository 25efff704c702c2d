import type { Event } from '../../../core/event';
import { isoTime } from '../../../core/text';
import { delegationOwed } from '../advice-messages';
import { isSetupCommand, plainSkillName } from '../delegation';
import type { Rule } from '../finding';
import { obligation } from '../state-notes';

interface Loaded {
  readonly skill: string;
  readonly args: string;
  readonly callId?: string;
}

/** Some skills only say whom to hand the work to; that they have been loaded is kept until it is done. */
export const skillDelegationEnforcer: Rule = ({ event, state, model, now }) => {
  const loaded = state === undefined ? undefined : loadedSkill(event);
  const owed = loaded && model.obligations.find(({ skill }) => skill === loaded.skill);
  if (loaded === undefined || owed === undefined) return undefined;
  const verb =
    loaded.args
      .toLowerCase()
      .split(/\s+/)
      .find((word) => !word.startsWith('-')) ?? '';
  if (owed.exempt.includes(verb) || isSetupCommand(model, loaded.args)) return undefined;
  const entry = {
    skill: loaded.skill,
    required_agent: owed.agent,
    invoked_at: isoTime(now),
    args: loaded.args,
    ...(event.sessionId !== '' && { session_id: event.sessionId }),
    ...(loaded.callId !== undefined && { tool_use_id: loaded.callId }),
  };
  return {
    weight: 'warn',
    text: delegationOwed(loaded.skill, owed.agent, loaded.args),
    fact: `/${loaded.skill} has to delegate to ${owed.agent}`,
    records: [obligation(entry)],
  };
};

/** The skill that the agent has called, or that a person has typed. */
function loadedSkill(event: Event): Loaded | undefined {
  switch (event.kind) {
    case 'tool.after': {
      const { call, outcome } = event;
      if (call.skill === undefined || outcome === 'failure') return undefined;
      const args = String(call.input['args'] ?? '').trim();
      return {
        skill: plainSkillName(call.skill),
        args,
        ...(call.callId !== undefined && { callId: call.callId }),
      };
    }
    case 'prompt.submit': {
      const typed = /^\s*\/([\w:.-]+)(?:\s+([\s\S]*))?$/.exec(event.text);
      return typed?.[1] === undefined
        ? undefined
        : { skill: plainSkillName(typed[1]), args: (typed[2] ?? '').trim() };
    }
    case 'prompt.expand':
      return { skill: plainSkillName(event.name), args: event.args.trim() };
    default:
      return undefined;
  }
}
