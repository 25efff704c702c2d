import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { showPlace } from '../../config/diagnostics';
import { findGit } from '../../git/head';
import type { GatesConfig } from '../../guards/gates/config';
import { REVIEWERS, ReviewerHealth } from '../../guards/gates/review/reviewers';
import { cleanByHand, debugLog, logDirOf } from '../../guards/gates/run/logs';
import { runInProgress } from '../../guards/gates/run/messages';
import type { Context, ExitCode } from '../context';
import { printable, table } from '../ui/output';
import { cannotRun, Refusal } from '../ui/refusal';
import { readCi } from './ci';
import {
  diagnosticJson,
  type GatesHere,
  gatesHere,
  NO_GATES,
  requireGates,
  showDiagnostics,
} from './project';
import { LOCK_HINT } from './run';

/** `holdpoint gates list`. */
export function list(context: Context, { json }: { readonly json: boolean }): ExitCode {
  const here = requireGates(context);
  if (json) context.out.json({ ...listJson(here.config), problems: here.errors.map(diagnosticJson) });
  else showList(here.config, context);
  showDiagnostics(here.errors, context);
  return here.errors.length > 0 ? 2 : 0;
}

function showList({ checks, reviews, entryPoints }: GatesConfig, { out }: Context): void {
  const item = (name: string, more: string): void =>
    void out.line(` - ${out.style('bold', name)}${more === '' ? '' : ` ${out.style('dim', more)}`}`);
  out.line(out.style('cyan', 'Check Gates:'));
  for (const { name, command } of checks) {
    const [first = '', ...more] = command.trim().split('\n');
    item(name, `(${more.length > 0 ? `${first} …` : first})`);
  }
  out.line();
  out.line(out.style('cyan', 'Review Gates:'));
  for (const { name, preference } of reviews) item(name, `(Tools: ${preference.join(', ')})`);
  out.line();
  out.line(out.style('cyan', 'Entry Points:'));
  for (const { path, exclude, checks: own, reviews: ownReviews } of entryPoints) {
    item(path, exclude.length > 0 ? `(without ${exclude.join(', ')})` : '');
    if (own.length > 0) out.line(printable(`     Checks: ${own.join(', ')}`));
    if (ownReviews.length > 0) out.line(printable(`     Reviews: ${ownReviews.join(', ')}`));
  }
}

function listJson({ checks, reviews, entryPoints }: GatesConfig): object {
  return {
    checks: checks.map(({ name, command, place }) => ({ name, command, place })),
    reviews: reviews.map(({ name, preference, numReviews, place }) => {
      return { name, tools: preference, num_reviews: numReviews, place };
    }),
    entry_points: entryPoints.map(({ path, exclude, checks: own, reviews: ownReviews, place }) => {
      return { path, exclude, checks: own, reviews: ownReviews, place };
    }),
  };
}

/** `holdpoint gates validate`. */
export function validate(context: Context, { json }: { readonly json: boolean }): ExitCode {
  const here = requireGates(context);
  const diagnostics = [...here.diagnostics, ...readCi(here).diagnostics];
  const valid = diagnostics.every(({ severity }) => severity === 'warning');
  const { out } = context;
  if (json) out.json({ valid, files: here.files, problems: diagnostics.map(diagnosticJson) });
  else if (valid) out.line(out.style('green', 'All config files are valid.'));
  else out.error('Validation failed:');
  if (!json) showDiagnostics(diagnostics, context);
  return valid ? 0 : 1;
}

