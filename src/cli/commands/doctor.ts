import type { Context, ExitCode } from '../context';
import { environmentChecks } from '../doctor/environment-checks';
import { installationChecks, lastRunCheck, residentChecks } from '../doctor/installation-checks';
import { probeChecks, probeHook } from '../doctor/probe';
import { type Check, type DoctorOptions, newFixContext, runDoctor } from '../doctor/report';
import { installedState } from '../install/installed-state';
import { openProject } from '../project';

export function doctor(context: Context, options: DoctorOptions): Promise<ExitCode> {
  return runDoctor(context, options, examine);
}

export async function examine(context: Context): Promise<Check[]> {
  const { cwd, env } = context;
  const project = openProject(context);
  const home = project?.home ?? env['HOME'] ?? '/';
  const ground = { project: project?.root ?? cwd, home, env };
  const files = installedState(ground, project?.git?.commonDir);
  const fixContext = newFixContext(files, ground, project?.git !== undefined);
  const lastRun = project === undefined ? [] : [lastRunCheck(project.layout)];
  // Before any test event: an event would replace a silent server, and nobody would learn about it.
  const resident = await residentChecks(fixContext);
  return [
    ...environmentChecks(project, fixContext, context),
    ...installationChecks(fixContext),
    // It is fine if no session has begun yet: the test event is proof enough.
    ...lastRun.filter(({ status }) => status === 'pass'),
    ...probeChecks(fixContext),
    ...resident,
    // If nothing is installed, test at least this build.
    ...(fixContext.lines.length === 0 ? probeHook() : []),
  ];
}
