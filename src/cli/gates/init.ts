import { existsSync, lstatSync } from 'node:fs';
import { join } from 'node:path';
import type { Result } from '../../core/failure';
import { askGit } from '../../git/ask-git';
import { resolveBase } from '../../git/base';
import { findGit } from '../../git/find-git';
import { readHead } from '../../git/head';
import { REVIEWERS, type ReviewerName, reviewerNamed } from '../../guards/gates/review/reviewers';
import { missingProgram } from '../../guards/gates/run/check';
import { NO_PROJECT } from '../messages';
import { refuse } from '../req/refuse';
import type { Context, ExitCode, Verb } from '../verb';
import { type Beginning, COMMAND_AGENTS } from './beginning';
import { filesOf } from './init-files';
import { INIT_USAGE, type InitOptions, initOptions } from './init-options';
import { type Answers, answersFor, type Found } from './init-questions';
import { installStopHook, type StopHook } from './install-stop-hook';
import * as say from './messages';
import { gatesHere } from './project';
import { suggestionsIn } from './suggestions';
import { ignoreDirectory, type Outcome, writeNewFiles } from './write-new';

const STANDARD_BASE = 'origin/main';
const LOGS = 'gauntlet_logs';

export const verb: Verb = {
  usage: INIT_USAGE,
  async run(args, context) {
    const options = initOptions(args);
    // The repository in which the person stands, even where a project around it has gates.
    const root = findGit(context.cwd)?.root;
    if (root === undefined) return refuse(context, NO_PROJECT, 2);
    const taken = takenBy(root, context);
    if (taken !== undefined) return alreadyThere(taken, root, options, context);
    const found = findOut(root, context);
    if (!options.json) showReviewers(found.reviewers, context);
    const answers = await answersFor(found, options);
    if (answers.kind !== 'chosen') return refuse(context, say.CANCELLED, 1);
    return begin(root, answers.value, options, context);
  },
};

/** What already says which gates there are. */
function takenBy(root: string, context: Context): string | undefined {
  if (lstatSync(join(root, '.gauntlet'), { throwIfNoEntry: false }) !== undefined) return '.gauntlet';
  const here = gatesHere({ ...context, cwd: root });
  return here?.root === root && here.config !== undefined
    ? here.files.find((file) => !file.startsWith('~'))
    : undefined;
}

function alreadyThere(taken: string, root: string, options: InitOptions, context: Context): ExitCode {
  const { out, env } = context;
  const hook = options.stopHook ? installStopHook(root, env['HOME'] ?? '') : undefined;
  if (options.json) out.json({ created: false, exists: taken, files: [], ...hookJson(hook) });
  else out.line(out.style('yellow', say.alreadyThere(taken)));
  return tellHook(hook, options.json, context);
}

function findOut(root: string, { env }: Context): Found {
  const reviewers = REVIEWERS.filter((name) => isThere(name, root, env));
  const isUsed = (name: (typeof COMMAND_AGENTS)[number]): boolean =>
    reviewers.includes(name) || existsSync(join(root, `.${name}`));
  const agents: Beginning['agents'] = COMMAND_AGENTS.filter(isUsed);
  return { baseBranch: baseIn(root), reviewers, agents, suggestions: suggestionsIn(root) };
}

function isThere(name: ReviewerName, root: string, env: Context['env']): boolean {
  const program = reviewerNamed(name)?.program;
  return program !== undefined && missingProgram(program, root, env) === undefined;
}

/** The usual one, or what there is in its place. */
function baseIn(root: string): string {
  const place = findGit(root);
  if (place === undefined) return STANDARD_BASE;
  const base = resolveBase(readHead(place, askGit), { configured: STANDARD_BASE }, askGit);
  return base.ok && base.value.commit !== undefined ? base.value.ref : STANDARD_BASE;
}

function showReviewers(found: readonly ReviewerName[], { out }: Context): void {
  for (const name of REVIEWERS) {
    const isFound = found.includes(name);
    out.line(`  ${isFound ? out.style('green', '✓') : out.style('dim', '✗')} ${name}`);
  }
  if (found.length === 0) out.line(out.style('yellow', say.NO_REVIEWERS));
}

function begin(
  root: string,
  { beginning, stopHook }: Answers,
  { json }: InitOptions,
  context: Context,
): ExitCode {
  const { out, env } = context;
  const made = writeNewFiles(root, filesOf(beginning));
  if (!made.ok) return refuse(context, say.errorLine(made.failure), 2);
  const ignored = ignoreDirectory(root, LOGS);
  if (!ignored.ok) return refuse(context, say.errorLine(ignored.failure), 2);
  const files = [...made.value.written, ...(ignored.value ? ['.gitignore'] : [])];
  const hook = stopHook ? installStopHook(root, env['HOME'] ?? '') : undefined;
  if (json)
    out.json({
      created: true,
      files,
      skipped: made.value.skipped,
      reviewers: beginning.reviewers,
      ...hookJson(hook),
    });
  else showOutcome({ written: files, skipped: made.value.skipped }, context);
  return tellHook(hook, json, context);
}

function showOutcome({ written, skipped }: Outcome, { out }: Context): void {
  for (const path of written) out.line(say.written(path));
  for (const path of skipped) out.line(out.style('yellow', say.skipped(path)));
  out.line();
  out.line(say.NEXT_STEPS);
}

function hookJson(hook: Result<StopHook, string> | undefined): object {
  return { stop_hook: hook === undefined || !hook.ok ? null : hook.value };
}

function tellHook(hook: Result<StopHook, string> | undefined, json: boolean, context: Context): ExitCode {
  if (hook !== undefined && !hook.ok) return refuse(context, say.errorLine(hook.failure), 2);
  if (!json) context.out.line(hook === undefined ? say.NO_STOP_HOOK : say.STOP_HOOKS[hook.value]);
  return 0;
}
