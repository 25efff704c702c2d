/* What an editor shows beside each key of the gates: a sentence a key. */

export const GATES = {
  base_branch: 'What changes are counted from, as git names it; origin/main unless given.',
  log_dir: 'Where runs keep their logs and their state, below the project or absolute.',
  allow_parallel: 'False: one gate at a time, whatever the gates say themselves.',
  max_retries:
    'How often a failed run may be tried again; after that a person has to decide. 3 unless given.',
  rerun_new_issue_threshold:
    'On a repeated run, findings below this priority do not count; `high` unless given.',
  cli: 'Which reviewers there are.',
  entry_points: 'The parts of the project, each with the gates that changes in it have to pass.',
  checks: 'Commands that have to succeed, by name.',
  reviews: 'Questions to a reviewer about what has changed, by name.',
  debug_log: 'A record of every run, for finding out why something was held.',
  stop_hook: 'When the gates run at the end of a turn.',
};

export const CLI = {
  default_preference: 'The reviewers that may be asked, the preferred one first.',
  check_usage_limit: 'Asks each reviewer a short question first, to see whether its quota is used up.',
};

export const ENTRY_POINT = {
  path: 'A file, a directory or a pattern below the project; `.` is all of it, and `packages/*` each directory in `packages`.',
  exclude: 'Changes in these files, directories or patterns do not count here.',
  checks: 'The names of the checks that run when something here has changed.',
  reviews: 'The names of the reviews that run when something here has changed.',
};

export const CHECK = {
  // biome-ignore lint/suspicious/noTemplateCurlyInString: so it is written in the config.
  command: 'What a shell runs; it passes by ending with 0. `${BASE_BRANCH}` stands for the base branch.',
  working_directory: 'Where it runs, below the project; the directory of the entry point unless given.',
  parallel: 'Whether it may run beside others; it does not unless this is true.',
  run_in_ci: 'False: not on a build server.',
  run_locally: 'False: only on a build server.',
  timeout: 'Seconds after which it is ended and counts as failed.',
  fail_fast: 'When it fails, no further gate is started.',
  fix_instructions: 'A file beside this config with what to do when it fails; shown with the failure.',
  cache: 'False: it runs again even if nothing that it looks at has changed since it passed.',
};

export const REVIEW = {
  prompt: 'What the reviewer is asked to look for; the changes are added to it.',
  model: 'The model that the reviewer shall use, by the name its own program has for it.',
  cli_preference:
    'Which reviewers may be asked, the preferred one first; each has to be in the default list.',
  num_reviews: 'How many reviewers have to agree; 1 unless given.',
  parallel: 'False: not beside other gates.',
  run_in_ci: 'False: not on a build server.',
  run_locally: 'False: only on a build server.',
  timeout: 'Seconds after which a reviewer is given up.',
  cache: 'False: it runs again even if nothing that it looks at has changed since it passed.',
};

export const DEBUG_LOG = {
  enabled: 'Whether the record is kept; it is not unless this is true.',
  max_size_mb: 'Beyond this many megabytes a new record is begun; 10 unless given.',
};

export const STOP_HOOK = {
  enabled: 'False: the end of a turn is never held by gates.',
  run_interval_minutes:
    'After a run that passed, the end of a turn is let go for this long; 0 runs every time. 10 unless given.',
  reverify: 'Whether `agent-gauntlet stop-hook` runs again after a fix, as `holdpoint hook` always does.',
};

export const GATES_SENTENCE =
  'What has to pass before a turn may end: checks and reviews of what has changed.';
