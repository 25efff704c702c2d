import { projectChecks, runtimeChecks } from '../doctor/environment-checks';
import { registeredChecks } from '../doctor/installation-checks';
import { probeHook } from '../doctor/probe';
import { type Check, DOCTOR_OPTIONS, runDoctor } from '../doctor/report';
import { stateChecks } from '../doctor/state-checks';
import { openProject } from '../project';
import type { Context, Verb } from '../verb';

export const verb: Verb = {
  usage: `req doctor ${DOCTOR_OPTIONS}`,
  run: (args, context) => runDoctor(args, context, examine),
};

function examine(context: Context): readonly Check[] {
  const { cwd, env, chunks } = context;
  const project = openProject(context);
  const home = project?.home ?? env['HOME'] ?? '/';
  return [
    ...runtimeChecks(cwd, chunks.askGit),
    ...projectChecks(project),
    ...stateChecks(project, home, Date.now()),
    ...registeredChecks(project, home),
    ...probeHook(),
  ];
}
