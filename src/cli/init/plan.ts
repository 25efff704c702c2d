import { lstatSync } from 'node:fs';
import { join, relative } from 'node:path';
import { errorCode } from '../../core/failure';
import type { HostName } from '../../core/host-name';
import { resolveBase } from '../../git/base';
import { type GitPlace, readHead, remoteDefault } from '../../git/head';
import { askGit } from '../../git/run-git';
import type { Ground } from '../../hosts/setup';
import { setupOf } from '../../hosts/setup-table';
import type { Context } from '../context';
import { installedState } from '../install/installed-state';
import { launchState } from '../install/launch';
import { type FileChange, type InstallRequest, planInstall } from '../install/plan';
import { homeIn, hostsInUse } from '../install/targets';
import { configText, PRESETS, type PresetName } from './config-text';
import { proposedChecks, surveyOf } from './detect/survey';
import { type IgnoreChange, ignoreChange } from './gitignore';

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

export interface Choice {
  readonly preset: PresetName;
  readonly hosts: readonly HostName[];
  /** Names of the checks that shall be in force. */
  readonly checks: readonly string[];
  readonly install: boolean;
}

/** A file that is about to be written. The launch file lies in the home, all others in the project. */
export interface PlannedFile {
  readonly kind: 'config' | 'ignore' | 'settings' | 'launch';
  readonly path: string;
  readonly isNew: boolean;
  readonly note: string;
  /** What the config says, or is to be added to `.gitignore`. */
  readonly text?: string;
  readonly change?: FileChange;
}

export const OWN_CONFIG = '.holdpoint/config.yaml';

/** Files of older programs that are read where they are. */
const OLDER: readonly Taken[] = [
  { section: 'requirements', file: '.claude/requirements.yaml' },
  { section: 'requirements', file: '.claude/requirements.local.yaml' },
  { section: 'gates', file: '.gauntlet' },
  { section: 'workflow', file: '.isdlc' },
];

/** Everything that is known before anybody is asked. */
export type Situation = ReturnType<typeof inspectProject>;

export function inspectProject(place: GitPlace, named: readonly HostName[], { env }: Context) {
  const ground: Ground = { project: place.root, home: env['HOME'] ?? '', env };
  const survey = surveyOf(place.root);
  const seen = named.length > 0 ? named : hostsInUse(ground, 'project');
  const fits = (name: HostName): boolean => setupOf(name)?.scopes.includes('project') === true;
  const fitting = seen.filter(fits);
  const hosts: readonly HostName[] = fitting.length > 0 || named.length > 0 ? fitting : ['claude-code'];
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
    hosts,
    /** Those that can only be set up for a whole machine. */
    unfit: seen.filter((name) => !fits(name)),
    /** Whether any host was seen, or the standard one stands in. */
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

/** Everything that is about to happen. Files that are right already are not in it. */
export type InitPlan = ReturnType<typeof planFor>;

export function planFor(situation: Situation, choice: Choice) {
  const { place, ground } = situation;
  const ignore = ignoreChange(place.root);
  const files = [...configFile(situation, choice), ...ignoreFile(ignore)];
  const installs = choice.install && choice.hosts.length > 0;
  const request = installs ? installRequest(situation, choice) : undefined;
  if (request === undefined) return { ignore, files, request, rivals: [] };
  const { changes, rivals } = planInstall(request);
  const settings = changes.map((change): PlannedFile => {
    const note = `hooks of ${setupOf(change.host)?.title ?? change.host}`;
    const path = relative(place.root, change.file);
    return { kind: 'settings', path, isNew: change.before === undefined, note, change };
  });
  return { ignore, files: [...files, ...settings, ...launchFile(ground)], request, rivals };
}

function installRequest({ place: { commonDir }, ground }: Situation, { hosts }: Choice): InstallRequest {
  homeIn(ground.env);
  // What was chosen at an installation before stays chosen.
  const failClosed = installedState(ground, commonDir).some(
    (found) => found.failClosed && found.scope === 'project' && hosts.includes(found.host),
  );
  return { ground, commonDir, scope: 'project', hosts, replace: false, failClosed, start: 'as-before' };
}

function configFile(situation: Situation, { preset, checks: chosen }: Choice): PlannedFile[] {
  if (situation.hasConfig) return [];
  const { branch, taken } = situation;
  const leaveOut = taken.map(({ section }) => section);
  const checks = situation.checks.map((check) => ({ ...check, on: chosen.includes(check.name) }));
  const text = configText({ preset, branch, checks, leaveOut });
  const hasChecks = chosen.length > 0 && PRESETS[preset].checks;
  const note = hasChecks ? `checks: ${chosen.join(', ')}` : 'no checks';
  return text === undefined ? [] : [{ kind: 'config', path: OWN_CONFIG, isNew: true, note, text }];
}

function ignoreFile({ before, lines }: IgnoreChange): PlannedFile[] {
  if (lines.length === 0) return [];
  const note = lines.length === 1 ? '1 line added' : `${lines.length} lines added`;
  return [{ kind: 'ignore', path: '.gitignore', isNew: before === undefined, note, text: lines.join('\n') }];
}

/** Only where it is missing or leads nowhere: on a new machine, say. */
function launchFile({ home }: Ground): PlannedFile[] {
  const { file, nodeThere, hookThere } = launchState(home);
  const note = 'what the hooks start on this machine';
  return nodeThere && hookThere ? [] : [{ kind: 'launch', path: file, isNew: true, note }];
}
