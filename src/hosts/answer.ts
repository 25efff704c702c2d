import type { Event } from '../core/event';
import type { JsonObject } from '../core/json';
import type { Answer, Decision } from '../core/verdict';
import type { Capabilities, HasPower } from './host';

/** Above 10,000 characters Claude Code gives the agent a file name instead of the text. */
const LONGEST = 9_900;

export type DeliverableParts = ReturnType<typeof deliverableParts>;

/** Returns a test for what an answer to this event can do. */
export function powersAt(capabilities: Capabilities, { kind }: Event): HasPower {
  return (power) => capabilities[kind]?.includes(power) ?? false;
}

const ALLOW_IF_WANTED = 'Allow it only if this is what you want.';
const NOTE_TO_PERSON = 'the note to the person';

/** Whether an answer to this event can tell the person something. */
export function mayTellPerson(capabilities: Capabilities, event: Event): boolean {
  const can = powersAt(capabilities, event);
  return can('advise-person') || (can('advise-agent') && neverTells(capabilities));
}

/** Whether an answer carries the notes to the person. */
export function tellsPerson({ losses }: Answer): boolean {
  return !losses.some((loss) => loss.endsWith(`${NOTE_TO_PERSON}.`));
}

/** Whether no answer to this host shows the person anything. Then the agent is asked to pass it on. */
function neverTells(capabilities: Capabilities): boolean {
  return !Object.values(capabilities).some((powers) => powers.includes('advise-person'));
}

/** Splits a decision into the texts that an answer to this event can carry, and the losses. */
export function deliverableParts(capabilities: Capabilities, event: Event, whole: Decision) {
  const can = powersAt(capabilities, event);
  const canAdvise = can('advise-agent') && !isErased(event, whole, can);
  const isDenied = deniesCall(event, whole, can);
  const reachesAgent = canAdvise || isDenied;
  const decision = reachesAgent && neverTells(capabilities) ? passedOn(whole) : whole;
  const lost = lossesOf(decision, can, isDenied, reachesAgent);
  return {
    can,
    /** Why a tool call is denied, with the advice to the agent: not every host delivers advice beside a denial. */
    denial: isDenied ? denialFor(decision) : undefined,
    /** Asks a person about a call. */
    question: decision.kind === 'ask' && can('ask') ? `${decision.reason}\n${ALLOW_IF_WANTED}` : undefined,
    /** For the agent, unless it is part of the denial. */
    advice: canAdvise && !isDenied ? joinRemarks(decision.toAgent) : undefined,
    note: can('advise-person') ? noteOf(decision) : undefined,
    /** The changed input of a tool call. */
    input: 'updatedInput' in decision && can('change-input') ? decision.updatedInput : undefined,
    /** Everything that the answer cannot carry, one short sentence each. */
    losses: lost.map((what) => `${event.hostEvent || 'This event'} cannot ${what}.`),
  };
}

function lossesOf(decision: Decision, can: HasPower, isDenied: boolean, reachesAgent: boolean): string[] {
  const isInstead = isDenied && decision.kind === 'ask';
  const lost = [
    'by' in decision &&
      !can(decision.kind) &&
      !isInstead &&
      `the ${decision.kind === 'ask' ? 'question' : 'hold'} by ${decision.by.join(', ')}`,
    decision.toAgent.some(Boolean) && !reachesAgent && 'the advice to the agent',
    decision.toPerson.some(Boolean) && !can('advise-person') && NOTE_TO_PERSON,
    'updatedInput' in decision && decision.updatedInput && !can('change-input') && 'the changed input',
    'report' in decision && decision.report && !can('report') && 'the report',
  ];
  const undelivered = lost.filter(Boolean).map((what) => `deliver ${what}`);
  return isInstead ? ['ask a person; the call was held instead', ...undelivered] : undelivered;
}

/** A denied prompt is erased together with its context, so advice would be lost. */
function isErased({ kind }: Event, decision: Decision, can: HasPower): boolean {
  return kind.startsWith('prompt.') && decision.kind === 'deny' && can('deny');
}

/** If the host cannot ask a person about a call, the call is denied instead. */
function deniesCall({ kind }: Event, decision: Decision, can: HasPower): boolean {
  const isDenied = decision.kind === 'deny' || (decision.kind === 'ask' && !can('ask'));
  return kind === 'tool.before' && can('deny') && isDenied;
}

/** The same decision with the notes to the person as something that the agent is to say. */
function passedOn(decision: Decision): Decision {
  const { toAgent, toPerson } = decision;
  const notes = toPerson.filter((note) => note.trim() !== '' && !toAgent.includes(note));
  const words = `Tell the user, who does not see this:\n${notes.join('\n')}`;
  return { ...decision, toAgent: notes.length === 0 ? toAgent : [...toAgent, words], toPerson: [] };
}

function noteOf(decision: Decision): string | undefined {
  const aside = 'report' in decision ? decision.report?.note : undefined;
  return joinRemarks([...decision.toPerson, aside ?? '']);
}

const ASK_THE_USER =
  'This is held, since this host cannot ask the user. Tell the user what you want to do; they can do it themselves.';

function denialFor(decision: Decision): string {
  const reason = 'reason' in decision ? decision.reason : '';
  const words = decision.kind === 'ask' ? `${reason}\n${ASK_THE_USER}` : reason;
  return joinRemarks([words, ...decision.toAgent]) ?? 'Denied.';
}

/** Joins remarks with blank lines; `undefined` if there are none. */
export function joinRemarks(remarks: readonly string[]): string | undefined {
  return truncate(remarks.filter((remark) => remark.trim() !== '').join('\n\n')) || undefined;
}

/** Cuts a text to what Claude Code delivers, with a last line that says so. */
export function truncate(text: string): string {
  if (text.length <= LONGEST) return text;
  const note = `\n[Truncated: the text has ${text.length} characters.]`;
  // The cut may have split a surrogate pair.
  return text.slice(0, LONGEST - note.length).replace(/[\uD800-\uDBFF]$/, '') + note;
}

const FEEDBACK = 'Stop hook feedback:';

/** Marks the reason for a held turn, for hosts that return it as if a person had typed it. */
export function asFeedback(reason: string): string {
  return `${FEEDBACK}\n${reason}`;
}

/** Whether a prompt contains the reason for a held turn, perhaps after the output of other hooks. */
export function isFeedback(prompt: string): boolean {
  return prompt.trimStart().startsWith(FEEDBACK) || prompt.includes(`\n${FEEDBACK}`);
}

/** An answer on stdout: one line of JSON, or nothing if every member is undefined. */
export function jsonAnswer(members: JsonObject, losses: readonly string[]): Answer {
  const json = JSON.stringify(members);
  return { stdout: json === '{}' ? '' : `${json}\n`, stderr: '', exitCode: 0, losses };
}

/** The value of `hookSpecificOutput`; `undefined` if every member is. */
export function specificOutput(event: Event, members: JsonObject): JsonObject | undefined {
  const isEmpty = Object.values(members).every((member) => member === undefined);
  return isEmpty ? undefined : { hookEventName: event.hostEvent, ...members };
}
