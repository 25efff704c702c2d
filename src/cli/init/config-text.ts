import { asBlock, asInline } from '../../config/edit-yaml';
import type { JsonObject } from '../../core/json';
import { withEffect } from '../../guards/requirements/presets';
import type { ProposedCheck } from './detect/detect';
import type { DefaultBranch } from './plan';
import { PRESETS, type PresetName } from './presets';

export interface Contents {
  readonly preset: PresetName;
  readonly branch: DefaultBranch | undefined;
  readonly checks: readonly ProposedCheck[];
  /** Sections that other config files already define. */
  readonly leaveOut: readonly string[];
  /** Whether every rule starts in shadow mode. */
  readonly shadow: boolean;
}

/** Files that no check looks at: prose, and what `init` itself writes. */
const PROSE = ['**/*.md'];
const OURS = ['.*/**', '.gitignore'];

/** The commented text of a new `.holdpoint/config.yaml`; undefined if other files define every section. */
export function configText(contents: Contents): string | undefined {
  const { leaveOut } = contents;
  const sections = [
    ...(leaveOut.includes('requirements') ? [] : [requirementLines(contents)]),
    ...(leaveOut.includes('gates') ? [] : [gateLines(contents)]),
  ];
  if (sections.length === 0) return undefined;
  const lines = [
    SCHEMA_LINE,
    ...comment(contents.shadow ? [...HEADING, ...SHADOW_WORDS] : HEADING),
    'version: 1',
    ...sections.flatMap((section) => ['', ...section]),
  ];
  return `${lines.join('\n')}\n`;
}

