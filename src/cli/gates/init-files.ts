import { existsSync, lstatSync, mkdirSync, readFileSync, symlinkSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { asInline } from '../../config/edit-yaml';
import { type Edited, withEntries } from '../../config/settings/entries';
import { attempt, detailOf, fail, type Result, succeed } from '../../core/failure';
import { sentenceOf } from '../../core/messages';
import type { ReviewerName } from '../../guards/gates/review/reviewers';
import { linesIn } from '../../hosts/own-lines';
import { writeNew } from '../../state/files';
import { claudeSettings, eventsIn } from '../doctor/installation-checks';
import { extendIgnore, ignoreFileOf } from '../init/gitignore';
import { withResolvedPath } from '../install/files';
import { GATES_COMMAND, recordStopHook } from '../install/records';
import { writeConfigFile } from '../req/config-file';

export interface InitialConfig {
  readonly baseBranch: string;
  /** The reviewers to use; empty if none was found. */
  readonly reviewers: readonly ReviewerName[];
  /** The directory that the gates cover. */
  readonly source: string;
  /** Commands by check name. */
  readonly checks: Readonly<Record<string, string>>;
  /** The agents that get the /gauntlet command, which runs the gates and fixes what they find. */
  readonly agents: readonly (typeof COMMAND_AGENTS)[number][];
}

/** Agents that support custom commands in a project. */
export const COMMAND_AGENTS = ['claude', 'gemini'] as const;

/** A file to create, with a text or as a symlink. `path` is relative to the root. */
type NewFile = { readonly path: string } & ({ readonly text: string } | { readonly linkTo: string });

const LOOP_FILE = '.gauntlet/run_gauntlet.md';

/** The files of a new config, in the order in which they are written. */
export function filesOf(initial: InitialConfig, byAgent: boolean): NewFile[] {
  const checks = Object.entries(initial.checks);
  return [
    ...checks.map(([name, command]) => ({
      path: `.gauntlet/checks/${name}.yml`,
      text: `${byAgent ? '# An agent chose this command.\n' : ''}${checkFile(command)}`,
    })),
    { path: '.gauntlet/reviews/code-quality.md', text: REVIEW },
    { path: LOOP_FILE, text: LOOP_COMMAND },
    // After the files it refers to, so that an interrupted write enables nothing.
    { path: '.gauntlet/config.yml', text: configFile(initial) },
    ...initial.agents.map((agent) =>
      agent === 'claude'
        ? { path: '.claude/commands/gauntlet.md', linkTo: `../../${LOOP_FILE}` }
        : { path: '.gemini/commands/gauntlet.toml', text: tomlCommand() },
    ),
  ];
}

function checkFile(command: string): string {
  return [
    `command: ${asInline(command, '1.2')}`,
    '# working_directory: .    # default: the entry point',
    '# timeout: 300            # seconds',
    '# parallel: false         # true: in parallel with other gates',
    '# fail_fast: false        # true: if it fails, start no further gates',
    '# run_in_ci: true',
    '# run_locally: true',
    '',
  ].join('\n');
}

function configFile({ baseBranch, reviewers, source, checks }: InitialConfig): string {
  const names = Object.keys(checks);
  const hasReviewers = reviewers.length > 0;
  return [
    '# The gates that changes must pass. `holdpoint gates validate` checks this file, `holdpoint gates detect` shows',
    '# what would run.',
    `base_branch: ${asInline(baseBranch, '1.2')}`,
    'log_dir: gauntlet_logs',
    '',
    'cli:',
    ...(hasReviewers ? [] : ['  # None of these was installed, so the review below is commented out.']),
    '  # In order of preference; known: claude, codex, gemini, cursor, github-copilot.',
    `  default_preference: ${asInline(hasReviewers ? reviewers : ['claude'], '1.2')}`,
    '',
    'entry_points:',
    `  - path: ${asInline(source, '1.2')}`,
    ...(names.length > 0
      ? [`    checks: ${asInline(names, '1.2')}`]
      : ['    # checks: [lint]    # each is a file in .gauntlet/checks: lint.yml']),
    `    ${hasReviewers ? '' : '# '}reviews: [code-quality]`,
    '',
  ].join('\n');
}

/** The same command for Gemini CLI, which does not read Markdown commands. */
function tomlCommand(): string {
  const body = LOOP_COMMAND.replace(/^---\n[\s\S]*?\n---\n+/, '');
  const prompt = body.replaceAll('\\', '\\\\').replaceAll('"""', '""\\"');
  return `description = ${JSON.stringify(LOOP_DESCRIPTION)}\nprompt = """\n${prompt}"""\n`;
}

/** A review that most projects can start with. */
const REVIEW = `---
num_reviews: 1
# cli_preference: [codex, claude]    # of those in cli.default_preference
# model: ...
# timeout: 300                       # seconds
---

# Code quality

Review the changes for problems that matter to users and maintainers:

- wrong results, unhandled errors, race conditions, leaked resources
- security holes
- changes in behaviour that no test would catch
- code that is hard to follow and could be simpler

Report only problems that the changed lines introduce, and only those you are sure of after reading the surrounding
code. Leave formatting and taste to the linter.
`;

const LOOP_DESCRIPTION = 'Run the gates and fix what they find until they pass';

/** The command that makes an agent run the gates, fix what they find, and run them again. */
const LOOP_COMMAND = `---
description: ${LOOP_DESCRIPTION}
# How readily to act on reviews. high: fix everything that is not clearly wrong. medium: fix what you agree with.
# low: fix only what is certain.
trust_level: medium
allowed-tools: Bash, Read, Edit, Write
---

# Run the gates

1. Run \`agent-gauntlet run\`. It ends with a line \`Status: ...\`.
2. For each \`[FAIL]\` line, read the file it names:
   - \`Log:\` is the output of a check. Fix the cause, not the symptom.
   - \`Review:\` is a JSON file with \`violations\`. Judge each one by the \`trust_level\` above. Fix the code and set
     \`"status": "fixed"\`, or leave it and set \`"status": "skipped"\`; say in \`"result"\` what you changed, or why you
     did not. Change nothing else in these files.
3. Run \`agent-gauntlet run\` again to verify your fixes; repeat step 2 while something fails.

Stop when the last line says one of these, and tell the user which:

- \`Status: Passed\`: everything passed.
- \`Status: Passed with warnings\`: list what was skipped and why.
- \`Status: Retry limit exceeded\`: say what still fails and what you tried. The user decides what happens next,
  and can archive the logs and start over with \`agent-gauntlet clean\`.

\`Status: Error\` means that a gate could not run: a program is missing, or a reviewer did not reply. Do not try to fix
that in the code; tell the user.
`;

/** Creates the files that do not exist yet. Never overwrites a file or writes outside the root. */
export function writeNewFiles(root: string, files: readonly NewFile[]) {
  const [written, skipped]: [string[], string[]] = [[], []];
  for (const file of files) {
    const path = join(root, file.path);
    if (attempt(() => lstatSync(path)) !== undefined) {
      skipped.push(file.path);
      continue;
    }
    withResolvedPath(root, file.path, () => {
      mkdirSync(dirname(path), { recursive: true });
      if ('linkTo' in file) symlinkSync(file.linkTo, path);
      else writeNew(path, file.text, false, 0o644);
    });
    written.push(file.path);
  }
  return { written, skipped };
}

/** Adds a directory to .gitignore unless a line has it. Returns whether it was added. */
export function ignoreDirectory(root: string, name: string): boolean {
  const written = (ignoreFileOf(root) ?? '').split(/\r?\n/);
  const names = written.map((line) => line.trim().replace(/^\/|\/$|\/\*{1,2}$/g, ''));
  if (names.includes(name)) return false;
  extendIgnore(root, [`${name}/`]);
  return true;
}

const ENTRY = { hooks: [{ type: 'command', command: GATES_COMMAND, timeout: 300 }] };

/**
 * Adds the gates' Stop entry to Claude Code settings; returns the same text if the entry is there already. No other
 * byte is touched. Fails if the text is not valid JSON or does not have the known shape.
 */
export function withStopHook(text: string): Result<Edited, string> {
  const edited = withEntries(text, {
    entries: [{ path: ['hooks', 'Stop'], value: ENTRY }],
    skeleton: {},
    isOurs: () => false,
    makesRoom: () => false,
    keepsOut: (entry) => linesIn(entry).some((line) => line.includes(GATES_COMMAND)),
  });
  return edited.ok ? edited : fail('not valid Claude Code settings; left unchanged');
}

const SETTINGS = '.claude/settings.local.json';

/** `present`: the entry was there before. `ours`: Holdpoint's own hook already runs the gates. */
type StopHook = 'added' | 'present' | 'ours';

/** Whether Claude Code calls Holdpoint's own hook at the end of a turn. */
export function isHoldpointInstalled(root: string, home: string): boolean {
  return claudeSettings(root, home).some((file) => eventsIn(file).includes('Stop'));
}

/** Makes Claude Code run the gates at the end of a turn. Keeps the previous settings in a `.bak` file. */
export function installStopHook(root: string, home: string): Result<StopHook, string> {
  const path = join(root, SETTINGS);
  if (isHoldpointInstalled(root, home)) return succeed('ours');
  try {
    const before = existsSync(path) ? readFileSync(path, 'utf8') : undefined;
    const after = withStopHook(before ?? '');
    if (!after.ok) return fail(`${SETTINGS}: ${after.failure}`);
    const { text, undo } = after.value;
    if (text === before) return succeed('present');
    const write = (file: string, content: string): Result<string> =>
      writeConfigFile({ base: root, path: file, yaml: '1.2' }, content);
    const kept = before === undefined ? succeed('') : write(`${SETTINGS}.bak`, before);
    if (!kept.ok) return fail(sentenceOf(kept.failure));
    recordStopHook(root, { file: path, backup: before === undefined ? undefined : `${path}.bak`, undo });
    const written = write(SETTINGS, text);
    return written.ok ? succeed('added') : fail(sentenceOf(written.failure));
  } catch (error) {
    return fail(`${SETTINGS}: ${detailOf(error)}`);
  }
}
