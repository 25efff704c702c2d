import { realpathSync } from 'node:fs';
import { isAbsolute, join, posix, resolve, sep } from 'node:path';
import {
  type Diagnostic,
  diagnosticLine,
  didYouMean,
  errorFinding,
  nearest,
  wholeFile,
} from '../../config/diagnostics';
import { pointerOf } from '../../config/pointer';
import type { CompileContext } from '../../config/section';
import type { ReviewerName } from './review/reviewers';
import type { CheckInput, EntryPointInput, GatesInput, ReviewInput } from './section';

type Path = readonly string[];
type Home = '.gauntlet' | '.holdpoint';

/** Reports an invalid value; `more` is merged into the diagnostic. */
function report(
  context: CompileContext,
  path: Path,
  message: string,
  more: Pick<Partial<Diagnostic>, 'severity' | 'switchesOff' | 'hint'> = {},
): void {
  context.report(pointerOf(path), { ...errorFinding('config.invalid-value', message), ...more });
}

export function compileCheck(name: string, input: CheckInput, context: CompileContext) {
  const { command, working_directory: directory, parallel = false, fail_fast: failFast = false } = input;
  const instructions = instructionsOf(name, input, context);
  return {
    ...commonParts('checks', name, input, context),
    command,
    ...(directory !== undefined && { workingDirectory: plainPath(directory) }),
    parallel,
    failFast,
    ...(instructions !== undefined && { fixInstructions: instructions }),
  };
}

function commonParts(
  kind: 'checks' | 'reviews',
  name: string,
  input: CheckInput | ReviewInput,
  context: CompileContext,
) {
  const { mode = 'hold', timeout, cache = true } = input;
  return {
    name,
    place: context.place(pointerOf(['gates', kind, name])) ?? '',
    ...(mode !== 'hold' && { mode }),
    runInCi: input.run_in_ci ?? true,
    runLocally: input.run_locally ?? true,
    ...(timeout !== undefined && { timeout }),
    cache,
  };
}

/** Normalizes slashes, and removes a leading `./` and a trailing `/`. */
function plainPath(path: string): string {
  const plain = posix.normalize(path.replaceAll('\\', '/'));
  return plain.length > 1 ? plain.replace(/\/$/, '') : plain;
}

/** Reads the file next to the config. If it cannot be used, the check runs without it. */
function instructionsOf(name: string, input: CheckInput, context: CompileContext): string | undefined {
  if (input.fix_instructions === undefined) return undefined;
  const pointer = ['gates', 'checks', name, 'fix_instructions'];
  const home = context.place(pointerOf(pointer))?.startsWith('.gauntlet/') ? '.gauntlet' : '.holdpoint';
  const reject = (problem: string): void =>
    report(context, pointer, `\`fix_instructions\` ${problem}`, { switchesOff: 'fix_instructions' });
  const leadsOut = `must be a path below ${home}/`;
  const path = plainPath(input.fix_instructions);
  if (isAbsolute(path) || path === '..' || path.startsWith('../')) return void reject(leadsOut);
  const file = join(context.root, home, path);
  const loaded = context.read(file);
  switch (loaded.kind) {
    case 'missing':
      return void reject(`names ${home}/${path}, which does not exist`);
    case 'refused':
      return void reject(`names ${home}/${path}: ${loaded.finding.message}`);
    case 'text':
      // A symlink must not point outside the project: the agent is shown the file's content.
      if (!realpathSync(file).startsWith(realpathSync(context.root) + sep)) return void reject(leadsOut);
      return loaded.text;
  }
}

