import { realpathSync } from 'node:fs';
import { dirname, isAbsolute, join, posix, resolve, sep } from 'node:path';
import { type Diagnostic, showPlace, wholeFile } from '../../config/diagnostics';
import { didYouMean, nearest } from '../../config/nearest';
import { pointerOf } from '../../config/pointer';
import type { CompileContext } from '../../config/section';
import type { CheckGate, EntryPoint, GatesConfig, ReviewGate } from './config';
import type { CheckInput, EntryPointInput, GatesInput, ReviewInput } from './section';

// The words for what is wrong between the parts of the gates' config.

export function noEntryPoints(): string {
  return '`entry_points` is missing: without one no gate ever runs';
}

export function noReviewers(): string {
  return '`cli.default_preference` is missing: it names the reviewers that may be asked';
}

export function badLogDir(standard: string): string {
  return `\`log_dir\` holds more than logs, which are moved and deleted; ${standard} is used instead`;
}

export function noSuchGate(entryPoint: string, kind: 'check' | 'review', name: string): string {
  return `Entry point "${entryPoint}" references non-existent ${kind} gate: "${name}"`;
}

export function gateIsOff(entryPoint: string, kind: 'check' | 'review', name: string): string {
  return `Entry point "${entryPoint}" goes without the ${kind} "${name}", which is switched off`;
}

export function noGates(entryPoint: string): string {
  return `Entry point "${entryPoint}" names no gates, so changes there have nothing to pass`;
}

export function pathLeadsOut(path: string): string {
  return `\`path\` must lead below the project, which "${path}" does not`;
}

export function notPreferred(tool: string, allowed: readonly string[]): string {
  return `\`cli_preference\` names ${tool}, which is not in \`cli.default_preference\` (${allowed.join(', ')})`;
}

export function instructionsLeadOut(home: string): string {
  return `\`fix_instructions\` must be a path below ${home}/`;
}

export function noInstructions(path: string): string {
  return `\`fix_instructions\` names ${path}, which does not exist`;
}

export function unreadInstructions(path: string, why: string): string {
  return `\`fix_instructions\` names ${path}: ${why}`;
}

export function compileChecks({ checks = {} }: GatesInput, context: CompileContext): CheckGate[] {
  return Object.entries(checks).map(([name, input]) => compileCheck(name, input, context));
}

function compileCheck(name: string, input: CheckInput, context: CompileContext): CheckGate {
  const { working_directory: directory, timeout } = input;
  const instructions = instructionsOf(name, input, context);
  return {
    name,
    place: context.place(pointerOf(['gates', 'checks', name])) ?? '',
    command: input.command,
    ...(directory !== undefined && { workingDirectory: plainPath(directory) }),
    parallel: input.parallel ?? false,
    runInCi: input.run_in_ci ?? true,
    runLocally: input.run_locally ?? true,
    ...(timeout !== undefined && { timeout }),
    failFast: input.fail_fast ?? false,
    ...(instructions !== undefined && { fixInstructions: instructions }),
    cache: input.cache ?? true,
  };
}

/** Without `./` at its beginning and `/` at its end. */
export function plainPath(path: string): string {
  const plain = posix.normalize(path.replaceAll('\\', '/'));
  return plain.length > 1 ? plain.replace(/\/$/, '') : plain;
}

