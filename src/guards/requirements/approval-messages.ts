import type { Requirement } from './section';

/* What is said of approvals: to the agent, and to the person who is asked. */

const LONGEST_NOTE = 500;

/** A person's no, with what they said to it. */
export function rejectedText(name: string, note: string): string {
  const said = oneLine(note);
  return `A person rejected \`${name}\`${said === '' ? '. Ask them what to change.' : `: ${said}`}`;
}

/** What a person reads in a dialog of the host itself, whose answers are about the call alone. */
export function dialogText(rules: readonly Requirement[]): string {
  const asked = rules.map(({ name, description }) => {
    return description === undefined ? `\`${name}\`` : `\`${name}\` (${oneLine(description)})`;
  });
  const [only] = rules.length === 1 ? rules : [];
  const reach = only === undefined ? 'where they apply' : REACH[only.scope];
  return [
    `Holdpoint: do you approve ${asked.join(' and ')}?`,
    `If you allow this call, you approve ${only === undefined ? 'them' : 'it'} ${reach}.`,
  ].join('\n');
}

const REACH = {
  session: 'for this session',
  single_use: 'for this call',
  branch: 'for this branch',
  permanent: 'for this project',
} as const;

function oneLine(text: string): string {
  return text.replace(/\s+/g, ' ').trim().slice(0, LONGEST_NOTE);
}

/** The line that a person can type as a whole message. */
export function lineText(names: readonly string[]): string {
  return `Or the user types exactly this, as a whole message: holdpoint approve ${names.join(' ')}`;
}

/** Said in runs that nobody watches. */
export const NOBODY_THERE =
  'Nobody can be asked in this run: it has no person at its terminal. Stop here and say what has to be approved.';

export function approvedText(names: readonly string[]): string {
  return `Approved: ${names.join(', ')}`;
}

/** An answer that is not known to be a person's changes nothing. */
export function notCounted(names: readonly string[], why: string): string {
  return `Not counted as approval of ${names.join(', ')}: ${why}.`;
}
