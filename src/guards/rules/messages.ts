import type { Outcome } from '../../api';
import type { Event } from '../../core/event';
import type { RuleEntry } from './config';
import type { RuleError } from './sandbox';

interface Said {
  readonly rule: RuleEntry;
  readonly outcome: Outcome;
}

export const WRONG_RETURN: RuleError = {
  detail: "returned something else than hold('…'), ask('…'), advise('…') or nothing",
};

export const CLEARS = 'do what the rule says';

export function waiver(name: string): string {
  return `a person: \`holdpoint rules demote ${name}\``;
}

/** One paragraph a rule, in its own words, then what the agent can do. */
export function holdText(said: readonly Said[], event: Event): string {
  const names = said.map(({ rule }) => rule.name);
  const paragraphs = said.map(
    ({ rule, outcome }) => `Held by rule \`${rule.name}\`: ${outcome.reason.trim()}`,
  );
  const unchanged = event.kind === 'turn.stop' ? '' : 'Nothing was changed. ';
  const waive = `Only a person can waive ${names.length === 1 ? 'the rule' : 'these rules'} (\`holdpoint rules demote\`).`;
  return [...paragraphs, `${unchanged}Do this, or stop and tell the user what you need. ${waive}`].join('\n');
}

export function adviceText(said: readonly Said[]): string {
  return said.map(({ rule, outcome }) => `Rule \`${rule.name}\`: ${outcome.reason.trim()}`).join('\n');
}

const LONGEST_FACT = 200;

/** The reason in one sentence, for the journal. */
export function factOf(reason: string): string {
  const [first = ''] = reason.trim().split('\n', 1);
  return first.length > LONGEST_FACT ? `${first.slice(0, LONGEST_FACT - 1)}…` : first;
}