/** The text of the file, which lies beside the config; the check runs without it if there is trouble. */
function instructionsOf(name: string, input: CheckInput, context: CompileContext): string | undefined {
  if (input.fix_instructions === undefined) return undefined;
  const pointer = pointerOf(['gates', 'checks', name, 'fix_instructions']);
  const refuse = (message: string): undefined =>
    void context.report(pointer, {
      code: 'config.invalid-value',
      severity: 'error',
      message,
      switchesOff: 'fix_instructions',
    });
  const home = context.place(pointer)?.startsWith('.gauntlet/') ? '.gauntlet' : '.holdpoint';
  const path = plainPath(input.fix_instructions);
  if (isAbsolute(path) || path === '..' || path.startsWith('../')) return refuse(instructionsLeadOut(home));
  const file = join(context.root, home, path);
  const loaded = context.read(file);
  switch (loaded.kind) {
    case 'missing':
      return refuse(noInstructions(`${home}/${path}`));
    case 'refused':
      return refuse(unreadInstructions(`${home}/${path}`, loaded.finding.message));
    case 'text':
      return isInside(context.root, file) ? loaded.text : refuse(instructionsLeadOut(home));
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
export function compileEntryPoints(
  inputs: readonly EntryPointInput[],
  gates: Gates,
  context: CompileContext,
): EntryPoint[] {
  return inputs.flatMap((input, at) => {
    const pointer = (...keys: string[]): string => pointerOf(['gates', 'entry_points', String(at), ...keys]);
    const path = plainPath(input.path);
    if (isAbsolute(path) || /^(?:\.\.(?:\/|$)|[A-Za-z]:\/)/.test(path)) {
      const message = pathLeadsOut(input.path);
      const switchesOff = `entry point "${input.path}"`;
      context.report(pointer('path'), {
        code: 'config.invalid-value',
        severity: 'error',
        message,
        switchesOff,
      });
      return [];
    }
    const { checks = [], reviews = [], exclude = [] } = input;
    if (checks.length + reviews.length === 0) {
      const message = noGates(path);
      context.report(pointer('path'), { code: 'config.invalid-value', severity: 'warning', message });
    }
    const known = (kind: 'check' | 'review', names: readonly string[]): string[] =>
      names.filter((name, index) =>
        isKnown(kind, name, path, pointer(`${kind}s`, String(index)), gates, context),
      );
    return [
      {
        path,
        place: context.place(pointer()) ?? '',
        exclude: exclude.map(withoutFrame),
        checks: known('check', checks),
        reviews: known('review', reviews),
      },
    ];
  });
}

/** In a pattern a backslash may take the meaning from what follows, so only the ends are looked at. */
function withoutFrame(pattern: string): string {
  const bare = pattern.replace(/^(?:\.\/)+/, '').replace(/\/+$/, '');
  return bare === '' ? '.' : bare;
}

/** Whether a gate is in force; if not, says whether it was ever there. */
function isKnown(
  kind: 'check' | 'review',
  name: string,
  path: string,
  pointer: string,
  gates: Gates,
  context: CompileContext,
): boolean {
  const names = gates[`${kind}s`].map((gate) => gate.name);
  if (names.includes(name)) return true;
  if (context.place(pointerOf(['gates', `${kind}s`, name])) !== undefined) {
    const message = gateIsOff(path, kind, name);
    context.report(pointer, { code: 'config.invalid-value', severity: 'warning', message });
    return false;
  }
  const meant = nearest(name, names);
  context.report(pointer, {
    code: 'config.invalid-value',
    severity: 'error',
    message: noSuchGate(path, kind, name),
    ...(meant !== undefined && { hint: didYouMean(meant) }),
  });
  return false;
}

/** The reviews that somebody is there to do. */
export function compileReviews(input: GatesInput, context: CompileContext): ReviewGate[] {
  const allowed = input.cli?.default_preference ?? [];
  return Object.entries(input.reviews ?? {}).flatMap(([name, review]) => {
    const preference = review.cli_preference ?? allowed;
    const refused = reportForeign(name, preference, allowed, context);
    return refused || preference.length === 0 ? [] : [compileReview(name, review, preference, context)];
  });
}

function compileReview(
  name: string,
  input: ReviewInput,
  preference: readonly string[],
  context: CompileContext,
): ReviewGate {
  const { model, timeout } = input;
  return {
    name,
    place: context.place(pointerOf(['gates', 'reviews', name])) ?? '',
    prompt: input.prompt.trim(),
    ...(model !== undefined && model.trim() !== '' && { model: model.trim() }),
    preference: [...new Set(preference)],
    numReviews: input.num_reviews ?? 1,
    parallel: input.parallel ?? true,
    runInCi: input.run_in_ci ?? true,
    runLocally: input.run_locally ?? true,
    ...(timeout !== undefined && { timeout }),
    cache: input.cache ?? true,
  };
}

/** The default list is also the list of who may be asked at all. */
function reportForeign(
  name: string,
  preference: readonly string[],
  allowed: readonly string[],
  context: CompileContext,
): boolean {
  const foreign = allowed.length === 0 ? [] : preference.filter((tool) => !allowed.includes(tool));
  for (const tool of foreign) {
    const at = String(preference.indexOf(tool));
    context.report(pointerOf(['gates', 'reviews', name, 'cli_preference', at]), {
      code: 'config.invalid-value',
      severity: 'error',
      message: notPreferred(tool, allowed),
      switchesOff: `gates.reviews.${name}`,
    });
  }
  return foreign.length > 0;
}

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
  if ((input.entry_points ?? []).length === 0) report(['gates', 'entry_points'], noEntryPoints());
  const wantsReviewers = home === '.gauntlet' || Object.keys(input.reviews ?? {}).length > 0;
  const hasReviewers = (input.cli?.default_preference ?? []).length > 0;
  if (wantsReviewers && !hasReviewers) report(['gates', 'cli', 'default_preference'], noReviewers());
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
    message: badLogDir(standard),
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