/** Keeps only gates in force. Entry points with equal paths are not merged: their excludes may differ. */
export function compileEntryPoints(
  inputs: readonly EntryPointInput[],
  gates: Record<'checks' | 'reviews', readonly { readonly name: string }[]>,
  context: CompileContext,
) {
  return inputs.flatMap((input, at) => {
    const pointer = ['gates', 'entry_points', String(at)];
    const path = plainPath(input.path);
    if (isAbsolute(path) || /^(?:\.\.(?:\/|$)|[A-Za-z]:\/)/.test(path)) {
      const message = `\`path\` must be inside the project; "${input.path}" is not`;
      report(context, [...pointer, 'path'], message, { switchesOff: `entry point "${input.path}"` });
      return [];
    }
    const { checks = [], reviews = [], exclude = [] } = input;
    if (checks.length + reviews.length === 0) {
      const message = `Entry point "${path}" has no gates`;
      report(context, [...pointer, 'path'], message, { severity: 'warning' });
    }
    const known = (kind: 'check' | 'review', written: readonly string[]): string[] => {
      const names = gates[`${kind}s`].map(({ name }) => name);
      written.forEach((name, index) => {
        if (names.includes(name)) return;
        const wasThere = context.place(pointerOf(['gates', `${kind}s`, name])) !== undefined;
        const meant = nearest(name, names);
        const hint = meant !== undefined && { hint: didYouMean(meant) };
        const [message, more] = wasThere
          ? [`runs without the ${kind} "${name}", which is disabled`, { severity: 'warning' } as const]
          : [`references non-existent ${kind} gate: "${name}"`, hint || {}];
        report(context, [...pointer, `${kind}s`, String(index)], `Entry point "${path}" ${message}`, more);
      });
      return written.filter((name) => names.includes(name));
    };
    return [
      {
        path,
        place: context.place(pointerOf(pointer)) ?? '',
        exclude: exclude.map(trimPattern),
        checks: known('check', checks),
        reviews: known('review', reviews),
      },
    ];
  });
}

/** Trims only the ends: in a glob, a backslash may be an escape and not a path separator. */
function trimPattern(pattern: string): string {
  return pattern.replace(/^(?:\.\/)+/, '').replace(/\/+$/, '') || '.';
}

/** Drops reviews without reviewers. `cli.default_preference` also limits which reviewers are allowed. */
export function compileReviews(input: GatesInput, context: CompileContext) {
  const allowed = input.cli?.default_preference ?? [];
  return Object.entries(input.reviews ?? {}).flatMap(([name, review]) => {
    const preference = review.cli_preference ?? allowed;
    const foreign = allowed.length === 0 ? [] : preference.filter((tool) => !allowed.includes(tool));
    for (const tool of foreign) {
      const pointer = ['gates', 'reviews', name, 'cli_preference', String(preference.indexOf(tool))];
      const message = `\`cli_preference\` names ${tool}, which is not in \`cli.default_preference\` (${allowed.join(', ')})`;
      report(context, pointer, message, { switchesOff: `gates.reviews.${name}` });
    }
    if (foreign.length > 0 || preference.length === 0) return [];
    const model = review.model?.trim();
    return [
      {
        ...commonParts('reviews', name, review, context),
        prompt: review.prompt.trim(),
        ...(model && { model }),
        preference: [...new Set(preference)] as readonly ReviewerName[],
        numReviews: review.num_reviews ?? 1,
        parallel: review.parallel ?? true,
      },
    ];
  });
}