/** `holdpoint gates health`. */
export async function health(context: Context, { json }: { readonly json: boolean }): Promise<ExitCode> {
  const here = gatesHere(context);
  const reviewers = await reviewerStates(here, context);
  const { config, files = [], diagnostics = [] } = here ?? {};
  const { out } = context;
  if (json) {
    const problems = diagnostics.map(diagnosticJson);
    out.json({ configured: config !== undefined, files, problems, reviewers });
    return 0;
  }
  showConfig(files, diagnostics, context);
  out.line();
  out.line(out.style('bold', 'Reviewers:'));
  const names = table(reviewers.map(({ name }) => [`  ${name}`, ':']));
  for (const [index, { state, text }] of reviewers.entries())
    out.line(`${names[index] ?? ''} ${out.style(COLOURS[state], text)}`);
  return 0;
}

const COLOURS = { healthy: 'green', missing: 'red', unhealthy: 'yellow' } as const;

/** The reviewers that the config names; without one, all that there are. */
async function reviewerStates(here: GatesHere | undefined, { cwd, env }: Context) {
  const { config, root = cwd } = here ?? {};
  const preferred = config?.reviewers.preference ?? [];
  const named = [...preferred, ...(config?.reviews ?? []).flatMap(({ preference }) => preference)];
  const names = named.length > 0 ? [...new Set(named)] : REVIEWERS;
  const health = new ReviewerHealth({
    root,
    env,
    logDir: logDirOf(root, config ?? { logDir: 'gauntlet_logs' }),
    checkUsageLimit: config?.reviewers.checkUsageLimit ?? false,
  });
  return Promise.all(
    names.map(async (name) => {
      const found = await health.of(name);
      const known = found.state === 'healthy' ? 'Installed' : 'Missing';
      return { name, state: found.state, text: found.state === 'unhealthy' ? found.message : known };
    }),
  );
}

function showConfig(
  known: GatesHere['files'],
  diagnostics: GatesHere['diagnostics'],
  { out }: Context,
): void {
  out.line(out.style('bold', 'Config validation:'));
  const files = new Set([...known, ...diagnostics.map(({ place }) => place.file)]);
  if (files.size === 0) out.line(`  ${out.style('yellow', NO_GATES)}`);
  for (const file of files) {
    const found = diagnostics.filter(({ place }) => place.file === file);
    if (found.length === 0) out.line(`  ${out.style('green', '✓')} ${printable(file)}`);
    for (const { severity, place, message, hint } of found) {
      const mark = severity === 'error' ? out.style('red', '✗') : out.style('yellow', '⚠');
      out.line(`  ${mark} ${printable(showPlace(place))}`);
      out.line(`      ${out.style('dim', message)}`);
      if (hint !== undefined) out.line(`      ${out.style('dim', hint)}`);
    }
  }
}

/** `holdpoint gates clean`. */
export function clean(context: Context, { json }: { readonly json: boolean }): ExitCode {
  const { out } = context;
  const here = gatesHere(context);
  const logDir = logDirHere(here, context.cwd);
  const cleaned = cleanByHand(logDir);
  const archived = cleaned.kind === 'archived';
  if (here?.config !== undefined && archived)
    debugLog(logDir, here.config)('CLEAN type=manual reason=command');
  if (json) out.json({ archived, log_dir: logDir, files: archived ? cleaned.files : [] });
  switch (cleaned.kind) {
    case 'archived':
    case 'nothing':
      if (!json) out.line(archived ? 'Logs archived successfully.' : 'There are no logs to archive.');
      return 0;
    case 'locked':
      out.error(`Error: ${runInProgress(cleaned.file, cleaned.holder, Date.now())}`);
      throw new Refusal(LOCK_HINT, 3);
    case 'failed':
      throw cannotRun(`Error: the logs could not be archived: ${cleaned.why}`);
  }
}

/** Logs can be put away even where the config has gone, or was never there. */
function logDirHere(here: GatesHere | undefined, cwd: string): string {
  if (here?.config !== undefined) return logDirOf(here.root, here.config);
  const root = here?.root ?? findGit(cwd)?.root ?? cwd;
  const [usual, own] = [join(root, 'gauntlet_logs'), join(root, '.holdpoint/logs')];
  return !existsSync(usual) && existsSync(own) ? own : usual;
}
