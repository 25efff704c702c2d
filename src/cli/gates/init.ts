import { existsSync, lstatSync } from 'node:fs';
import { join } from 'node:path';
import { formatDiagnostic } from '../../config/diagnostics';
import { resolveBase } from '../../git/base';
import { findGit, readHead } from '../../git/head';
import { askGit } from '../../git/run-git';
import { REVIEWER_TABLE, REVIEWERS, type ReviewerName } from '../../guards/gates/review/reviewers';
import { missingProgram } from '../../guards/gates/run/check';
import { type Context, cannotRun, type ExitCode, type Options, refusingWith, report } from '../context';
import { detectChecks } from '../init/detect/detect';
import type { Purpose } from '../init/detect/kind';
import { NO_PROJECT } from '../messages';
import { print, styled } from '../ui/output';
import { type Answer, answerTo, askText, chooseSeveral, confirm, isAtTerminal } from '../ui/prompts';
import {
  COMMAND_AGENTS,
  filesOf,
  ignoreDirectory,
  installStopHook,
  isHoldpointInstalled,
  writeNewFiles,
} from './init-files';
import { projectGates } from './project';

type InitOptions = Options<'yes' | 'stopHook', 'source' | 'lint' | 'test'>;

export async function init(context: Context, options: InitOptions): Promise<ExitCode> {
  const { json } = context;
  // The repository of the current directory, even if a project around it has gates.
  const root = findGit(context.cwd)?.root;
  if (root === undefined) throw cannotRun(NO_PROJECT);
  const taken = takenBy(root, context);
  if (taken !== undefined) {
    const line = styled('yellow', `${taken} already exists; no config was written.`);
    return finish(root, options.stopHook, context, { created: false, exists: taken, files: [] }, [line]);
  }
  const found = detectDefaults(root, context.env);
  if (!json) showReviewers(found.reviewers);
  const isAnswered = options.yes || json || !isAtTerminal();
  const { config, stopHook } = isAnswered ? defaultAnswers(found, options) : await askAll(found, options);
  const byAgent = context.caller().actor === 'agent';
  const { files, skipped } = refusingWith('Error: ', () => {
    const { written, skipped } = writeNewFiles(root, filesOf(config, byAgent));
    return {
      files: [...written, ...(ignoreDirectory(root, 'gauntlet_logs') ? ['.gitignore'] : [])],
      skipped,
    };
  });
  const value = { created: true, files, skipped, reviewers: config.reviewers };
  return finish(root, stopHook, context, value, [
    ...files.map((path) => `Wrote ${path}`),
    ...skipped.map((path) => styled('yellow', `Kept ${path}: it already exists.`)),
    '',
    'Run `holdpoint gates run` now: make sure the gates pass first, or every agent is held.',
  ]);
}

/** The file or directory that already configures gates. */
function takenBy(root: string, context: Context): string | undefined {
  if (lstatSync(join(root, '.gauntlet'), { throwIfNoEntry: false }) !== undefined) return '.gauntlet';
  const here = projectGates({ ...context, cwd: root });
  if (here?.root !== root) return undefined;
  if (here.config !== undefined) return here.files.find((file) => !file.startsWith('~'));
  // A file that cannot be read may have gates already, and none would run beside it.
  if (here.errors.length > 0) throw cannotRun(here.errors.map(formatDiagnostic).join('\n'));
  return undefined;
}

const USUAL_BASE = 'origin/main';

type Found = ReturnType<typeof detectDefaults>;

/** The proposed answers; `lint` and `test` are commands that the project seems to have. */
function detectDefaults(root: string, env: Context['env']) {
  const reviewers = REVIEWERS.filter(
    (name) => missingProgram(REVIEWER_TABLE[name].program, root, env) === undefined,
  );
  const agents = COMMAND_AGENTS.filter(
    (name) => reviewers.includes(name) || existsSync(join(root, `.${name}`)),
  );
  const checks = detectChecks(root).parts.flatMap((part) => (part.path === '.' ? part.checks : []));
  const commandFor = (purpose: Purpose): string | undefined =>
    checks.find((check) => check.purpose === purpose)?.command;
  const place = findGit(root);
  const base = place && resolveBase(readHead(place, askGit), { configured: USUAL_BASE }, askGit);
  const baseBranch = base?.ok && base.value.commit !== undefined ? base.value.ref : USUAL_BASE;
  return { baseBranch, reviewers, agents, lint: commandFor('lint'), test: commandFor('test') };
}

