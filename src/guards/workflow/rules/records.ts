import type { Event } from '../../../core/event';
import { isJsonObject, type Json } from '../../../core/json';
import { isoTime } from '../../../core/text';
import { agentNamed, notedName, usageOf } from '../delegation';
import { noting, type Rule } from '../facts';
import { requirementsOf } from '../model';
import { currentPhase, isEnforced, skillEnforcement } from '../state';
import { type Interaction, interaction, usage } from '../state-notes';

/** Records who was delegated to, and in which phase. A failed delegation handed nothing over. */
export const logSkillUsage: Rule = ({ event, call, state, model, ctx }) => {
  if (event.kind !== 'tool.after' || call?.op !== 'agent' || event.outcome === 'failure') return undefined;
  const { enabled, mode } = skillEnforcement(state);
  const given = call.agentType;
  if (given === undefined || state === undefined || !enabled) return undefined;
  const current = currentPhase(state) ?? '01-requirements';
  const { phase, reason } = usageOf(model, agentNamed(model, given), current);
  const { description } = call.input;
  const name = notedName(model, given);
  const unexpected = mode === 'warn' ? 'warned' : mode === 'audit' ? 'audited' : 'observed';
  const entry = {
    timestamp: isoTime(ctx.now),
    agent: name,
    agent_phase: phase,
    current_phase: current,
    description: typeof description === 'string' && description !== '' ? description : 'N/A',
    status: reason === 'cross-phase-usage' ? unexpected : 'executed',
    reason,
    enforcement_mode: mode,
    external_skills_registered: 0,
    ...(call.callId !== undefined && { tool_use_id: call.callId }),
  };
  return noting(`${name} was delegated to`, usage(entry));
};

/** What a person may choose in a menu, by letter. */
const CHOICES = new Map(Object.entries({ a: 'adjust', r: 'refine', c: 'continue', s: 'save', x: 'exit' }));

const MENU_MARKS = [
  /\[A\] Adjust/,
  /\[R\] Refine/,
  /\[C\] Continue/,
  /\[S\] Save/,
  /\[X\] Exit/,
  /Your choice:/i,
  /Enter selection/i,
];
const CHOSEN = /^[ \t]*(?:user\s+)?(?:selected|selection|chose|choice)\s*:\s*(.+)$/im;

/** Counts what a person has been asked while requirements are gathered, and keeps what they chose at last. */
export const menuTracker: Rule = ({ event, state, phase, model, workflow, ctx }) => {
  if (workflow === undefined || phase === undefined || !isEnforced(state)) return undefined;
  if (requirementsOf(model, workflow.type, phase).elicitation === undefined) return undefined;
  const seen = interactionIn(event);
  return seen && noting('a person was asked', interaction(phase, seen, isoTime(ctx.now)));
};

/** A question of the tool for questions, a menu that an agent shows, or a person's plain answer to one. */
function interactionIn(event: Event): Interaction | undefined {
  if (event.kind === 'prompt.submit') {
    const selection = event.origin === 'human' ? choiceIn(event.text) : undefined;
    return selection === undefined ? undefined : { selection };
  }
  if (event.kind !== 'tool.after' || event.outcome === 'failure') return undefined;
  const { call, response } = event;
  const seen = call.names.includes('AskUserQuestion')
    ? { selection: textsIn(response.raw).flatMap((text) => choiceIn(text) ?? [])[0] }
    : call.op === 'agent' && menuIn(response.text ?? '');
  return seen ? { ...seen, callId: call.callId } : undefined;
}

/** What an agent says of a person's choice, or the menu that it shows. */
function menuIn(text: string): Interaction | undefined {
  const selection = choiceIn(CHOSEN.exec(text)?.[1] ?? '');
  const isMenu = MENU_MARKS.filter((mark) => mark.test(text)).length >= 2;
  return selection !== undefined || isMenu ? { selection } : undefined;
}

/** `[S]`, `s`, `Save` or `[S] Save`, and nothing that merely begins with such a letter. */
function choiceIn(text: string): string | undefined {
  const words = text
    .toLowerCase()
    .replace(/[[\]().]/g, ' ')
    .trim()
    .split(/\s+/);
  const [first = '', second] = words;
  const chosen = CHOICES.get(first);
  if (words.length === 1) return chosen ?? [...CHOICES.values()].find((word) => word === first);
  return second === chosen ? chosen : undefined;
}

/** Every text in an answer; where answers have a place of their own, only those in it. */
function textsIn(value: Json): string[] {
  if (typeof value === 'string') return [value];
  if (Array.isArray(value)) return value.flatMap(textsIn);
  if (!isJsonObject(value)) return [];
  const { answers } = value;
  return answers === undefined
    ? Object.values(value).flatMap((one) => textsIn(one ?? null))
    : textsIn(answers);
}
