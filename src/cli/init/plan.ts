import { lstatSync } from 'node:fs';
import { join } from 'node:path';
import { errorCode } from '../../core/error-code';
import { type Result, succeed } from '../../core/failure';
import type { GitPlace } from '../../core/git-head';
import type { HostName } from '../../core/host-name';
import { askGit } from '../../git/ask-git';
import { resolveBase } from '../../git/base';
import { readHead } from '../../git/head';
import { remoteDefault } from '../../git/remote-default';
import type { Ground } from '../../hosts/setup';
import { setupOf } from '../../hosts/setup-table';
import { installedState } from '../install/installed-state';
import { launchState } from '../install/launch';
import type { Plan as InstallPlan, InstallRequest } from '../install/plan';
import { planInstall } from '../install/plan-install';
import { homeIn, hostsInUse } from '../install/targets';
import type { Context } from '../verb';
import { configText } from './config-text';
import { type ProposedCheck, proposedChecks, type Survey, surveyOf } from './detect/survey';
import { type IgnoreChange, ignoreChange } from './gitignore';
import type { PresetName } from './presets';

/** Everything that is known before anybody is asked. */
export interface Situation {
  readonly place: GitPlace;
  readonly ground: Ground;
  readonly hasConfig: boolean;
  readonly taken: readonly Taken[];
  readonly branch: DefaultBranch | undefined;
  readonly survey: Survey;
  readonly checks: readonly ProposedCheck[];
  /** Hosts that can be set up in a project; those of `unfit` only for a whole machine. */
  readonly hosts: readonly HostName[];
  readonly unfit: readonly HostName[];
  /** Whether any host was seen, or the standard one stands in. */
  readonly sawHost: boolean;
}

/** A part of the config that stands elsewhere already. */
export interface Taken {
  readonly section: 'requirements' | 'gates' | 'workflow';
  readonly file: string;
}

/** The branch from which others are made. */
export interface DefaultBranch {
  readonly name: string;
  /** What changes are counted from. */
  readonly base: string;
  /** Whether a remote has it, so that others build on it as well. */
  readonly isShared: boolean;
}

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

export const OWN_CONFIG = '.holdpoint/config.yaml';

/** Files of older programs that are read where they are. */
const OLDER: readonly Taken[] = [
  { section: 'requirements', file: '.claude/requirements.yaml' },
  { section: 'requirements', file: '.claude/requirements.local.yaml' },
  { section: 'gates', file: '.gauntlet' },
  { section: 'workflow', file: '.isdlc' },
];

/** Looks at the project. */
export function lookAround(place: GitPlace, named: readonly HostName[], { env }: Context): Situation {
  const ground: Ground = { project: place.root, home: env['HOME'] ?? '', env };
  const survey = surveyOf(place.root);
  const seen = named.length > 0 ? named : hostsInUse(ground, 'project');
  const fits = (name: HostName): boolean => setupOf(name)?.scopes.includes('project') === true;
  const hosts = seen.filter(fits);
  const taken = OLDER.filter(({ file }) => isThere(place.root, file));
  return {
    place,
    ground,
    hasConfig: isThere(place.root, OWN_CONFIG),
    // Each section with the first file that says so.
    taken: taken.filter(({ section }, at) => taken.findIndex((one) => one.section === section) === at),
    branch: defaultBranchOf(place),
    survey,
    checks: proposedChecks(survey.parts),
    hosts: hosts.length > 0 || named.length > 0 ? hosts : ['claude-code'],
    unfit: seen.filter((name) => !fits(name)),
    sawHost: seen.length > 0,
  };
}

/** Whether something stands at that path, be it a link that leads nowhere. */
function isThere(root: string, path: string): boolean {
  try {
    return lstatSync(join(root, path), { throwIfNoEntry: false }) !== undefined;
  } catch (error) {
    // A file in the place of its directory.
    if (errorCode(error) === 'ENOTDIR') return false;
    throw error;
  }
}

const USUAL_BRANCHES = ['main', 'master'];

/** Nothing where it cannot be told. */
function defaultBranchOf(place: GitPlace): DefaultBranch | undefined {
  const head = readHead(place, askGit);
  const exists = (ref: string): boolean => {
    const base = resolveBase(head, { configured: '', option: ref }, askGit);
    return base.ok && base.value.commit !== undefined;
  };
  const told = remoteDefault(place, askGit);
  const remote = [...(told === undefined ? [] : [told]), ...USUAL_BRANCHES].find((name) =>
    exists(`refs/remotes/origin/${name}`),
  );
  if (remote !== undefined) return { name: remote, base: `origin/${remote}`, isShared: true };
  const current = head.position.kind === 'branch' ? head.position.branch : undefined;
  const local =
    USUAL_BRANCHES.find((name) => exists(`refs/heads/${name}`)) ??
    USUAL_BRANCHES.find((name) => name === current);
  return local === undefined ? undefined : { name: local, base: local, isShared: false };
}

/** Works out what is to be written. Reads only; the failure is a sentence for people. */
export function planFor(situation: Situation, choice: Choice): Result<InitPlan, string> {
  const { place, ground, hasConfig, taken, branch } = situation;
  const checks = situation.checks.map((check) => ({ ...check, on: choice.checks.includes(check.name) }));
  const leaveOut = taken.map(({ section }) => section);
  const config = hasConfig ? undefined : configText({ preset: choice.preset, branch, checks, leaveOut });
  const files = { ...(config !== undefined && { config }), ignore: ignoreChange(place.root) };
  if (!choice.install || choice.hosts.length === 0) return succeed(files);
  const home = homeIn(ground.env);
  if (!home.ok) return home;
  const { commonDir } = place;
  // What was chosen at an installation before stays chosen.
  const failClosed = installedState(ground, commonDir).some(
    (found) => found.failClosed && found.scope === 'project' && choice.hosts.includes(found.host),
  );
  const how = { replace: false, failClosed, start: 'as-before' } as const;
  const request: InstallRequest = { ground, commonDir, scope: 'project', hosts: choice.hosts, ...how };
  const install = planInstall(request);
  if (!install.ok) return install;
  const { file: launch, nodeThere, hookThere } = launchState(ground.home);
  return succeed({ ...files, request, install: install.value, ...(!(nodeThere && hookThere) && { launch }) });
}

/** Whether there is nothing left to write. */
export function isDone({ config, ignore, install, launch }: InitPlan): boolean {
  const hasHooks = (install?.changes.length ?? 0) === 0 && launch === undefined;
  return config === undefined && ignore.lines.length === 0 && hasHooks;
}
