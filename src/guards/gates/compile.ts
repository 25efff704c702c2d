import { realpathSync } from 'node:fs';
import { isAbsolute, join, posix, resolve, sep } from 'node:path';
import { type Diagnostic, showPlace, wholeFile } from '../../config/diagnostics';
import { didYouMean, nearest } from '../../config/nearest';
import { pointerOf } from '../../config/pointer';
import type { CompileContext } from '../../config/section';
import type { CheckGate, CommonGate, EntryPoint, GatesConfig, ReviewGate } from './config';
import type { CheckInput, EntryPointInput, GatesInput, ReviewInput } from './section';

type GateKind = 'check' | 'review';

/** Reports an invalid value as an error; the more is part of the finding. */
function refuse(
  context: CompileContext,
  path: readonly string[],
  message: string,
  more: { readonly switchesOff?: string; readonly hint?: string } = {},
): void {
  const finding = { code: 'config.invalid-value', severity: 'error', message, ...more } as const;
  context.report(pointerOf(path), finding);
}

function warn(context: CompileContext, path: readonly string[], message: string): void {
  context.report(pointerOf(path), { code: 'config.invalid-value', severity: 'warning', message });
}

function compileCheck(name: string, input: CheckInput, context: CompileContext): CheckGate {
  const { working_directory: directory } = input;
  const instructions = instructionsOf(name, input, context);
  return {
    ...commonParts('checks', name, input, context),
    command: input.command,
    ...(directory !== undefined && { workingDirectory: plainPath(directory) }),
    parallel: input.parallel ?? false,
    failFast: input.fail_fast ?? false,
    ...(instructions !== undefined && { fixInstructions: instructions }),
  };
}

function commonParts(
  kind: 'checks' | 'reviews',
  name: string,
  { timeout, run_in_ci: inCi, run_locally: locally, cache }: CheckInput | ReviewInput,
  context: CompileContext,
): Omit<CommonGate, 'parallel'> {
  return {
    name,
    place: context.place(pointerOf(['gates', kind, name])) ?? '',
    runInCi: inCi ?? true,
    runLocally: locally ?? true,
    ...(timeout !== undefined && { timeout }),
    cache: cache ?? true,
  };
}

/** Without `./` at its beginning and `/` at its end. */
function plainPath(path: string): string {
  const plain = posix.normalize(path.replaceAll('\\', '/'));
  return plain.length > 1 ? plain.replace(/\/$/, '') : plain;
}

/** The text of the file, which lies beside the config; the check runs without it if there is trouble. */
function instructionsOf(name: string, input: CheckInput, context: CompileContext): string | undefined {
  if (input.fix_instructions === undefined) return undefined;
  const pointer = ['gates', 'checks', name, 'fix_instructions'];
  const home = context.place(pointerOf(pointer))?.startsWith('.gauntlet/') ? '.gauntlet' : '.holdpoint';
  const reject = (problem: string): void =>
    refuse(context, pointer, `\`fix_instructions\` ${problem}`, { switchesOff: 'fix_instructions' });
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
      return isInside(context.root, file) ? loaded.text : void reject(leadsOut);
  }
}

/** A link must not lead out of the project: what it names would be shown to the agent. */
function isInside(root: string, file: string): boolean {
  return realpathSync(file).startsWith(realpathSync(root) + sep);
}

interface Gates {
  readonly checks: readonly CheckGate[];
  readonly reviews: readonly ReviewGate[];
}