/** Fills in every default; `undefined` if the project has no gates. */
export function compileGates(input: GatesInput, context: CompileContext) {
  const { checks = {}, reviews = {}, cli = {}, entry_points: entryPoints = [] } = input;
  const { stop_hook: stopHook = {}, debug_log: debugLog = {} } = input;
  const preference: readonly ReviewerName[] = cli.default_preference ?? [];
  const { enabled = true, run_interval_minutes: intervalMinutes = 10, reverify = false } = stopHook;
  const paths = [
    ...Object.keys(checks).map((name) => ['gates', 'checks', name]),
    ...Object.keys(reviews).map((name) => ['gates', 'reviews', name]),
  ];
  const written = [['gates'], ['gates', 'entry_points'], ...paths];
  const places = written.flatMap((path) => context.place(pointerOf(path)) ?? []);
  // The user's global settings alone do not give a project gates.
  const isOfProject = context.layers.some((layer) => layer !== 'global');
  if (!isOfProject || places.every((place) => place.startsWith('~/'))) return undefined;
  // Default paths and names depend on whether agent-gauntlet's own directory is in use.
  const isOlder = places.some((place) => place.startsWith('.gauntlet/'));
  const home: Home = isOlder ? '.gauntlet' : '.holdpoint';
  reportMissing(input, home, [['gates'], ...paths], context);
  const gates = {
    checks: Object.entries(checks).map(([name, check]) => compileCheck(name, check, context)),
    reviews: compileReviews(input, context),
  };
  return {
    home,
    entryPoints: compileEntryPoints(entryPoints, gates, context),
    baseBranch: input.base_branch ?? 'origin/main',
    logDir: logDirOf(input, home, context),
    weakening: input.weakening ?? ('tell' as const),
    allowParallel: input.allow_parallel ?? true,
    maxRetries: input.max_retries ?? 3,
    rerunNewIssueThreshold: input.rerun_new_issue_threshold ?? 'high',
    reviewers: { preference, checkUsageLimit: cli.check_usage_limit ?? false },
    ...gates,
    debugLog: { enabled: debugLog.enabled ?? false, maxSizeMb: debugLog.max_size_mb ?? 10 },
    stopHook: { enabled, intervalMinutes, reverify },
    problems: context.errors().map(diagnosticLine),
  };
}

/** Reports missing required keys, unless an earlier error already explains their absence. */
function reportMissing(
  input: GatesInput,
  home: Home,
  around: readonly Path[],
  context: CompileContext,
): void {
  const errors = context.errors();
  if (errors.some(({ switchesOff }) => switchesOff === wholeFile())) return;
  const reportAt = (path: Path, message: string): void => {
    const isWritten = context.place(pointerOf(path)) !== undefined;
    if (isWritten && errors.length > 0) return;
    const placed = [path, ...around].map(pointerOf).find((pointer) => context.place(pointer) !== undefined);
    context.report(placed ?? '', errorFinding('config.missing-key', message));
  };
  if (!input.entry_points?.length) {
    reportAt(['gates', 'entry_points'], '`entry_points` is missing: without one no gate runs');
  }
  const wantsReviewers = home === '.gauntlet' || Object.keys(input.reviews ?? {}).length > 0;
  if (wantsReviewers && !input.cli?.default_preference?.length) {
    const message = '`cli.default_preference` is missing: it lists the reviewers to use';
    reportAt(['gates', 'cli', 'default_preference'], message);
  }
}

/** Directories whose files are needed for something else. */
const RESERVED = '.git .gauntlet/checks .gauntlet/reviews .holdpoint/rules .holdpoint/recordings'.split(' ');

/** Logs are moved and deleted and count as no change, so the log directory must not have other files. */
function logDirOf(input: GatesInput, home: Home, context: CompileContext): string {
  const standard = home === '.gauntlet' ? 'gauntlet_logs' : '.holdpoint/logs';
  const { log_dir: written = standard, entry_points: entryPoints = [] } = input;
  const below = (path: string): string => join(resolve(context.root, path), '/');
  const dir = below(written);
  const entries = entryPoints.map(({ path }) => below(plainPath(path)));
  const holdsMore =
    [...RESERVED, ...entries].some((path) => below(path).startsWith(dir)) ||
    RESERVED.some((path) => dir.startsWith(below(path)));
  const isOutside = !dir.startsWith(below('.'));
  if (!isOutside && !holdsMore) return written.replaceAll('\\', '/');
  const what = holdsMore ? 'contains more than logs' : 'must be inside the project';
  const message = `\`log_dir\` ${what}, and logs are moved and deleted; using ${standard} instead`;
  report(context, ['gates', 'log_dir'], message);
  return standard;
}
