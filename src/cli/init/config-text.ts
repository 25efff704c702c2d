import { asBlock, asInline } from '../../config/edit-yaml';
import type { JsonObject } from '../../core/json';
import { CATALOGUE, PRESETS as REQUIREMENT_PRESETS } from '../../guards/requirements/presets';
import type { ProposedCheck } from './detect/survey';
import type { DefaultBranch } from './plan';

export const PRESET_NAMES = ['standard', 'relaxed', 'strict', 'advanced', 'inherit', 'minimal'] as const;
export type PresetName = (typeof PRESET_NAMES)[number];

/** What a preset puts into the config, besides the checks that were found. */
export interface Preset {
  readonly summary: string;
  /** Whether checks hold the end of turns, or are only written down. */
  readonly checks: boolean;
  /** Top-level keys other than `requirements`. */
  readonly others: JsonObject;
  requirements(branch: DefaultBranch | undefined): Readonly<Record<string, JsonObject>>;
}

/** The presets of `req init` are the same here; `standard` is for who does not know yet what they want. */
export const PRESETS: Readonly<Record<PresetName, Preset>> = {
  standard: {
    summary: 'a plan before the first edit, no edits on a shared default branch, the checks that were found',
    checks: true,
    others: {},
    requirements: (branch) => ({
      // First, because a plan counts for the branch on which it was said: whoever is held makes the branch first.
      // Who works alone on a branch that nobody shares would only be in their own way.
      ...(branch && {
        protected_branch: {
          ...CATALOGUE.protected_branch,
          enabled: branch.isShared,
          protected_branches: [branch.name],
        },
      }),
      commit_plan: CATALOGUE.commit_plan,
      pre_pr_review: { ...CATALOGUE.pre_pr_review, enabled: false },
    }),
  },
  relaxed: fromRequirements('relaxed'),
  strict: fromRequirements('strict'),
  advanced: fromRequirements('advanced'),
  inherit: fromRequirements('inherit'),
  minimal: { ...fromRequirements('minimal'), checks: false },
};

function fromRequirements(name: Exclude<PresetName, 'standard'>): Preset {
  const { summary, config } = REQUIREMENT_PRESETS[name];
  const { version: _version, requirements, ...others } = config;
  const all = Object.entries((requirements ?? {}) as Readonly<Record<string, JsonObject>>);
  const onBranch = (one: JsonObject, branch: DefaultBranch | undefined): JsonObject =>
    one['guard_type'] === 'protected_branch' && branch !== undefined
      ? { ...one, protected_branches: [branch.name] }
      : one;
  const of = (branch: DefaultBranch | undefined) =>
    Object.fromEntries(all.map(([key, one]) => [key, onBranch(one, branch)]));
  return { summary, checks: true, others, requirements: of };
}

export interface Contents {
  readonly preset: PresetName;
  readonly branch: DefaultBranch | undefined;
  readonly checks: readonly ProposedCheck[];
  /** Sections that stand in other files and are left out here. */
  readonly leaveOut: readonly string[];
}

/** Nothing that a check would look at: prose, and what `init` itself writes. */
const PROSE = ['**/*.md'];
const OURS = ['.*/**', '.gitignore'];

/** The text of a first `.holdpoint/config.yaml`, which explains itself; nothing where nothing is left to say. */
export function configText(contents: Contents): string | undefined {
  const { leaveOut } = contents;
  const sections = [
    ...(leaveOut.includes('requirements') ? [] : [requirementLines(contents)]),
    ...(leaveOut.includes('gates') ? [] : [gateLines(contents)]),
  ];
  if (sections.length === 0) return undefined;
  const lines = [...comment(HEADING), 'version: 1', ...sections.flatMap((section) => ['', ...section])];
  return `${lines.join('\n')}\n`;
}

function requirementLines({ preset, branch }: Contents): string[] {
  const { others } = PRESETS[preset];
  const all = Object.entries(PRESETS[preset].requirements(branch));
  const more = Object.keys(others).length === 0 ? [] : [...asBlock(others, '1.2'), ''];
  const head = comment(REQUIREMENTS_WORDS);
  if (all.length === 0) return [...more, ...head, 'requirements: {}'];
  const blocks = all.map(([name, requirement]) => [
    ...comment(wordsOn(name, requirement)),
    ...asBlock({ [name]: requirement }, '1.2'),
  ]);
  return [
    ...more,
    ...head,
    'requirements:',
    ...indent(blocks.flatMap((block, at) => (at === 0 ? block : ['', ...block]))),
  ];
}