function requirementLines({ preset, branch, shadow }: Contents): string[] {
  const { others } = PRESETS[preset];
  const all = Object.entries(PRESETS[preset].requirements(branch)).map(
    ([name, one]) => [name, inMode(withEffect(name, one), shadow)] as const,
  );
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

/** Puts `mode` right after `enabled`, where a reader looks for it. */
function inMode(requirement: JsonObject, shadow: boolean): JsonObject {
  const { enabled = true, ...rest } = requirement;
  return shadow ? { enabled, mode: 'shadow', ...rest } : requirement;
}

function wordsOn(name: string, requirement: JsonObject): readonly string[] {
  const byPerson = requirement['agent_may_satisfy'] === false ? PERSON_WORDS[name] : undefined;
  const words = byPerson ?? REQUIREMENT_WORDS[name] ?? [];
  return name === 'protected_branch' && requirement['enabled'] === false ? [...words, ...NO_REMOTE] : words;
}

function gateLines({ preset, branch, checks, shadow }: Contents): string[] {
  const on = checks.filter((check) => check.on);
  if (on.length === 0) return comment(NO_CHECKS);
  const paths = [...new Set(on.flatMap((check) => check.paths))];
  const section = [
    'gates:',
    `  base_branch: ${asInline(branch?.base ?? 'origin/main', '1.2')}  # changes since this branch are checked`,
    '  max_retries: 3  # after three failed retries the turn ends anyway',
    '  stop_hook:',
    '    enabled: true  # false: only `holdpoint gates run` runs the checks',
    '    run_interval_minutes: 0  # 10: after a pass, none for ten minutes unless a file changes',
    '  entry_points:',
    ...paths.flatMap((path) => entryPoint(path, on)),
    '  checks:',
    ...checks.flatMap((check) => checkLines(check, shadow)),
  ];
  const words = shadow ? GATES_WORDS : [...GATES_WORDS, ...PASS_FIRST];
  return [...comment(words), ...(PRESETS[preset].checks ? section : comment(section))];
}

function entryPoint(path: string, checks: readonly ProposedCheck[]): string[] {
  const names = checks.filter((check) => check.paths.includes(path)).map(({ name }) => name);
  return [
    `    - path: ${asInline(path, '1.2')}`,
    `      exclude: ${asInline(path === '.' ? [...PROSE, ...OURS] : PROSE, '1.2')}`,
    `      checks: ${asInline(names, '1.2')}`,
  ];
}

function checkLines({ name, command, source, on }: ProposedCheck, shadow: boolean): string[] {
  const check: JsonObject = { command, ...(shadow && { mode: 'shadow' }) };
  const block = indent(asBlock({ [name]: check }, '1.2'), '    ');
  const words = indent(comment([source]), '    ');
  return on ? [...words, ...block] : [...indent(comment(SPARE_WORDS), '    '), ...comment(block)];
}

/** Lines may contain directory names of the project, and such a name may contain a line break. */
function comment(lines: readonly string[]): string[] {
  return lines.map((line) => `# ${line.replace(/[\p{Cc}\u2028\u2029]/gu, ' ')}`.trimEnd());
}

function indent(lines: readonly string[], by = '  '): string[] {
  return lines.map((line) => (line === '' ? '' : by + line));
}

// The texts of the comments. Lines stay below 110 characters, since they get indented.

/** For editors with the YAML language server, which looks for the schema beside the config. */
export const SCHEMA_LINE = '# yaml-language-server: $schema=./schema.json';

const HEADING = [
  'What coding agents must do before they may go on. Commit this file: it applies to everyone who works here.',
  'Settings for you alone go into .holdpoint/config.local.yaml, which git ignores.',
  '',
  '  holdpoint status    what is satisfied and what is not    holdpoint why      why the agent was held',
  '  holdpoint config    the config in effect                 holdpoint pause    holds nothing until you resume',
  '',
];

const SHADOW_WORDS = [
  'Every rule begins in shadow mode: it records what it would hold, and nobody notices.',
  '',
  '  holdpoint stats     what each rule would have held       holdpoint rules promote NAME    to warn, then to hold',
  '',
];

const REQUIREMENTS_WORDS = [
  'A requirement holds a tool call until it is satisfied. The held agent reads the description and what to do.',
  '`enabled: false` turns a requirement off. With `agent_may_satisfy: false` only a person can satisfy it.',
];

/** Comments on the requirements, by name. */
const REQUIREMENT_WORDS: Readonly<Record<string, readonly string[]>> = {
  commit_plan: [
    'Holds the first edit of a session. The agent states its plan and runs `req satisfy commit_plan` itself.',
    'It does not matter which tool edits. Reading files and running tests is not held.',
  ],
  adr_reviewed: [
    'Holds the first edit of a session until the agent has read the architecture decisions.',
    'It confirms that with `req satisfy adr_reviewed`.',
  ],
  tdd_planned: [
    'Holds the first edit of a session until the agent has said which tests it will write.',
    'It confirms that with `req satisfy tdd_planned`.',
  ],
  protected_branch: [
    'Holds edits, commits, merges and pushes to these branches: the agent has to work on another branch.',
    'To allow them for a session, run `req approve protected_branch` in your own terminal. The agent can do',
    'the same with `req satisfy protected_branch`; add `agent_may_satisfy: false` to reserve it for a person.',
  ],
  branch_size_limit: [
    'Warns from 250 changed lines and holds edits from 400, until the branch is split. To allow a larger one for',
    'an hour, run `req approve branch_size_limit` in your own terminal.',
  ],
  pre_commit_review: [
    'Holds every commit until the changes were reviewed: `req satisfy pre_commit_review`, once per commit.',
  ],
  pre_pr_review: [
    'Holds every new pull request until the branch was reviewed: `req satisfy pre_pr_review`, once per pull request.',
  ],
  codex_reviewer: ['The same for a review by a second model: `req satisfy codex_reviewer`.'],
  github_ticket: ['Holds the first edit on a branch until its ticket is named: `req satisfy github_ticket`.'],
};

const NO_REMOTE = [
  'Off, because this branch has no remote: set `enabled: true` if agents should work on other branches.',
];

/** Comments on requirements that only a person may satisfy. */
const PERSON_WORDS: Readonly<Record<string, readonly string[]>> = {
  commit_plan: [
    'Holds the first edit of a session until you approve the plan: run `holdpoint approve commit_plan` in your own',
    'terminal. The agent cannot do it.',
  ],
  protected_branch: [
    'Holds edits, commits, merges and pushes to these branches: the agent has to work on another branch. Only you',
    'can allow them: run `holdpoint approve protected_branch` in your own terminal.',
  ],
};

const GATES_WORDS = [
  'Checks run at the end of a turn on what has changed since the base branch. A failing check holds the turn: the',
  'agent reads what failed and fixes it.',
];

const PASS_FIRST = ['Make sure they pass before you start, or every agent is held.'];

const SPARE_WORDS = ['Also found, but slow or with side effects. To use it, name it in an entry point:'];

const NO_CHECKS = [
  'Gates run checks at the end of a turn and hold it while one fails. No test or lint command was found here.',
  'With a command of your own:',
  '',
  'gates:',
  '  entry_points:',
  '    - path: .',
  '      checks: [test]',
  '  checks:',
  '    test:',
  '      command: make test',
];
