import { dirname, resolve } from 'node:path';
import { type Diagnostic, showPlace, wholeFile } from '../../config/diagnostics';
import { pointerOf } from '../../config/pointer';
import type { CompileContext } from '../../config/section';
import { compileChecks } from './compile-checks';
import { compileEntryPoints } from './compile-entry-points';
import { compileReviews } from './compile-reviews';
import type { GatesConfig } from './config';
import * as say from './config-messages';
import type { GatesInput } from './schema';

/** The gates with every default filled in; nothing where no project has any. */
export function compileGates(input: GatesInput, context: CompileContext): GatesConfig | undefined {
  if (!isOfProject(input, context)) return undefined;
  const home = homeOf(input, context);
  reportMissing(input, home, context);
  const gates = { checks: compileChecks(input, context), reviews: compileReviews(input, context) };
  const entryPoints = compileEntryPoints(input.entry_points ?? [], gates, context);
  return {
    home,
    baseBranch: input.base_branch ?? 'origin/main',
    logDir: logDirOf(input, home, context),
    allowParallel: input.allow_parallel ?? true,
    maxRetries: input.max_retries ?? 3,
    rerunNewIssueThreshold: input.rerun_new_issue_threshold ?? 'high',
    reviewers: {
      preference: input.cli?.default_preference ?? [],
      checkUsageLimit: input.cli?.check_usage_limit ?? false,
    },
    entryPoints,
    ...gates,
    debugLog: {
      enabled: input.debug_log?.enabled ?? false,
      maxSizeMb: input.debug_log?.max_size_mb ?? 10,
    },
    stopHook: {
      enabled: input.stop_hook?.enabled ?? true,
      intervalMinutes: input.stop_hook?.run_interval_minutes ?? 10,
      reverify: input.stop_hook?.reverify ?? false,
    },
    problems: context.errors().map(problemLine),
  };
}

/** What the person has set for all projects makes no project one with gates. */
function isOfProject(input: GatesInput, context: CompileContext): boolean {
  if (!context.layers.some((layer) => layer !== 'global')) return false;
  return placesOf(input, context).some((place) => !place.startsWith('~/'));
}

function homeOf(input: GatesInput, context: CompileContext): GatesConfig['home'] {
  const isOlder = placesOf(input, context).some((place) => place.startsWith('.gauntlet/'));
  return isOlder ? '.gauntlet' : '.holdpoint';
}

/** Where the section and its larger parts stand. */
function placesOf(input: GatesInput, context: CompileContext): string[] {
  return [['gates'], ['gates', 'entry_points'], ...gatePaths(input)].flatMap(
    (path) => context.place(pointerOf(path)) ?? [],
  );
}

function gatePaths({ checks = {}, reviews = {} }: GatesInput): string[][] {
  return [
    ...Object.keys(checks).map((name) => ['gates', 'checks', name]),
    ...Object.keys(reviews).map((name) => ['gates', 'reviews', name]),
  ];
}

/** Says what has to be there and is not, unless an error has told already why it is not. */
function reportMissing(input: GatesInput, home: GatesConfig['home'], context: CompileContext): void {
  const errors = context.errors();
  if (errors.some(({ switchesOff }) => switchesOff === wholeFile())) return;
  const around = [['gates'], ...gatePaths(input)];
  const report = (path: string[], message: string): void => {
    const isWritten = context.place(pointerOf(path)) !== undefined;
    if (isWritten && errors.length > 0) return;
    const placed = [path, ...around].map(pointerOf).find((pointer) => context.place(pointer) !== undefined);
    context.report(placed ?? '', { code: 'config.missing-key', severity: 'error', message });
  };
  if ((input.entry_points ?? []).length === 0) report(['gates', 'entry_points'], say.noEntryPoints());
  const wantsReviewers = home === '.gauntlet' || Object.keys(input.reviews ?? {}).length > 0;
  const hasReviewers = (input.cli?.default_preference ?? []).length > 0;
  if (wantsReviewers && !hasReviewers) report(['gates', 'cli', 'default_preference'], say.noReviewers());
}

/** Cleaning moves all that lies in the log directory, so it must hold nothing that anybody needs. */
function logDirOf(input: GatesInput, home: GatesConfig['home'], context: CompileContext): string {
  const standard = home === '.gauntlet' ? 'gauntlet_logs' : '.holdpoint/logs';
  const { log_dir: written = standard } = input;
  const dir = resolve(context.root, written);
  const needed = ['.git', '.gauntlet', '.holdpoint'].map((name) => resolve(context.root, name));
  const holds = needed.some((path) => path === dir || isAbove(dir, path));
  if (!holds) return written.replaceAll('\\', '/');
  const pointer = pointerOf(['gates', 'log_dir']);
  context.report(pointer, {
    code: 'config.invalid-value',
    severity: 'error',
    message: say.badLogDir(standard),
  });
  return standard;
}

function isAbove(dir: string, path: string): boolean {
  const parent = dirname(path);
  return parent !== path && (parent === dir || isAbove(dir, parent));
}

function problemLine({ place, message, hint }: Diagnostic): string {
  return `${showPlace(place)}: ${message}${hint === undefined ? '' : ` (${hint})`}`;
}
