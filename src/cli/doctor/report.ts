import type { Output } from '../ui/output';
import type { Check } from './check';

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

const SIGNS = {
  pass: ['✓', 'green'],
  warn: ['!', 'yellow'],
  fail: ['✗', 'red'],
} as const;

/** The report as people read it; quiet, only what is not well. */
export function reportLines({ checks, summary }: Report, quiet: boolean, out: Output): string[] {
  const shown = quiet ? checks.filter(({ status }) => status !== 'pass') : checks;
  const { total, passed, warnings, critical } = summary;
  return [
    ...shown.flatMap(({ id, status, message, fix }) => {
      const [sign, style] = SIGNS[status];
      const line = `${out.style(style, sign)} ${out.style('bold', id.padEnd(18))} ${out.style(style, message)}`;
      return fix === null ? [line] : [line, `    ${out.style('dim', fixText(fix))}`];
    }),
    out.style('bold', `${passed} of ${total} checks passed, ${warnings} warning(s), ${critical} critical`),
  ];
}

function fixText({ description, command }: NonNullable<Check['fix']>): string {
  return command === null ? description : `${description}: ${command}`;
}
