/** A command that a person can type in a host, which replaces it with a prompt. */
export interface CommandText {
  readonly name: string;
  readonly description: string;
  /** A shell line whose output is shown to the agent first. */
  readonly shows?: string;
  /** Introduces the arguments that the person typed; absent if the command takes none. */
  readonly takes?: string;
  readonly prompt: string;
}

/** The commands for hosts that support custom commands. */
export const COMMAND_TEXTS: readonly CommandText[] = [
  {
    name: 'holdpoint-status',
    description: 'Show what Holdpoint holds here: requirements, loops, workflow, gates, sessions, errors',
    shows: 'holdpoint status',
    prompt: `Tell the user in a few lines what is open, how to satisfy each rule and who may do that. Start with errors, if there
are any. Change nothing.`,
  },
  {
    name: 'holdpoint-loop',
    description: 'Keep working on a task until it is complete or a limit is reached',
    takes: 'The task, and any options of `holdpoint loop start`:',
    prompt: `1. Start a loop. Options go on the line as they were typed; the task goes in on standard input, word for word, so
   that no shell looks into it:

   holdpoint loop start --max 10 - <<'END_OF_TASK'
   the task
   END_OF_TASK

   If one is already active, say so and ask; do not force it.
2. Work on the task. Each time you end your turn before it is complete, you are sent back to it.
3. When it is truly complete, write <loop-done>COMPLETE</loop-done> on a line of its own, outside of any code block. If
   you cannot go on, write <loop-done>STUCK</loop-done> the same way and say why. If you need the user first, write
   <loop-pause>WHY</loop-pause>.

The user can end it with \`holdpoint loop cancel\`.`,
  },
  {
    name: 'holdpoint-why',
    description: 'Explain a decision of Holdpoint: the rule, what to do, who may waive it',
    takes: 'The user asks about this decision:',
    prompt: `Run \`holdpoint why ID\` with that id, or \`holdpoint why\` for the latest hold if none is given. Answer in a few
lines: which rule held and why, what to do, who may waive it, and what became of it. Change nothing.`,
  },
];
