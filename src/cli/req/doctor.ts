import { resolve } from 'node:path';
import { parseArgs } from 'node:util';
import { probeHook } from '../doctor/hook-probe';
import { projectChecks } from '../doctor/project-checks';
import { registeredChecks } from '../doctor/registered-checks';
import { reportLines, reportOn } from '../doctor/report';
import { runtimeChecks } from '../doctor/runtime-checks';
import { stateChecks } from '../doctor/state-checks';
import { openProject } from '../project';
import type { Verb } from '../verb';

export const verb: Verb = {
  usage: 'req doctor [--repo DIR] [-v] [--ci] [--json]',
  run(args, context) {
    const { values } = parseArgs({
      args: [...args],
      options: {
        repo: { type: 'string' },
        verbose: { type: 'boolean', short: 'v', default: false },
        ci: { type: 'boolean', default: false },
        json: { type: 'boolean', default: false },
      },
    });
    const { env, chunks, out } = context;
    const cwd = resolve(context.cwd, values.repo ?? '.');
    const project = openProject({ ...context, cwd });
    const home = project?.home ?? env['HOME'] ?? '/';
    const report = reportOn([
      ...runtimeChecks(cwd, chunks.askGit),
      ...projectChecks(project),
      ...stateChecks(project, home, Date.now()),
      ...registeredChecks(project, home),
      ...probeHook(),
    ]);
    const quiet = values.ci && !values.verbose;
    if (values.json) out.json(report);
    else for (const line of reportLines(report, quiet, out)) out.line(line);
    return report.exit_code;
  },
};
