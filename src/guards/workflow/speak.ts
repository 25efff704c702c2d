import type { Event } from '../../core/event';
import { type Grounds, NOTHING, type Verdict } from '../../core/verdict';
import type { Finding, StateNote } from './finding';
import { alsoLine } from './messages';
import type { RuleName, RuleSetting, Tell } from './model';

/** What one rule says after its mode has been heard. */
export interface Heard {
  readonly name: RuleName;
  readonly finding: Finding;
  readonly effect: 'deny' | 'ask' | 'hold' | 'warn' | 'note';
  readonly tell: Tell;
}

/** What a finding leads to: no more than its rule's mode allows, and than the event can carry. */
export function hear(name: RuleName, finding: Finding, { mode, tell }: RuleSetting, event: Event): Heard {
  const effect = strength(finding.weight, mode);
  const isDone = event.kind !== 'tool.before' && (effect === 'deny' || effect === 'ask');
  return { name, finding, effect: isDone ? 'warn' : effect, tell };
}

function strength(weight: Finding['weight'], mode: RuleSetting['mode']): Heard['effect'] {
  switch (mode) {
    case 'disabled':
    case 'observe':
      return 'note';
    case 'warn':
      return weight === 'note' ? 'note' : 'warn';
    case 'ask':
      return weight === 'deny' ? 'ask' : weight;
    case 'deny':
      return weight;
  }
}

/** The changes that the rules' findings bring to the state. */
export function notesOf(heard: readonly Heard[]): readonly StateNote[] {
  return heard.flatMap(({ finding, effect }) => {
    const refused = effect === 'deny' || effect === 'ask';
    return [...(finding.records ?? []), ...(refused ? (finding.onRefusal ?? []) : [])];
  });
}

/** One verdict from all that was heard: the strictest, its first speaker in full, the others in a line each. */
export function verdictOf(heard: readonly Heard[]): Verdict {
  const spoken = heard.filter(({ finding }) => finding.text !== '' || finding.input !== undefined);
  const grounds = spoken.map(groundsFor);
  for (const kind of ['deny', 'ask', 'hold'] as const) {
    const binding = spoken.filter(({ effect }) => effect === kind);
    if (binding.length > 0) return { kind, reason: reasonOf(binding), grounds };
  }
  return spoken.length === 0 ? NOTHING : advice(spoken, grounds);
}

function reasonOf([first, ...others]: readonly Heard[]): string {
  const more = others.filter(({ finding }) => finding.text !== first?.finding.text);
  return [first?.finding.text ?? '', ...more.map(({ finding }) => alsoLine(finding.text))].join('\n');
}

function advice(spoken: readonly Heard[], grounds: readonly Grounds[]): Verdict {
  const told = spoken.filter(({ effect }) => effect === 'warn');
  const toldTo = (one: Tell): string | undefined => {
    const texts = told
      .filter(({ tell }) => tell === one || tell === 'both')
      .map(({ finding }) => finding.text);
    const said = texts.filter((text) => text !== '').join('\n\n');
    return said === '' ? undefined : said;
  };
  const [toAgent, toPerson] = [toldTo('agent'), toldTo('person')];
  const updatedInput = told.find(({ finding }) => finding.input !== undefined)?.finding.input;
  return {
    kind: 'advise',
    ...(toAgent !== undefined && { toAgent }),
    ...(toPerson !== undefined && { toPerson }),
    ...(updatedInput !== undefined && { updatedInput }),
    grounds,
  };
}

function groundsFor({ name, finding }: Heard): Grounds {
  const { fact, clear, waive } = finding;
  return { rule: name, fact, ...(clear !== undefined && { clear }), ...(waive !== undefined && { waive }) };
}
