import { hasPlugin } from '../../hosts/claude-code/examine';
import type { Layout } from '../../state/layout';
import type { Check } from '../doctor/check';
import { firedChecks } from '../doctor/fired-checks';
import { probeHook } from '../doctor/hook-probe';
import { meansFrom } from '../doctor/install-command';
import { installationChecks, wiredLines } from '../doctor/installation-checks';
import { launchChecks } from '../doctor/launch-checks';
import { ownChecks } from '../doctor/own-checks';
import { placeChecks } from '../doctor/place-checks';
import { projectChecks } from '../doctor/project-checks';
import { lastRunCheck } from '../doctor/registered-checks';
import { residentChecks } from '../doctor/resident-checks';
import { DOCTOR_OPTIONS, runDoctor } from '../doctor/run-doctor';
import { runtimeChecks } from '../doctor/runtime-checks';
import { sessionChecks } from '../doctor/session-checks';
import { stateChecks } from '../doctor/state-checks';
import { installedState } from '../install/installed-state';
import { openProject } from '../project';
import type { Context, Verb } from '../verb';

export const verb: Verb = {
  usage: `holdpoint doctor ${DOCTOR_OPTIONS}`,
  run: (args, context) => runDoctor(args, context, examine),
};

/** Everything that can be looked at from here, the installation last. */
async function examine(context: Context): Promise<Check[]> {
  const { cwd, env, chunks } = context;
  const project = openProject(context);
  const home = project?.home ?? env['HOME'] ?? '/';
  const ground = { project: project?.root ?? cwd, home, env };
  const files = installedState(ground, project?.git?.commonDir);
  const lines = wiredLines(files);
  const means = meansFrom(files, ground, project?.git !== undefined);
  const byPlugin = files.some(({ host, settings }) => host === 'claude-code' && hasPlugin(settings));
  const now = Date.now();
  // Before any event is fired: one would have a server replaced that does not answer, and nobody would hear of it.
  const resident = await residentChecks(lines, means, home, env);
  return [
    ...runtimeChecks(cwd, chunks.askGit),
    ...ownChecks(home, env),
    ...projectChecks(project),
    ...(await placeChecks(project, files, context)),
    ...stateChecks(project, home, now),
    ...sessionChecks(project, means, now),
    ...installationChecks(means, ground, byPlugin),
    ...launchChecks(lines, means, home),
    ...(project === undefined ? [] : lastRun(project.layout)),
    ...firedChecks(lines, means, home, env),
    ...resident,
    // Where nothing is installed, at least this build is tried.
    ...(lines.length === 0 ? probeHook() : []),
  ];
}

/** That no session has begun yet is nothing to worry about: the event that was fired is proof enough. */
function lastRun(layout: Layout): Check[] {
  return [lastRunCheck(layout)].filter(({ status }) => status === 'pass');
}
