/** What the loop's command is for, in one line. */
export const LOOP_DESCRIPTION = 'Run the gates and mend what they find, until they pass';

/** A review that most projects can begin with. */
export function reviewFile(): string {
  return `---
num_reviews: 1
# cli_preference: [codex, claude]    # of those in cli.default_preference
# model: ...
# timeout: 300                       # seconds
---

# Code quality

Review the changes for mistakes that matter to those who use or maintain this code:

- wrong results, unhandled errors, races, resources that are never released
- ways in which somebody could make it do what it must not
- changes of behaviour that no test would notice
- code that is hard to understand and could easily be plainer

Report only what the changed lines bring in, and only what you are sure of after reading the code around it. Leave
formatting and taste to the linter.
`;
}

/** The command that makes an agent run the gates, mend what they find, and run them again. */
export function loopCommand(): string {
  return `---
description: ${LOOP_DESCRIPTION}
# How readily to act on what reviewers say. high: mend everything that is not plainly wrong. medium: mend what you
# agree with after looking. low: mend only what is certain.
trust_level: medium
allowed-tools: Bash, Read, Edit, Write
---

# Run the gates

1. Run \`agent-gauntlet run\`. It ends with a line \`Status: ...\`.
2. For each line \`[FAIL]\` read the file behind it:
   - \`Log:\` is what a check printed. Mend the cause, not the message.
   - \`Review:\` is a JSON file with \`violations\`. Look at each one as far as \`trust_level\` above asks for. Mend the code
     and set \`"status": "fixed"\`, or leave it and set \`"status": "skipped"\`; in both cases say in \`"result"\` what you
     did, or why not. Change nothing else in these files.
3. Run \`agent-gauntlet run\` again. It checks what you have mended; go on with step 2 if something is left.

Stop when the last line says one of these, and tell the user which:

- \`Status: Passed\`: everything is in order.
- \`Status: Passed with warnings\`: list what was skipped, with the reasons.
- \`Status: Retry limit exceeded\`: say what still fails and what you have tried. The user decides what happens next;
  \`agent-gauntlet clean\` archives this attempt so that another can begin.

Where it says \`Status: Error\`, a gate could not give an answer: a program is missing, or a reviewer did not reply.
That is not for you to mend in the code; tell the user.
`;
}
