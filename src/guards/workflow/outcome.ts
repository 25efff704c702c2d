import type { Event } from '../../core/event';
import { type Grounds, NOTHING, type Verdict } from '../../core/verdict';
import type { Facts, Finding } from './facts';
import type { RuleMode, RuleName, RuleSetting, Tell } from './model';
import type { StateNote } from './state-notes';

/** What a rule's finding leads to in the rule's mode. */
export interface RuleOutcome {
  readonly name: RuleName;
  readonly finding: Finding;
  readonly effect: Finding['weight'];
  readonly tell: Tell;
}

/** What each mode makes of a finding. */
const EFFECTS: Readonly<Record<RuleMode, (weight: Finding['weight']) => Finding['weight']>> = {
  disabled: () => 'note',
  observe: () => 'note',
  warn: (weight) => (weight === 'note' ? 'note' : 'warn'),
  ask: (weight) => (weight === 'deny' ? 'ask' : weight),
  deny: (weight) => weight,
};

/** What a finding leads to: no more than its rule's mode allows, and than the event can carry. */
export function applyMode(
  name: RuleName,
  finding: Finding,
  { mode, tell }: RuleSetting,
  event: Event,
): RuleOutcome {
  const effect = EFFECTS[mode](finding.weight);
  const isTooLate = event.kind !== 'tool.before' && (effect === 'deny' || effect === 'ask');
  return { name, finding, effect: isTooLate ? 'warn' : effect, tell };
}

/** The changes that the rules bring to the state. */
export function notesOf(outcomes: readonly RuleOutcome[]): readonly StateNote[] {
  return outcomes.flatMap(({ finding: { records = [], onRefusal = [] }, effect }) =>
    effect === 'deny' || effect === 'ask' ? [...records, ...onRefusal] : records,
  );
}

/** One verdict from all rules: the strictest, its first rule in full, the others in a line each. */
export function verdictOf(outcomes: readonly RuleOutcome[]): Verdict {
  const spoken = outcomes.filter(({ finding }) => finding.text !== '' || finding.input !== undefined);
  const grounds = spoken.map(({ name, finding: { fact, clear, waive } }): Grounds => {
    return { rule: name, fact, ...(clear !== undefined && { clear }), ...(waive !== undefined && { waive }) };
  });
  for (const kind of ['deny', 'ask', 'hold'] as const) {
    const texts = spoken.filter(({ effect }) => effect === kind).map(({ finding }) => finding.text);
    if (texts.length > 0) return { kind, reason: reasonOf(texts), grounds };
  }
  return spoken.length === 0 ? NOTHING : advice(spoken, grounds);
}

function reasonOf([first = '', ...others]: readonly string[]): string {
  const more = others.filter((text) => text !== first).map((text) => `Also: ${text.split('\n', 1)[0] ?? ''}`);
  return [first, ...more].join('\n');
}

function advice(spoken: readonly RuleOutcome[], grounds: readonly Grounds[]): Verdict {
  const told = spoken.filter(({ effect }) => effect === 'warn');
  const textFor = (reader: Tell): string =>
    told
      .filter(({ tell, finding }) => (tell === reader || tell === 'both') && finding.text !== '')
      .map(({ finding }) => finding.text)
      .join('\n\n');
  const [toAgent, toPerson] = [textFor('agent'), textFor('person')];
  const updatedInput = told.find(({ finding }) => finding.input !== undefined)?.finding.input;
  return {
    kind: 'advise',
    ...(toAgent !== '' && { toAgent }),
    ...(toPerson !== '' && { toPerson }),
    ...(updatedInput !== undefined && { updatedInput }),
    grounds,
  };
}

/** What each rule made of an event, a line each, for people who watch. */
export function debugNotes(
  facts: Facts,
  asked: readonly RuleName[],
  outcomes: readonly RuleOutcome[],
): string[] {
  const { phase, workflow, delegation, place, unreadable, state } = facts;
  const standing = unreadable?.why ?? (state === undefined ? 'missing' : 'read');
  return [
    `state ${place.file} (${standing}), workflow ${workflow?.type ?? 'none'}, phase ${phase ?? 'none'}, delegation ${delegation.kind}`,
    ...asked.map((name) => {
      const one = outcomes.find((outcome) => outcome.name === name);
      return one === undefined ? `${name}: nothing to say` : `${name}: ${one.effect}: ${one.finding.fact}`;
    }),
  ];
}
