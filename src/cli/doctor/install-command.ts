import type { Ground, Scope } from '../../hosts/setup';
import type { InstalledFile } from '../install/installed-state';
import { launchState } from '../install/launch';
import { homeCheck } from './environment-checks';
import { advice, type Fix } from './report';

/** What decides by which command something is installed from here: one that is refused would be no fix. */
export interface Means {
  readonly ground: Ground;
  /** What has to be done about the home first, where something has. */
  readonly homeAdvice: string | undefined;
  readonly inRepository: boolean;
  readonly files: readonly InstalledFile[];
  /** Whether a server answers events now: an installation that does not ask for it would end that. */
  readonly isResident: boolean;
}

/** What can be done about an installation from here. */
export function meansFrom(files: readonly InstalledFile[], ground: Ground, inRepository: boolean): Means {
  return {
    ground,
    homeAdvice: homeCheck(ground.env)?.fix?.description,
    inRepository,
    files,
    isResident: launchState(ground.home).resident !== undefined,
  };
}

/** How the entries are written where there are none. Outside of a repository only a person's own settings can be. */
export function installFirst(means: Means): Fix {
  const isPossible = means.inRepository || means.homeAdvice !== undefined;
  return fixBy('Write the entries', `holdpoint install${isPossible ? '' : ' --user'}`, means);
}

/** How what stands in a file, and what it starts, is written anew as somebody has chosen it. */
export function installAgain(found: InstalledFile, means: Means, what = 'Write the entries anew'): Fix {
  return fixBy(what, installCommand(found, means), means);
}

/** How entries that are missing come to those that are there; where there are none, all of them. */
export function installWhole(means: Means, what: string): Fix {
  const ours = means.files.filter(
    ({ state }) => state === 'partial' || state === 'other' || state === 'whole',
  );
  const found = ours.find(({ state }) => state === 'partial') ?? ours[0];
  return found === undefined ? installFirst(means) : installAgain(found, means, what);
}

/** How entries of ours take the place of what does the same work in a file. */
export function installInstead(found: InstalledFile, means: Means, what: string): Fix {
  return fixBy(what, `${installCommand(found, means)} --replace`, means);
}

/** How what stands in a file is taken out. */
export function takeOut(found: InstalledFile, means: Means): Fix {
  return fixBy('Keep one of them', `holdpoint uninstall${flagsOf(found)}`, means);
}

function fixBy(what: string, command: string, { homeAdvice }: Means): Fix {
  return homeAdvice === undefined ? advice(what, command) : advice(`${homeAdvice}, then run: ${command}`);
}

/** What was chosen once stays chosen. */
function installCommand(found: InstalledFile, { isResident }: Means): string {
  const closed = found.failClosed ? ' --fail-closed' : '';
  return `holdpoint install${flagsOf(found)}${closed}${isResident ? ' --resident' : ''}`;
}

const SCOPE_FLAGS: Readonly<Record<Scope, string>> = { project: '', local: ' --local', user: ' --user' };

function flagsOf({ host, scope }: InstalledFile): string {
  return ` --host ${host}${SCOPE_FLAGS[scope]}`;
}
