import { asInline } from '../../config/edit-yaml';
import type { Beginning, CommandAgent } from './beginning';
import { LOOP_DESCRIPTION, loopCommand, reviewFile } from './init-texts';

/** A file to be made: with a text, or as a link to another. Paths are relative to the root. */
export type NewFile =
  | { readonly path: string; readonly text: string }
  | { readonly path: string; readonly linkTo: string };

const LOOP_FILE = '.gauntlet/run_gauntlet.md';

/** Everything that a beginning consists of, in the order in which it is written. */
export function filesOf(beginning: Beginning): NewFile[] {
  const checks = Object.entries(beginning.checks);
  return [
    ...checks.map(([name, command]) => ({ path: `.gauntlet/checks/${name}.yml`, text: checkFile(command) })),
    { path: '.gauntlet/reviews/code-quality.md', text: reviewFile() },
    { path: LOOP_FILE, text: loopCommand() },
    // The last of them: a beginning that is cut short leaves nothing that is in force.
    { path: '.gauntlet/config.yml', text: configFile(beginning) },
    ...beginning.agents.map(commandFile),
  ];
}

function checkFile(command: string): string {
  return [
    `command: ${asInline(command, '1.2')}`,
    '# working_directory: .    # without it, the entry point that has changed',
    '# timeout: 300            # seconds',
    '# parallel: false         # true: beside other gates',
    '# fail_fast: false        # true: nothing is started any more after this one has failed',
    '# run_in_ci: true',
    '# run_locally: true',
    '',
  ].join('\n');
}

function configFile({ baseBranch, reviewers, source, checks }: Beginning): string {
  const names = Object.keys(checks);
  return [
    '# Which gates a change has to pass. `agent-gauntlet validate` looks for mistakes, `agent-gauntlet detect`',
    '# says what would run now.',
    `base_branch: ${asInline(baseBranch, '1.2')}`,
    'log_dir: gauntlet_logs',
    '',
    ...reviewerLines(reviewers),
    '',
    'entry_points:',
    `  - path: ${asInline(source, '1.2')}`,
    ...(names.length > 0
      ? [`    checks: ${asInline(names, '1.2')}`]
      : ['    # checks: [lint]    # each is a file in .gauntlet/checks: lint.yml']),
    `    ${reviewers.length > 0 ? '' : '# '}reviews: [code-quality]`,
    '',
  ].join('\n');
}

function reviewerLines(reviewers: readonly string[]): string[] {
  const [some, names] = [reviewers.length > 0, reviewers.length > 0 ? reviewers : ['claude']];
  return [
    'cli:',
    ...(some ? [] : ['  # None of these was found when this was written, so no review is wired below.']),
    '  # In the order in which they are asked: claude, codex, gemini, cursor, github-copilot.',
    `  default_preference: ${asInline(names, '1.2')}`,
  ];
}

function commandFile(agent: CommandAgent): NewFile {
  switch (agent) {
    case 'claude':
      return { path: '.claude/commands/gauntlet.md', linkTo: `../../${LOOP_FILE}` };
    case 'gemini':
      return { path: '.gemini/commands/gauntlet.toml', text: tomlCommand() };
  }
}

/** The same command for a program that has no Markdown ones. */
function tomlCommand(): string {
  const body = loopCommand().replace(/^---\n[\s\S]*?\n---\n+/, '');
  const prompt = body.replaceAll('\\', '\\\\').replaceAll('"""', '""\\"');
  return `description = ${JSON.stringify(LOOP_DESCRIPTION)}\nprompt = """\n${prompt}"""\n`;
}
