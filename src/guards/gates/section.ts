import * as v from 'valibot';
import {
  bracketTrouble,
  byName,
  described,
  flag,
  name,
  type SeedFile,
  section,
  sound,
  text,
} from '../../config/section';
import { compileGates } from './compile';
import { REVIEWERS } from './review/reviewers';

const PRIORITIES = ['critical', 'high', 'medium', 'low'] as const;

const reviewer = v.picklist(REVIEWERS);
const whole = v.pipe(v.number(), v.integer('must be a whole number'));
const count = v.pipe(whole, v.minValue(0, 'must not be negative'));
const path = v.optional(name);
const filled = v.pipe(
  v.string(),
  v.check((input) => input.trim() !== '', 'must not be empty'),
);
const someReviewers = v.pipe(v.array(reviewer), v.nonEmpty('must name at least one reviewer'));
const names = v.optional(v.array(name));
const glob = sound(bracketTrouble);

const timeout = v.optional(v.pipe(v.number(), v.gtValue(0, 'must be more than 0 seconds')));
const common = { parallel: flag, run_in_ci: flag, run_locally: flag, timeout };
const commonTexts = {
  run_in_ci: 'False: not on a build server.',
  run_locally: 'False: only on a build server.',
  cache: 'False: it runs again even if nothing that it looks at has changed since it passed.',
};

/** What the person's own file may set too. */
const stopHook = v.strictObject(
  described(
    { enabled: flag, run_interval_minutes: v.optional(count), reverify: flag },
    {
      enabled: 'False: the end of a turn is never held by gates.',
      run_interval_minutes:
        'After a run that passed, the end of a turn is let go for this long; 0 runs every time. 10 unless given.',
      reverify: 'Whether `agent-gauntlet stop-hook` runs again after a fix, as `holdpoint hook` always does.',
    },
  ),
);
const debugLog = v.strictObject(
  described(
    { enabled: flag, max_size_mb: v.optional(v.pipe(v.number(), v.gtValue(0, 'must be more than 0'))) },
    {
      enabled: 'Whether the record is kept; it is not unless this is true.',
      max_size_mb: 'Beyond this many megabytes a new record is begun; 10 unless given.',
    },
  ),
);

const entryPoint = v.strictObject(
  described(
    { path: glob, exclude: v.optional(v.array(glob)), checks: names, reviews: names },
    {
      path: 'A file, a directory or a pattern below the project; `.` is all of it, and `packages/*` each directory in `packages`.',
      exclude: 'Changes in these files, directories or patterns do not count here.',
      checks: 'The names of the checks that run when something here has changed.',
      reviews: 'The names of the reviews that run when something here has changed.',
    },
  ),
);

const check = v.pipe(
  v.strictObject(
    described(
      {
        command: filled,
        working_directory: path,
        ...common,
        fail_fast: flag,
        fix_instructions: path,
        cache: flag,
      },
      {
        ...commonTexts,
        command:
          // biome-ignore lint/suspicious/noTemplateCurlyInString: so it is written in the config.
          'What a shell runs; it passes by ending with 0. `${BASE_BRANCH}` stands for the base branch.',
        working_directory: 'Where it runs, below the project; the directory of the entry point unless given.',
        parallel: 'Whether it may run beside others; it does not unless this is true.',
        timeout: 'Seconds after which it is ended and counts as failed.',
        fail_fast: 'When it fails, no further gate is started.',
        fix_instructions: 'A file beside this config with what to do when it fails; shown with the failure.',
      },
    ),
  ),
  v.forward(
    v.partialCheck(
      [['fail_fast'], ['parallel']],
      (input) => !(input.fail_fast === true && input.parallel === true),
      'can only be used when parallel is false',
    ),
    ['fail_fast'],
  ),
);

