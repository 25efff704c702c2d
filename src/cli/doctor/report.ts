import { statSync } from 'node:fs';
import { resolve } from 'node:path';
import type { Context, ExitCode } from '../context';
import { attempt } from '../install/files';
import type { Output } from '../ui/output';
import { cannotRun } from '../ui/refusal';

type Category = 'runtime' | 'project' | 'state' | 'hook';

/** What doctor found out about one thing. The shape is read by programs. */
export type Check = {
  readonly id: string;
  readonly category: Category;
  readonly status: 'pass' | 'warn' | 'fail';
  readonly severity: 'info' | 'warning' | 'critical';
  readonly message: string;
  readonly fix: Fix | null;
};

/** What to do about it. */
export type Fix = {
  readonly description: string;
  /** Whether the command can do no harm. */
  readonly safe: boolean;
  readonly command: string | null;
};

/** The category of a check stands before the dot. */
type CheckId = `${Category}.${string}`;

/** Something that is as it should be. */
export function passed(id: CheckId, message: string): Check {
  return { id, category: categoryOf(id), status: 'pass', severity: 'info', message, fix: null };
}

/** Something that should be seen to, though work is guarded. */
export function warned(id: CheckId, message: string, fix: Fix | null = null): Check {
  return { id, category: categoryOf(id), status: 'warn', severity: 'warning', message, fix };
}

/** Something because of which work is not guarded, or wrongly held. */
export function failed(id: CheckId, message: string, fix: Fix | null = null): Check {
  return { id, category: categoryOf(id), status: 'fail', severity: 'critical', message, fix };
}

/** A fix that a person has to think about. */
export function advice(description: string, command: string | null = null): Fix {
  return { description, safe: false, command };
}

function categoryOf(id: CheckId): Category {
  return id.slice(0, id.indexOf('.')) as Category;
}

/** What doctor says for programs. */
export interface Report {
  readonly status: 'ok' | 'warning' | 'critical';
  readonly exit_code: 0 | 1;
  readonly summary: {
    readonly total: number;
    readonly passed: number;
    readonly warnings: number;
    readonly critical: number;
  };
  readonly checks: readonly Check[];
}

/** Sums the checks up. */
export function reportOn(checks: readonly Check[]): Report {
  const count = (status: Check['status']): number => checks.filter((one) => one.status === status).length;
  const [warnings, critical] = [count('warn'), count('fail')];
  return {
    status: critical > 0 ? 'critical' : warnings > 0 ? 'warning' : 'ok',
    exit_code: critical > 0 ? 1 : 0,
    summary: { total: checks.length, passed: count('pass'), warnings, critical },
    checks,
  };
}

const SIGNS = { pass: ['✓', 'green'], warn: ['!', 'yellow'], fail: ['✗', 'red'] } as const;

/** The report as people read it; quiet, only what is not well. */
export function reportLines({ checks, summary }: Report, quiet: boolean, out: Output): string[] {
  const shown = quiet ? checks.filter(({ status }) => status !== 'pass') : checks;
  const { total, passed: fine, warnings, critical } = summary;
  return [
    ...shown.flatMap(({ id, status, message, fix }) => {
      const [sign, style] = SIGNS[status];
      const line = `${out.style(style, sign)} ${out.style('bold', id.padEnd(18))} ${out.style(style, message)}`;
      if (fix === null) return [line];
      const { description, command } = fix;
      return [line, `    ${out.style('dim', command === null ? description : `${description}: ${command}`)}`];
    }),
    out.style('bold', `${fine} of ${total} checks passed, ${warnings} warning(s), ${critical} critical`),
  ];
}

/** The options of both doctors. */
export interface DoctorOptions {
  readonly repo?: string;
  readonly verbose: boolean;
  readonly ci: boolean;
  readonly json: boolean;
}

/** What both doctors do with their checks. */
export async function runDoctor(
  context: Context,
  values: DoctorOptions,
  examine: (context: Context) => readonly Check[] | Promise<readonly Check[]>,
): Promise<ExitCode> {
  const { out } = context;
  const cwd = resolve(context.cwd, values.repo ?? '.');
  const isDirectory = attempt(() => statSync(cwd).isDirectory()) === true;
  if (values.repo !== undefined && !isDirectory)
    throw cannotRun(`There is no directory ${cwd}, so nothing was looked at.`);
  const report = reportOn(await examine({ ...context, cwd }));
  const quiet = values.ci && !values.verbose;
  if (values.json) out.json(report);
  else for (const line of reportLines(report, quiet, out)) out.line(line);
  return report.exit_code;
}