function showReviewers(found: readonly ReviewerName[]): void {
  print('Reviewers:');
  for (const name of REVIEWERS)
    print(`  ${found.includes(name) ? styled('green', '✓') : styled('dim', '✗')} ${name}`);
  const none =
    'No reviewer is installed. Checks work without one; the review in the config is commented out.';
  if (found.length === 0) print(styled('yellow', none));
}

/** Without reviewers and without --lint or --test, uses the detected commands: better than no gate at all. */
function defaultAnswers(found: Found, { lint, test, source, stopHook }: InitOptions) {
  const isBare = found.reviewers.length === 0 && lint === undefined && test === undefined;
  return answersFrom(isBare ? found : { ...found, lint, test }, source, stopHook);
}

/** The config to write, and whether to install the stop hook. */
function answersFrom({ lint = '', test = '', ...found }: Found, source = '', stopHook: boolean) {
  const commands = { lint: lint.trim(), 'unit-tests': test.trim() };
  const checks = Object.fromEntries(Object.entries(commands).filter(([, command]) => command !== ''));
  return { config: { ...found, source: source.trim() || '.', checks }, stopHook };
}

/** Asks the user for everything that no flag has set. */
async function askAll(found: Found, options: InitOptions) {
  const { reviewers: there } = found;
  const asked = there.map((name) => ({ value: name, label: name }));
  const able =
    there.length === 0 ? [] : await answerOf(chooseSeveral('Which reviewers may be used?', asked, there));
  const reviewers = there.filter((name) => able.includes(name));
  const source = options.source ?? (await answerOf(askText('Which directory do the gates cover?', '.')));
  const lint = options.lint ?? (await askCommand('Add a lint check?', found.lint));
  const test = options.test ?? (await askCommand('Add a unit test check?', found.test));
  const choices = COMMAND_AGENTS.map((name) => ({ value: name, label: name }));
  const question = 'Add the /gauntlet command for which agents?';
  const picked = await answerOf(chooseSeveral(question, choices, found.agents));
  const agents = COMMAND_AGENTS.filter((name) => picked.includes(name));
  const stopHook =
    options.stopHook || (await answerOf(confirm('Run the gates when Claude Code ends a turn?')));
  return answersFrom({ baseBranch: found.baseBranch, reviewers, agents, lint, test }, source, stopHook);
}

const answerOf = <Value>(question: Answer<Value>): Promise<Value> =>
  answerTo(question, 'Nothing was written.');

async function askCommand(question: string, suggested = ''): Promise<string | undefined> {
  return (await answerOf(confirm(question))) ? answerOf(askText('Which command?', suggested)) : undefined;
}

const STOP_HOOKS = {
  added: 'Stop hook installed in .claude/settings.local.json: `agent-gauntlet stop-hook`.',
  present: 'Stop hook already installed: .claude/settings.local.json runs `agent-gauntlet stop-hook`.',
  ours: 'Holdpoint is installed here and runs the gates at the end of every turn.',
  none: 'No agent is held by the gates yet: run `holdpoint install`, or, for Claude Code alone, `holdpoint gates init --stop-hook`.',
} as const;

/** Installs the stop hook if wanted, and prints what was done. */
function finish(
  root: string,
  stopHook: boolean,
  context: Context,
  value: object,
  lines: readonly string[],
): ExitCode {
  const home = context.env['HOME'] ?? '';
  const hook = stopHook || isHoldpointInstalled(root, home) ? installStopHook(root, home) : undefined;
  const installed = hook?.ok ? hook.value : null;
  const last = STOP_HOOKS[installed ?? 'none'];
  report(context, { ...value, stop_hook: installed }, hook?.ok === false ? lines : [...lines, last]);
  if (hook?.ok === false) throw cannotRun(`Error: ${hook.failure}`);
  return 0;
}