/** The entry points with the gates that are in force. Several for one path stay several: their excludes differ. */
function compileEntryPoints(
  inputs: readonly EntryPointInput[],
  gates: Gates,
  context: CompileContext,
): EntryPoint[] {
  return inputs.flatMap((input, at) => {
    const pointer = ['gates', 'entry_points', String(at)];
    const path = plainPath(input.path);
    if (isAbsolute(path) || /^(?:\.\.(?:\/|$)|[A-Za-z]:\/)/.test(path)) {
      const message = `\`path\` must lead below the project, which "${input.path}" does not`;
      refuse(context, [...pointer, 'path'], message, { switchesOff: `entry point "${input.path}"` });
      return [];
    }
    const { checks = [], reviews = [], exclude = [] } = input;
    if (checks.length + reviews.length === 0) {
      const message = `Entry point "${path}" names no gates, so changes there have nothing to pass`;
      warn(context, [...pointer, 'path'], message);
    }
    const known = (kind: GateKind, names: readonly string[]): string[] =>
      names.filter((name, index) =>
        isKnown(kind, name, path, [...pointer, `${kind}s`, String(index)], gates, context),
      );
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

/** In a pattern a backslash may take the meaning from what follows, so only the ends are looked at. */
function trimPattern(pattern: string): string {
  const bare = pattern.replace(/^(?:\.\/)+/, '').replace(/\/+$/, '');
  return bare === '' ? '.' : bare;
}

/** Whether a gate is in force; if not, says whether it was ever there. */
function isKnown(
  kind: GateKind,
  name: string,
  path: string,
  pointer: readonly string[],
  gates: Gates,
  context: CompileContext,
): boolean {
  const names = gates[`${kind}s`].map((gate) => gate.name);
  if (names.includes(name)) return true;
  if (context.place(pointerOf(['gates', `${kind}s`, name])) !== undefined) {
    const message = `Entry point "${path}" goes without the ${kind} "${name}", which is switched off`;
    warn(context, pointer, message);
    return false;
  }
  const meant = nearest(name, names);
  const message = `Entry point "${path}" references non-existent ${kind} gate: "${name}"`;
  refuse(context, pointer, message, meant === undefined ? {} : { hint: didYouMean(meant) });
  return false;
}

/** The reviews that somebody is there to do. The default list is also the list of who may be asked at all. */
function compileReviews(input: GatesInput, context: CompileContext): ReviewGate[] {
  const allowed = input.cli?.default_preference ?? [];
  return Object.entries(input.reviews ?? {}).flatMap(([name, review]) => {
    const preference = review.cli_preference ?? allowed;
    const foreign = allowed.length === 0 ? [] : preference.filter((tool) => !allowed.includes(tool));
    for (const tool of foreign) {
      const pointer = ['gates', 'reviews', name, 'cli_preference', String(preference.indexOf(tool))];
      const message = `\`cli_preference\` names ${tool}, which is not in \`cli.default_preference\` (${allowed.join(', ')})`;
      refuse(context, pointer, message, { switchesOff: `gates.reviews.${name}` });
    }
    if (foreign.length > 0 || preference.length === 0) return [];
    const model = review.model?.trim();
    return [
      {
        ...commonParts('reviews', name, review, context),
        prompt: review.prompt.trim(),
        ...(model && { model }),
        preference: [...new Set(preference)],
        numReviews: review.num_reviews ?? 1,
        parallel: review.parallel ?? true,
      },
    ];
  });
}

/** The gates with every default filled in; nothing where no project has any. */
export function compileGates(input: GatesInput, context: CompileContext): GatesConfig | undefined {
  if (!isOfProject(input, context)) return undefined;
  const home = homeOf(input, context);
  reportMissing(input, home, context);
  const checks = Object.entries(input.checks ?? {}).map(([name, check]) =>
    compileCheck(name, check, context),
  );
  const gates = { checks, reviews: compileReviews(input, context) };
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
  if ((input.entry_points ?? []).length === 0) {
    report(['gates', 'entry_points'], '`entry_points` is missing: without one no gate ever runs');
  }
  const wantsReviewers = home === '.gauntlet' || Object.keys(input.reviews ?? {}).length > 0;
  const hasReviewers = (input.cli?.default_preference ?? []).length > 0;
  if (wantsReviewers && !hasReviewers) {
    const message = '`cli.default_preference` is missing: it names the reviewers that may be asked';
    report(['gates', 'cli', 'default_preference'], message);
  }
}

/** Cleaning moves all that lies in the log directory, so it must hold nothing that anybody needs. */
function logDirOf(input: GatesInput, home: GatesConfig['home'], context: CompileContext): string {
  const standard = home === '.gauntlet' ? 'gauntlet_logs' : '.holdpoint/logs';
  const { log_dir: written = standard } = input;
  const dir = resolve(context.root, written);
  const needed = ['.git', '.gauntlet', '.holdpoint'].map((name) => resolve(context.root, name));
  if (!needed.some((path) => `${path}/`.startsWith(join(dir, '/')))) return written.replaceAll('\\', '/');
  const message = `\`log_dir\` holds more than logs, which are moved and deleted; ${standard} is used instead`;
  refuse(context, ['gates', 'log_dir'], message);
  return standard;
}

function problemLine({ place, message, hint }: Diagnostic): string {
  return `${showPlace(place)}: ${message}${hint === undefined ? '' : ` (${hint})`}`;
}
