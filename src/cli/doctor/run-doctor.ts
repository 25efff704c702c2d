import { statSync } from 'node:fs';
import { resolve } from 'node:path';
import { parseArgs } from 'node:util';
import { refuse } from '../req/refuse';
import type { Context, ExitCode } from '../verb';
import type { Check } from './check';
import * as say from './messages';
import { reportLines, reportOn } from './report';

export const DOCTOR_OPTIONS = '[--repo DIR] [-v] [--ci] [--json]';

/** What both doctors do with what they look at. */
export async function runDoctor(
  args: readonly string[],
  context: Context,
  examine: (context: Context) => readonly Check[] | Promise<readonly Check[]>,
): Promise<ExitCode> {
  const { values } = parseArgs({
    args: [...args],
    options: {
      repo: { type: 'string' },
      verbose: { type: 'boolean', short: 'v', default: false },
      ci: { type: 'boolean', default: false },
      json: { type: 'boolean', default: false },
    },
  });
  const { out } = context;
  const cwd = resolve(context.cwd, values.repo ?? '.');
  if (values.repo !== undefined && !isDirectory(cwd)) return refuse(context, say.noDirectory(cwd), 2);
  const report = reportOn(await examine({ ...context, cwd }));
  const quiet = values.ci && !values.verbose;
  if (values.json) out.json(report);
  else for (const line of reportLines(report, quiet, out)) out.line(line);
  return report.exit_code;
}

function isDirectory(path: string): boolean {
  try {
    return statSync(path).isDirectory();
  } catch {
    return false;
  }
}
