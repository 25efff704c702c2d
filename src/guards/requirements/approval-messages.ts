/* What is said of approvals: to the agent, and to the person who is asked. */

const LONGEST_NOTE = 500;

/** A person's no, with what they said to it. */
export function rejectedText(name: string, note: string): string {
  const said = note.replace(/\s+/g, ' ').trim().slice(0, LONGEST_NOTE);
  return `A person rejected \`${name}\`${said === '' ? '. Ask them what to change.' : `: ${said}`}`;
}
