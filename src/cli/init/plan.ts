import { fail, type Result, succeed } from '../../core/failure';
import type { HostName } from '../../core/host-name';
import { homeIn } from '../install/home';
import { installedState } from '../install/installed-state';
import { launchState } from '../install/launch-state';
import type { Plan as InstallPlan } from '../install/plan';
import { planInstall } from '../install/plan-install';
import type { InstallRequest } from '../install/request';
import { configText } from './config-text';
import { type IgnoreChange, ignoreChange } from './gitignore';
import type { PresetName } from './presets';
import type { Situation } from './situation';

/** What somebody has chosen, by flags or by answers. */
export interface Choice {
  readonly preset: PresetName;
  readonly hosts: readonly HostName[];
  /** Names of the checks that shall be in force. */
  readonly checks: readonly string[];
  readonly install: boolean;
}

/** Everything that is about to be written. What is right already is not in it. */
export interface InitPlan {
  /** Absent where the project has a config that says all of it. */
  readonly config?: string;
  readonly ignore: IgnoreChange;
  readonly request?: InstallRequest;
  readonly install?: InstallPlan;
  /** The file in the home that starts the hook, where it is missing or leads nowhere: on a new machine, say. */
  readonly launch?: string;
}

/** Works out what is to be written. Reads only; the failure is a sentence for people. */
export function planFor(situation: Situation, choice: Choice): Result<InitPlan, string> {
  const { place, ground, hasConfig, taken, branch } = situation;
  const checks = situation.checks.map((check) => ({ ...check, on: choice.checks.includes(check.name) }));
  const config = hasConfig
    ? undefined
    : configText({ preset: choice.preset, branch, checks, leaveOut: taken.map(({ section }) => section) });
  const files = { ...(config !== undefined && { config }), ignore: ignoreChange(place.root) };
  if (!choice.install || choice.hosts.length === 0) return succeed(files);
  const home = homeIn(ground.env);
  if (!home.ok) return home;
  const request: InstallRequest = {
    ground,
    commonDir: place.commonDir,
    scope: 'project',
    hosts: choice.hosts,
    replace: false,
    failClosed: isClosed(situation, choice),
    start: 'as-before',
  };
  const install = planInstall(request);
  if (!install.ok) return fail(install.failure);
  const { file: launch, nodeThere, hookThere } = launchState(ground.home);
  return succeed({ ...files, request, install: install.value, ...(!(nodeThere && hookThere) && { launch }) });
}

/** What was chosen at an installation before stays chosen. */
function isClosed({ ground, place }: Situation, { hosts }: Choice): boolean {
  return installedState(ground, place.commonDir).some(
    ({ host, scope, failClosed }) => failClosed && scope === 'project' && hosts.includes(host),
  );
}

/** Whether there is nothing left to write. */
export function isDone({ config, ignore, install, launch }: InitPlan): boolean {
  const hasHooks = (install?.changes.length ?? 0) === 0 && launch === undefined;
  return config === undefined && ignore.lines.length === 0 && hasHooks;
}