function wordsOn(name: string, requirement: JsonObject): readonly string[] {
  const byPerson = requirement['agent_may_satisfy'] === false ? PERSON_WORDS[name] : undefined;
  return byPerson ?? REQUIREMENT_WORDS[name] ?? [];
}

function gateLines({ preset, branch, checks }: Contents): string[] {
  const on = checks.filter((check) => check.on);
  if (on.length === 0) return comment(NO_CHECKS);
  const paths = [...new Set(on.flatMap((check) => check.paths))];
  const section = [
    'gates:',
    `  base_branch: ${asInline(branch?.base ?? 'origin/main', '1.2')}  # changes are counted from here`,
    '  max_retries: 3  # after so many failed repetitions the turn ends all the same, and you decide',
    '  stop_hook:',
    '    enabled: true  # false: turns end unchecked; `holdpoint gates run` still works',
    '    run_interval_minutes: 0  # 10: after a pass, turns end unchecked for ten minutes',
    '  entry_points:',
    ...paths.flatMap((path) => entryPoint(path, on)),
    '  checks:',
    ...checks.flatMap(checkLines),
  ];
  return [...comment(GATES_WORDS), ...(PRESETS[preset].checks ? section : comment(section))];
}

function entryPoint(path: string, checks: readonly ProposedCheck[]): string[] {
  const names = checks.filter((check) => check.paths.includes(path)).map(({ name }) => name);
  return [
    `    - path: ${asInline(path, '1.2')}`,
    `      exclude: ${asInline(path === '.' ? [...PROSE, ...OURS] : PROSE, '1.2')}`,
    `      checks: ${asInline(names, '1.2')}`,
  ];
}

function checkLines({ name, command, source, on }: ProposedCheck): string[] {
  const block = indent(asBlock({ [name]: { command } satisfies JsonObject }, '1.2'), '    ');
  const words = indent(comment([source]), '    ');
  return on ? [...words, ...block] : [...indent(comment(SPARE_WORDS), '    '), ...comment(block)];
}

/** Names of directories come from the project, and one may have a line end in it. */
function comment(lines: readonly string[]): string[] {
  return lines.map((line) => `# ${line.replace(/[\p{Cc}\u2028\u2029]/gu, ' ')}`.trimEnd());
}

function indent(lines: readonly string[], by = '  '): string[] {
  return lines.map((line) => (line === '' ? '' : by + line));
}

// What the comments say. Lines stay below 110 characters, since they are indented.

const HEADING = [
  'What a coding agent has to do before it may go on. Commit this file: it counts for everybody who works here.',
  '.holdpoint/config.local.yaml, which git ignores, goes over it and is for you alone.',
  '',
  '  holdpoint status      what is open now            holdpoint why ID     why something was held',
  '  req satisfy NAME      clears a requirement        req pause            one session works unheld',
  '  holdpoint config      what is in force, from which file',
  '',
];

const REQUIREMENTS_WORDS = [
  'A requirement holds a tool call until something was done. Whoever is held reads why, and the one command that',
  'clears it. `enabled: false` switches one off; `agent_may_satisfy: false` makes it one that only a person clears.',
];

/** What each requirement means in practice. */
const REQUIREMENT_WORDS: Readonly<Record<string, readonly string[]>> = {
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
const PERSON_WORDS: Readonly<Record<string, readonly string[]>> = {
  commit_plan: [
    'Holds the first edit of a session, until you have seen the plan and run `req satisfy commit_plan` in a shell of',
    'your own: in the shell of the agent the command refuses.',
  ],
  protected_branch: [
    'Holds edits while one of these branches is checked out. The agent makes a branch; only you can let it work here,',
    'with `req approve protected_branch` in a shell of your own.',
  ],
};

const GATES_WORDS = [
  'Gates run at the end of a turn, and only if files have changed. A check that fails holds the turn: the agent',
  'reads the last lines and mends it. Run the commands by hand first: one that fails before any work is done is',
  'better taken out of the list of an entry point than left to hold somebody for nothing.',
];

const SPARE_WORDS = ['Found too, but slow or with files left behind. To use it, name it in an entry point:'];

const NO_CHECKS = [
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
