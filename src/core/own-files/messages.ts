const MINE = 'Only a person can change it, outside of the agent.';

/** For what no agent may write. */
export function heldAlways(file: string) {
  const fact = `${file} is what Holdpoint relies on, and the call would change it.`;
  return {
    reason: `Held by Holdpoint: ${fact}\nDo what the rule asks for, or tell the user what you need.`,
    fact,
    waive: MINE,
  };
}

/** For what an agent may write if a person says yes. */
export function askedBefore(file: string) {
  const fact = `${file} decides what Holdpoint holds, and the agent wants to change it.`;
  return {
    reason: `Holdpoint: ${fact} Allow it only if you asked for this change.`,
    fact,
    waive: 'A person says yes to the call.',
  };
}

/** The same where the host shows nobody a question. */
export function unasked(file: string) {
  const fact = `${file} decides what Holdpoint holds, and in this session nobody can be asked about a change of it.`;
  return {
    reason: `Held by Holdpoint: ${fact}\nTell the user what you want to change; they can do it themselves.`,
    fact,
    waive: MINE,
  };
}
