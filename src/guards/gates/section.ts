import * as v from 'valibot';
import {
  bracketTrouble,
  byName,
  flag,
  type LegacyFile,
  mapping,
  mode,
  name,
  section,
  text,
  validText,
} from '../../config/section';
import { compileGates } from './compile';
import { REVIEWERS } from './review/reviewers';

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
const glob = validText(bracketTrouble);

const timeout = v.optional(v.pipe(v.number(), v.gtValue(0, 'must be more than 0 seconds')));
const modeKey = [
  mode,
  '`shadow` runs and only records, `warn` tells the person at the end of a turn, `hold` holds. See [tuning](tuning.md). Default: hold.',
] as const;
const runInCi = [flag, 'Run on a CI server. Default: true.'] as const;
const runLocally = [flag, 'Run on a developer’s machine. Default: true.'] as const;
const cache = [flag, 'Do not run again until a file of the entry point changes. Default: true.'] as const;

/** Also allowed in `~/.config/agent-gauntlet/config.yml`. */
const stopHook = mapping({
  enabled: [flag, 'Run the gates at the end of a turn. Default: true.'],
  run_interval_minutes: [
    v.optional(count),
    'After a pass, skip the gates for this long, as long as no file changes; a changed file runs them at once. Default: 10.',
  ],
  reverify: [
    flag,
    'Make `agent-gauntlet stop-hook` verify fixes, as `holdpoint hook` always does. Default: false.',
  ],
});
const size = v.optional(v.pipe(v.number(), v.gtValue(0, 'must be more than 0')));
const debugLog = mapping({
  enabled: [flag, 'Write the debug log. Default: false.'],
  max_size_mb: [size, 'Start a new file at this size. Default: 10.'],
});

const entryPoint = mapping({
  path: [
    glob,
    'A file, directory or glob: `.` is the whole project, `packages/*` each directory in `packages`.',
  ],
  exclude: [v.optional(v.array(glob)), 'Files, directories or globs to ignore. Default: none.'],
  checks: [names, 'Checks to run when something here changes. Default: none.'],
  reviews: [names, 'Reviews to run when something here changes. Default: none.'],
});

const check = v.pipe(
  mapping({
    command: [
      filled,
      // biome-ignore lint/suspicious/noTemplateCurlyInString: users write it like this in the config.
      'The shell command. Exit code 0 is a pass. `${BASE_BRANCH}` is the base branch.',
    ],
    working_directory: [path, 'Where it runs, relative to the project root. Default: the entry point.'],
    parallel: [flag, 'Run at the same time as other gates. Default: false.'],
    mode: modeKey,
    run_in_ci: runInCi,
    run_locally: runLocally,
    timeout: [timeout, 'Seconds before it is killed and fails. Default: no limit of its own.'],
    fail_fast: [flag, 'Start no further gate after it fails. Default: false.'],
    fix_instructions: [path, 'A file beside the config, shown with a failure. Default: none.'],
    cache,
  }),
  v.forward(
    v.partialCheck(
      [['fail_fast'], ['parallel']],
      (input) => !(input.fail_fast === true && input.parallel === true),
      'can only be used when parallel is false',
    ),
    ['fail_fast'],
  ),
);

const review = mapping({
  prompt: [filled, 'What to look for. The diff is added to it.'],
  model: [text, 'The model, as the reviewer’s own program names it. Default: its own choice.'],
  cli_preference: [
    v.optional(someReviewers),
    'Reviewers in order of preference. Default: `cli.default_preference`.',
  ],
  num_reviews: [
    v.optional(v.pipe(whole, v.minValue(1, 'must be at least 1'))),
    'How many reviewers must pass it. Default: 1.',
  ],
  mode: modeKey,
  parallel: [flag, 'Run at the same time as other gates. Default: true.'],
  run_in_ci: runInCi,
  run_locally: runLocally,
  timeout: [timeout, 'Seconds before a reviewer is given up. Default: 300.'],
  cache,
});

const cli = mapping({
  default_preference: [
    v.optional(v.array(reviewer)),
    'Reviewers in order of preference. Required where there are reviews.',
  ],
  check_usage_limit: [
    flag,
    'Ask each reviewer a short question first, to find out whether it has quota left. Default: false.',
  ],
});

/** `compileGates` checks references between keys, and empty lists. */
const gates = mapping({
  base_branch: [path, 'The git ref that changes are compared with. Default: origin/main.'],
  log_dir: [path, 'Where logs and run state are kept. Default: .holdpoint/logs.'],
  allow_parallel: [flag, 'If false, run one gate at a time. Default: true.'],
  max_retries: [
    v.optional(count),
    'Retries after a failed run. Then turns may end, and a person decides. Default: 3.',
  ],
  rerun_new_issue_threshold: [
    v.optional(v.picklist(['critical', 'high', 'medium', 'low'])),
    'On a retry, ignore new findings below this priority. Default: high.',
  ],
  cli: [v.optional(cli), 'The programs that review.'],
  entry_points: [v.optional(v.array(entryPoint)), 'Parts of the project, each with its gates. Required.'],
  checks: [v.optional(byName(check)), 'Checks by name: commands that must succeed.'],
  reviews: [
    v.optional(byName(review)),
    'Reviews by name: what another agent’s program is asked about the diff.',
  ],
  debug_log: [v.optional(debugLog), 'A detailed log of every run.'],
  stop_hook: [v.optional(stopHook), 'Gates at the end of a turn.'],
  weakening: [
    v.optional(v.picklist(['off', 'tell', 'hold'])),
    'What happens when tests, scripts or checks become weaker while an agent works: `off`, `tell` the person, or `hold` the end of the turn until a person accepts it. Default: tell.',
  ],
});

export type GatesInput = v.InferOutput<typeof gates>;
export type CheckInput = v.InferOutput<typeof check>;
export type ReviewInput = v.InferOutput<typeof review>;
export type EntryPointInput = v.InferOutput<typeof entryPoint>;

/** Other keys of agent-gauntlet's home config are mounted below this key, where the schema reports them. */
const HOME_FILE = 'agent-gauntlet/config.yml';
const HOME_KEYS = ['stop_hook', 'debug_log'];

/** Keys in agent-gauntlet's docs that have no effect there or here: accepted and ignored. */
const NOBODY_READS = [
  ...['logging', 'fail_fast', 'parallel'].map((key) => `gates/${key}`),
  'gates/checks/*/name',
  ...'name pass_pattern fail_pattern ignore_pattern include_context include_full_repo fail_fast'
    .split(' ')
    .map((key) => `gates/reviews/*/${key}`),
];

const project = { layer: 'project', base: 'project', yaml: '1.2' } as const;

function namedGate(kind: 'checks' | 'reviews', path: string): LegacyFile {
  return {
    ...project,
    path,
    mount: (key, name) => ['gates', kind, name, key],
    whole: (name) => ['gates', kind, name],
    ...(kind === 'reviews' && { body: 'prompt' }),
  };
}

/** The gates config: our own `gates` key and the files of agent-gauntlet. */
export const gatesSection = section({
  guard: 'gates',
  keys: {
    gates: v.pipe(
      gates,
      v.description('Checks and reviews of your changes that must pass before a turn may end.'),
    ),
    [HOME_FILE]: v.strictObject({
      other: v.optional(v.strictObject({ stop_hook: v.optional(stopHook), debug_log: v.optional(debugLog) })),
    }),
  },
  legacyOnly: [HOME_FILE],
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
