/** A slash command, as the prompt it stands for. */
export interface CommandText {
  readonly name: string;
  readonly description: string;
  /** The output of this shell command is shown to the agent first. */
  readonly shows?: string;
  /** Introduces what the user types after the command. */
  readonly takes?: string;
  readonly prompt: string;
}

/** For hosts with slash commands. */
export const COMMAND_TEXTS: readonly CommandText[] = [
  {
    name: 'holdpoint-status',
    description: 'Show what Holdpoint holds here: requirements, loops, workflow, gates, sessions, problems',
    shows: 'holdpoint status',
    prompt: `Tell the user in a few lines what is held, what satisfies each rule and who may do that; problems first. Change
nothing.`,
  },
  {
    name: 'holdpoint-loop',
    description: 'Keep working on a task until it is complete or a limit is reached',
    takes: 'The task, and options of `holdpoint loop start` if there are any:',
    prompt: `1. Start a loop. Put options on the command line as they were typed, and the task on standard input, word for word:

   holdpoint loop start --max 10 - <<'END_OF_TASK'
   the task
   END_OF_TASK

   If one is live already, say so and ask; do not force it.
2. Work on the task. Each time you end your turn before it is complete, you are sent back to it.
3. When it is complete, write <loop-done>COMPLETE</loop-done> on a line of its own, outside any code block. If you cannot
   continue, write <loop-done>STUCK</loop-done> the same way and say why. If you need the user first, write
   <loop-pause>WHY</loop-pause>.

The user ends it with \`holdpoint loop cancel\`.`,
  },
  {
    name: 'holdpoint-why',
    description: 'Explain a decision of Holdpoint: the rule, what satisfies it, who may waive it',
    takes: 'The user asks about this decision:',
    prompt: `Run \`holdpoint why\` with that id; without one it explains the latest hold. Answer in a few lines: which rule held and
why, what satisfies it, and who may waive it. Change nothing.`,
  },
];
