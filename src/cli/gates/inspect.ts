import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { formatDiagnostic, showPlace } from '../../config/diagnostics';
import { findGit } from '../../git/head';
import type { GatesConfig } from '../../guards/gates/config';
import { REVIEWERS, ReviewerHealth } from '../../guards/gates/review/reviewers';
import { cleanByHand, currentLogs, debugLog, LOCK_NAME, logDirOf } from '../../guards/gates/run/logs';
import { runInProgress } from '../../guards/gates/run/messages';
import { type Context, cannotRun, type ExitCode, Refusal, report } from '../context';
import { openProject } from '../project';
import { refuseAgent } from '../req/context';
import { print, printError, printJson, styled, table } from '../ui/output';
import { readCi } from './ci';
import { diagnosticJson, noGates, type ProjectGates, projectGates, requireGates } from './project';
import { LOCK_HINT } from './run';

export function list(context: Context): ExitCode {
  const { config, errors } = requireGates(context);
  const value = { ...listJson(config), problems: errors.map(diagnosticJson) };
  report(context, value, listLines(config));
  for (const error of errors) printError(formatDiagnostic(error));
  return errors.length > 0 ? 2 : 0;
}

function listLines({ checks, reviews, entryPoints }: GatesConfig): string[] {
  const item = (name: string, more: string, mode?: string): string => {
    const marked = mode === undefined ? '' : ` ${styled('yellow', `[${mode}]`)}`;
    return ` - ${styled('bold', name)}${marked}${more === '' ? '' : ` ${styled('dim', more)}`}`;
  };
  return [
    styled('cyan', 'Check Gates:'),
    ...checks.map(({ name, command, mode }) => {
      const [first = '', ...more] = command.trim().split('\n');
      return item(name, `(${more.length > 0 ? `${first} …` : first})`, mode);
    }),
    '',
    styled('cyan', 'Review Gates:'),
    ...reviews.map(({ name, preference, mode }) => item(name, `(Tools: ${preference.join(', ')})`, mode)),
    '',
    styled('cyan', 'Entry Points:'),
    ...entryPoints.flatMap(({ path, exclude, checks: own, reviews: ownReviews }) => [
      item(path, exclude.length > 0 ? `(except ${exclude.join(', ')})` : ''),
      ...(own.length > 0 ? [`     Checks: ${own.join(', ')}`] : []),
      ...(ownReviews.length > 0 ? [`     Reviews: ${ownReviews.join(', ')}`] : []),
    ]),
  ];
}

function listJson({ checks, reviews, entryPoints }: GatesConfig): object {
  return {
    checks: checks.map(({ name, command, mode, place }) => ({ name, command, mode, place })),
    reviews: reviews.map(({ name, preference: tools, numReviews: num_reviews, mode, place }) => {
      return { name, tools, num_reviews, mode, place };
    }),
    entry_points: entryPoints.map(({ path, exclude, checks: own, reviews: ownReviews, place }) => {
      return { path, exclude, checks: own, reviews: ownReviews, place };
    }),
  };
}

export function validate(context: Context): ExitCode {
  const found = projectGates(context);
  const isUnread = found !== undefined && found.config === undefined && found.errors.length > 0;
  const here = isUnread ? found : requireGates(context);
  const ci = here.config === undefined ? [] : readCi({ ...here, config: here.config }).diagnostics;
  const diagnostics = [...here.diagnostics, ...ci];
  const valid = diagnostics.every(({ severity }) => severity === 'warning');
  const lines = valid ? [styled('green', 'All config files are valid.')] : [];
  const problems = [...(valid ? [] : ['Validation failed:']), ...diagnostics.map(formatDiagnostic)];
  const value = { valid, files: here.files, problems: diagnostics.map(diagnosticJson) };
  report(context, value, lines, problems);
  return valid ? 0 : 1;
}

export async function health(context: Context): Promise<ExitCode> {
  const here = projectGates(context);
  const reviewers = await reviewerStates(here, context);
  const { config, files = [], diagnostics = [] } = here ?? {};
  const names = table(reviewers.map(({ name }) => [`  ${name}`, ':']));
  const problems = diagnostics.map(diagnosticJson);
  return report(context, { configured: config !== undefined, files, problems, reviewers }, [
    ...configLines(files, diagnostics, context),
    '',
    styled('bold', 'Reviewers:'),
    ...reviewers.map(({ state, text }, at) => `${names[at] ?? ''} ${styled(COLOURS[state], text)}`),
  ]);
}

const COLOURS = { healthy: 'green', missing: 'red', unhealthy: 'yellow' } as const;

/** The reviewers that the config names, or all known ones if it names none. */
async function reviewerStates(here: ProjectGates | undefined, { cwd, env }: Context) {
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

function configLines(
  known: ProjectGates['files'],
  diagnostics: ProjectGates['diagnostics'],
  context: Context,
): string[] {
  const files = new Set([...known, ...diagnostics.map(({ place }) => place.file)]);
  const lines = [...files].flatMap((file) => {
    const found = diagnostics.filter(({ place }) => place.file === file);
    if (found.length === 0) return [`  ${styled('green', '✓')} ${file}`];
    return found.flatMap(({ severity, place, message, hint }) => [
      `  ${severity === 'error' ? styled('red', '✗') : styled('yellow', '⚠')} ${showPlace(place)}`,
      ...[message, hint ?? []].flat().map((text) => `      ${styled('dim', text)}`),
    ]);
  });
  const none = `  ${styled('yellow', noGates(context))}`;
  return [styled('bold', 'Config validation:'), ...(lines.length === 0 ? [none] : lines)];
}

export function clean(context: Context): ExitCode {
  const { json } = context;
  const here = projectGates(context);
  const logDir = logDirHere(here, context.cwd);
  // Logs of gates mean that something failed: without them, its findings and the retries are forgotten.
  const project = currentLogs(logDir).ofGates ? openProject(context) : undefined;
  if (project !== undefined) refuseAgent('archive what the gates have found', project);
  const cleaned = cleanByHand(logDir);
  const archived = cleaned.kind === 'archived';
  if (here?.config !== undefined && archived)
    debugLog(logDir, here.config)('CLEAN type=manual reason=command');
  if (json) printJson({ archived, log_dir: logDir, files: archived ? cleaned.files : [] });
  switch (cleaned.kind) {
    case 'archived':
    case 'nothing':
      if (!json) print(archived ? 'Logs archived successfully.' : 'No logs to archive.');
      return 0;
    case 'locked': {
      const lock = join(logDir, LOCK_NAME);
      printError(`Error: ${runInProgress(lock, cleaned.holder, Date.now(), here?.config?.home)}`);
      throw new Refusal(LOCK_HINT, 3);
    }
    case 'failed':
      throw cannotRun(`Error: logs could not be archived: ${cleaned.why}`);
  }
}

/** Logs can be archived even if the config was removed or never existed. */
function logDirHere(here: ProjectGates | undefined, cwd: string): string {
  if (here?.config !== undefined) return logDirOf(here.root, here.config);
  const root = here?.root ?? findGit(cwd)?.root ?? cwd;
  const [usual, own] = [join(root, 'gauntlet_logs'), join(root, '.holdpoint/logs')];
  if (existsSync(usual)) return usual;
  return existsSync(join(root, '.gauntlet')) && !existsSync(own) ? usual : own;
}
