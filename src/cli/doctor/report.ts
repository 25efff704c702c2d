import { accessSync, constants, statSync } from 'node:fs';
import { isAbsolute, resolve } from 'node:path';
import { attempt, detailOf, errorCode } from '../../core/failure';
import type { InstallTarget, Scope } from '../../hosts/setup';
import { type Context, cannotRun, type ExitCode, type Options, report } from '../context';
import { type InstalledFile, wiredLines } from '../install/installed-state';
import { launchState } from '../install/launch';
import { plural, styled } from '../ui/output';

type Category = 'runtime' | 'project' | 'state' | 'hook';

export type Fix = {
  readonly description: string;
  /** Whether the command is harmless. */
  readonly safe: boolean;
  readonly command: string | null;
};

/** One finding of doctor. Scripts rely on this shape. */
export type Check = ReturnType<typeof passed>;

const SEVERITIES = { pass: 'info', warn: 'warning', fail: 'critical' } as const;
type Status = keyof typeof SEVERITIES;

/** The category of a check is the part of its id before the dot. */
const checkOf =
  (status: Status) =>
  (id: `${Category}.${string}`, message: string, fix: Fix | null = null) => {
    const category = id.slice(0, id.indexOf('.')) as Category;
    return { id: id as string, category, status, severity: SEVERITIES[status], message, fix } as const;
  };

export const passed = checkOf('pass');
/** A problem despite which agents are held. */
export const warned = checkOf('warn');
/** A problem because of which agents are not held, or are held wrongly. */
export const failed = checkOf('fail');

/** A fix that a person should consider first. */
export function advice(description: string, command: string | null = null): Fix {
  return { description, safe: false, command };
}

export type Report = ReturnType<typeof reportOn>;

export function reportOn(checks: readonly Check[]) {
  const count = (status: Status): number => checks.filter((one) => one.status === status).length;
  const [warnings, critical] = [count('warn'), count('fail')];
  return {
    status: critical > 0 ? 'critical' : warnings > 0 ? 'warning' : 'ok',
    exit_code: critical > 0 ? 1 : 0,
    summary: { total: checks.length, passed: count('pass'), warnings, critical },
    checks,
  } as const;
}

const SIGNS = { pass: ['✓', 'green'], warn: ['!', 'yellow'], fail: ['✗', 'red'] } as const;

/** The report for people; with `quiet`, only what did not pass. */
function reportLines({ checks, summary }: Report, quiet: boolean): string[] {
  const shown = quiet ? checks.filter(({ status }) => status !== 'pass') : checks;
  const { total, passed: fine, warnings, critical } = summary;
  return [
    ...shown.flatMap(({ id, status, message, fix }) => {
      const [sign, style] = SIGNS[status];
      const line = `${styled(style, sign)} ${styled('bold', id.padEnd(19))} ${styled(style, message)}`;
      if (fix === null) return [line];
      const { description, command } = fix;
      return [line, `    ${styled('dim', command === null ? description : `${description}: ${command}`)}`];
    }),
    styled('bold', `${fine} of ${total} checks passed, ${plural(warnings, 'warning')}, ${critical} critical`),
  ];
}

export type DoctorOptions = Options<'verbose' | 'ci', 'repo'>;

export async function runDoctor(
  context: Context,
  values: DoctorOptions,
  examine: (context: Context) => readonly Check[] | Promise<readonly Check[]>,
): Promise<ExitCode> {
  const cwd = resolve(context.cwd, values.repo ?? '.');
  const isDirectory = attempt(() => statSync(cwd).isDirectory()) === true;
  if (values.repo !== undefined && !isDirectory)
    throw cannotRun(`${cwd} is not a directory. Nothing was checked.`);
  const found = reportOn(await examine({ ...context, cwd }));
  report(context, found, reportLines(found, values.ci && !values.verbose));
  return found.exit_code;
}

const SET_HOME = advice('Set HOME to your home directory where the agent is started');

export function homeCheck(env: Context['env']): Check | undefined {
  const home = env['HOME'] ?? '';
  if (home === '') {
    const why = 'HOME is not set, so the files that start the hook cannot be found';
    return failed('runtime.home', why, SET_HOME);
  }
  if (!isAbsolute(home)) {
    const why =
      'which is not an absolute path: the files that start the hook are found from one directory only';
    return failed('runtime.home', `HOME is '${home}', ${why}`, SET_HOME);
  }
  try {
    accessSync(`${home}/.`, constants.X_OK);
    return undefined;
  } catch (error) {
    // A missing home is fine: an installation creates it.
    if (errorCode(error) === 'ENOENT') return undefined;
    const why = `cannot be read, so user settings are unknown (${detailOf(error)})`;
    const fix = advice(`Make ${home} readable`);
    return failed('runtime.home', `the home directory ${home} ${why}`, fix);
  }
}

/** What the install command in a fix depends on, so that no fix suggests a command that would fail. */
export type FixContext = ReturnType<typeof newFixContext>;

export function newFixContext(files: readonly InstalledFile[], target: InstallTarget, inRepository: boolean) {
  return {
    target,
    /** How to fix HOME first, if it is unusable. */
    homeAdvice: homeCheck(target.env)?.fix?.description,
    inRepository,
    files,
    lines: wiredLines(files),
    /** Whether a server answers events: installing without --resident would end that. */
    isResident: launchState(target.home).resident !== undefined,
  };
}

/** For when there are no entries yet. Outside a repository, only user settings can be written. */
export function installFix(fixContext: FixContext): Fix {
  const isPossible = fixContext.inRepository || fixContext.homeAdvice !== undefined;
  return fixBy('Write the entries', `holdpoint install${isPossible ? '' : ' --user'}`, fixContext);
}

/** The command that rewrites an installed file with the options it was installed with. */
export function reinstallFix(
  found: InstalledFile,
  fixContext: FixContext,
  what = WRITE_AGAIN,
  more = '',
): Fix {
  const closed = found.failClosed ? ' --fail-closed' : '';
  const resident = fixContext.isResident ? ' --resident' : '';
  return fixBy(what, `holdpoint install${flagsOf(found)}${closed}${resident}${more}`, fixContext);
}

const WRITE_AGAIN = 'Write the entries again';

export function replaceFix(found: InstalledFile, fixContext: FixContext, what: string): Fix {
  return reinstallFix(found, fixContext, what, ' --replace');
}

export function uninstallFix(found: InstalledFile, fixContext: FixContext): Fix {
  return fixBy('Keep one of them', `holdpoint uninstall${flagsOf(found)}`, fixContext);
}

function fixBy(what: string, command: string, { homeAdvice }: FixContext): Fix {
  return homeAdvice === undefined ? advice(what, command) : advice(`${homeAdvice}, then run: ${command}`);
}

const SCOPE_FLAGS: Readonly<Record<Scope, string>> = { project: '', local: ' --local', user: ' --user' };

function flagsOf({ host, scope }: InstalledFile): string {
  return ` --host ${host}${SCOPE_FLAGS[scope]}`;
}
