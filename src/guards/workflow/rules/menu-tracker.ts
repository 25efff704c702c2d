import type { Event } from '../../../core/event';
import { isJsonObject, type Json } from '../../../core/json';
import { isoTime } from '../../../core/text';
import { interaction, type Seen } from '../elicitation';
import { noting, type Rule } from '../finding';
import { requirementsOf } from '../look-up';
import { isEnforced } from '../state';

const CHOICES = [
  ['a', 'adjust'],
  ['r', 'refine'],
  ['c', 'continue'],
  ['s', 'save'],
  ['x', 'exit'],
] as const;

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

/** Counts what a person has been asked while requirements are gathered, and what they chose at last. */
export const menuTracker: Rule = ({ event, state, phase, model, workflow, now }) => {
  if (state === undefined || workflow === undefined || phase === undefined || !isEnforced(state))
    return undefined;
  if (requirementsOf(model, workflow.type, phase).elicitation === undefined) return undefined;
  const seen = seenIn(event);
  if (seen === undefined) return undefined;
  return noting('a person was asked', interaction(phase, seen, isoTime(now)));
};

/** A question of the tool for questions, a menu that an agent shows, or a person's plain answer to one. */
function seenIn(event: Event): Seen | undefined {
  if (event.kind === 'prompt.submit') {
    const selection = event.origin === 'human' ? choiceIn(event.text) : undefined;
    return selection === undefined ? undefined : { selection };
  }
  if (event.kind !== 'tool.after' || event.outcome === 'failure') return undefined;
  const { callId, names, op } = event.call;
  const key = callId === undefined ? {} : { callId };
  if (names.includes('AskUserQuestion')) return { ...key, ...answerIn(event.response.raw) };
  const shown = op === 'agent' ? menuIn(event.response.text ?? '') : undefined;
  return shown && { ...key, ...shown };
}

function answerIn(response: Json): Seen {
  const [selection] = textsIn(response).flatMap((text) => choiceIn(text) ?? []);
  return selection === undefined ? {} : { selection };
}

function menuIn(text: string): Seen | undefined {
  const selection = choiceIn(CHOSEN.exec(text)?.[1] ?? '');
  if (selection !== undefined) return { selection };
  return MENU_MARKS.filter((mark) => mark.test(text)).length >= 2 ? {} : undefined;
}

/** `[S]`, `s`, `Save` or `[S] Save`, and nothing that merely begins with such a letter. */
function choiceIn(text: string): string | undefined {
  const words = text
    .trim()
    .toLowerCase()
    .replace(/[[\]().]/g, ' ')
    .trim()
    .split(/\s+/);
  const [first = '', second] = words;
  return CHOICES.find(([letter, word]) => {
    if (words.length === 1) return first === letter || first === word;
    return first === letter && second === word;
  })?.[1];
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
