import { existsSync } from 'node:fs';
import { isAbsolute, join } from 'node:path';
import { nearest } from '../../config/nearest';
import { HOST_NAMES, type HostName } from '../../core/host-name';
import { programOn } from '../../exec/programs';
import { findGit } from '../../git/head';
import type { Ground, HostSetup, Scope } from '../../hosts/setup';
import { SETUPS } from '../../hosts/setup-table';
import type { Context } from '../context';
import { hintFor } from '../messages';
import { printable } from '../ui/output';
import { cannotRun } from '../ui/refusal';
import type { RecordsPlace } from './records';

const NO_REPOSITORY = `Not in a git repository
Settings are written at the root of a repository; change into one, or use --user for your own settings.`;

/** `--host` may be repeated, or list several hosts separated by commas. */
export function namedHosts(given: readonly string[]): readonly HostName[] {
  const names = given.flatMap((each) => each.split(',')).map((name) => name.trim());
  const unknown = names.find((name) => !HOST_NAMES.some((host) => host === name));
  if (unknown === undefined) return HOST_NAMES.filter((host) => names.includes(host));
  const near = nearest(unknown, HOST_NAMES) ?? HOST_NAMES.find((host) => host.startsWith(`${unknown}-`));
  throw cannotRun(`Unknown host '${printable(unknown)}'. ${hintFor(unknown, HOST_NAMES, near)}`);
}

/**
 * The hosts in use: those with files in the project; else those with files in the home; else those on the PATH. A
 * project does not get files for every host on the machine.
 */
export function hostsInUse(ground: Ground, scope: Scope): readonly HostName[] {
  const inProject = ({ signs }: HostSetup): boolean =>
    signs.project.some((path) => existsSync(join(ground.project, path)));
  const inHome = ({ signs }: HostSetup): boolean =>
    signs.home.some((path) => existsSync(join(ground.home, path)));
  const onPath = ({ signs }: HostSetup): boolean =>
    signs.programs.some((program) => programOn(ground.env['PATH'] ?? '', program) !== undefined);
  const possible = SETUPS.filter(({ scopes }) => scopes.includes(scope));
  const signs = scope === 'user' ? [inHome, onPath] : [inProject, inHome, onPath];
  const found = signs.map((sign) => possible.filter(sign)).find((setups) => setups.length > 0);
  return (found ?? []).map(({ name }) => name);
}

/** The home that contains the launcher. */
export function homeIn(env: Context['env']): string {
  const home = env['HOME'] ?? '';
  if (home === '') throw cannotRun('HOME is not set, and the hook is started from there.');
  if (isAbsolute(home)) return home;
  const why = 'Files written there would be found from one directory only, so nothing was changed.';
  throw cannotRun(`HOME is '${home}', which is not an absolute path. ${why}`);
}

/** User settings can be written from anywhere; project settings need a repository. */
export function installPlace(
  flags: { readonly user: boolean; readonly local: boolean },
  { cwd, env }: Context,
): RecordsPlace {
  if (flags.user && flags.local) throw cannotRun('--user and --local cannot be combined.');
  const home = homeIn(env);
  const scope: Scope = flags.user ? 'user' : flags.local ? 'local' : 'project';
  const git = findGit(cwd);
  if (git === undefined && scope !== 'user') throw cannotRun(NO_REPOSITORY);
  return { ground: { project: git?.root ?? cwd, home, env }, commonDir: git?.commonDir, scope };
}
