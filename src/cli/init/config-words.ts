// What the comments of a first config say. Lines stay below 110 characters, since they are indented.

export const HEADING = [
  'What a coding agent has to do before it may go on. Commit this file: it counts for everybody who works here.',
  '.holdpoint/config.local.yaml, which git ignores, goes over it and is for you alone.',
  '',
  '  holdpoint status      what is open now            holdpoint why ID     why something was held',
  '  req satisfy NAME      clears a requirement        req pause            one session works unheld',
  '  holdpoint config      what is in force, from which file',
  '',
];

export const REQUIREMENTS_WORDS = [
  'A requirement holds a tool call until something was done. Whoever is held reads why, and the one command that',
  'clears it. `enabled: false` switches one off; `agent_may_satisfy: false` makes it one that only a person clears.',
];

/** What each requirement means in practice. */
export const REQUIREMENT_WORDS: Readonly<Record<string, readonly string[]>> = {
  commit_plan: [
    'Holds the first edit of a session. The agent says what it is going to do and clears this by itself with',
    '`req satisfy commit_plan`, which it is told; nothing waits for you. Reading and running commands is never held.',
  ],
  adr_reviewed: [
    'Holds the first edit of a session until the agent has looked at the decisions and says so.',
  ],
  tdd_planned: ['Holds the first edit of a session until the agent has said which tests it will write.'],
  protected_branch: [
    'Holds edits while one of these branches is checked out. The agent makes a branch; or `req approve',
    'protected_branch` lets this session work here. Worth having where others build on the branch.',
  ],
  branch_size_limit: [
    'Warns from 250 changed lines on and holds edits from 400 on, until the branch is split or somebody runs',
    '`req approve branch_size_limit`, which counts for an hour.',
  ],
  pre_commit_review: [
    'Holds every `git commit` until what is to be committed was reviewed. Off until you want it.',
  ],
  pre_pr_review: [
    'Holds `gh pr create` until the branch was reviewed: `req satisfy pre_pr_review`, once for each.',
  ],
  codex_reviewer: ['The same for a review by another model.'],
  github_ticket: ['Holds the first edit on a branch until its ticket was named. Off until you want it.'],
};

/** The same where only a person may say that it is done. */
export const PERSON_WORDS: Readonly<Record<string, readonly string[]>> = {
  commit_plan: [
    'Holds the first edit of a session, until you have seen the plan and run `req satisfy commit_plan` in a shell of',
    'your own: in the shell of the agent the command refuses.',
  ],
  protected_branch: [
    'Holds edits while one of these branches is checked out. The agent makes a branch; only you can let it work here,',
    'with `req approve protected_branch` in a shell of your own.',
  ],
};

export const GATES_WORDS = [
  'Gates run at the end of a turn, and only if files have changed. A check that fails holds the turn: the agent',
  'reads the last lines and mends it. Run the commands by hand first: one that fails before any work is done is',
  'better taken out of the list of an entry point than left to hold somebody for nothing.',
];

export const CHECK_WORDS = {
  spare: ['Found too, but slow or with files left behind. To use it, name it in an entry point:'],
};

export const NO_CHECKS = [
  'Gates run commands at the end of a turn and hold it while one fails. No test or lint command was found in this',
  'project; with one of your own:',
  '',
  'gates:',
  '  entry_points:',
  '    - path: .',
  '      checks: [test]',
  '  checks:',
  '    test:',
  '      command: make test',
];