const review = v.strictObject(
  described(
    {
      prompt: filled,
      model: text,
      cli_preference: v.optional(someReviewers),
      num_reviews: v.optional(v.pipe(whole, v.minValue(1, 'must be at least 1'))),
      ...common,
      cache: flag,
    },
    {
      ...commonTexts,
      prompt: 'What the reviewer is asked to look for; the changes are added to it.',
      model: 'The model that the reviewer shall use, by the name its own program has for it.',
      cli_preference:
        'Which reviewers may be asked, the preferred one first; each has to be in the default list.',
      num_reviews: 'How many reviewers have to agree; 1 unless given.',
      parallel: 'False: not beside other gates.',
      timeout: 'Seconds after which a reviewer is given up.',
    },
  ),
);

const cli = v.strictObject(
  described(
    { default_preference: v.optional(v.array(reviewer)), check_usage_limit: flag },
    {
      default_preference: 'The reviewers that may be asked, the preferred one first.',
      check_usage_limit: 'Asks each reviewer a short question first, to see whether its quota is used up.',
    },
  ),
);

/** What one part demands of another is judged when they are compiled, and so is the emptiness of lists. */
const gates = v.strictObject(
  described(
    {
      base_branch: path,
      log_dir: path,
      allow_parallel: flag,
      max_retries: v.optional(count),
      rerun_new_issue_threshold: v.optional(v.picklist(PRIORITIES)),
      cli: v.optional(cli),
      entry_points: v.optional(v.array(entryPoint)),
      checks: v.optional(byName(check)),
      reviews: v.optional(byName(review)),
      debug_log: v.optional(debugLog),
      stop_hook: v.optional(stopHook),
    },
    {
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
    },
  ),
);

export type GatesInput = v.InferOutput<typeof gates>;
export type CheckInput = v.InferOutput<typeof check>;
export type ReviewInput = v.InferOutput<typeof review>;
export type EntryPointInput = v.InferOutput<typeof entryPoint>;

/** The key of the model that holds what does not belong into the person's own file of the older program. */
const HOME_FILE = 'agent-gauntlet/config.yml';
const HOME_KEYS = ['stop_hook', 'debug_log'];

/** Named in the older program's documentation, and without effect there and here. */
const NOBODY_READS = [
  ...['logging', 'fail_fast', 'parallel'].map((key) => `gates/${key}`),
  'gates/checks/*/name',
  ...'name pass_pattern fail_pattern ignore_pattern include_context include_full_repo fail_fast'
    .split(' ')
    .map((key) => `gates/reviews/*/${key}`),
];

const project = { layer: 'project', base: 'project', yaml: '1.2' } as const;

function namedGate(kind: 'checks' | 'reviews', path: string): SeedFile {
  return {
    ...project,
    path,
    mount: (key, name) => ['gates', kind, name, key],
    whole: (name) => ['gates', kind, name],
    ...(kind === 'reviews' && { body: 'prompt' }),
  };
}

/** The gates' part of the config: our own key and the files of the older program. */
export const gatesSection = section({
  guard: 'gates',
  keys: {
    gates: v.pipe(
      gates,
      v.description('What has to pass before a turn may end: checks and reviews of what has changed.'),
    ),
    [HOME_FILE]: v.strictObject({
      other: v.optional(v.strictObject({ stop_hook: v.optional(stopHook), debug_log: v.optional(debugLog) })),
    }),
  },
  seedOnly: [HOME_FILE],
  files: [
    {
      layer: 'global',
      base: 'home',
      path: '.config/agent-gauntlet/config.yml',
      yaml: '1.2',
      mount: (key) => (HOME_KEYS.includes(key) ? ['gates', key] : [HOME_FILE, 'other', key]),
      configures: false,
      lenient: true,
    },
    { ...project, path: '.gauntlet/config.yml', mount: (key) => ['gates', key], whole: () => ['gates'] },
    namedGate('checks', '.gauntlet/checks/*.yml'),
    namedGate('checks', '.gauntlet/checks/*.yaml'),
    namedGate('reviews', '.gauntlet/reviews/*.md'),
  ],
  units: ['gates/checks/*', 'gates/reviews/*', 'gates/entry_points/*', 'gates/cli/default_preference/*'],
  tolerated: NOBODY_READS,
  compile: (valid, context) => compileGates(valid.gates ?? {}, context),
});
