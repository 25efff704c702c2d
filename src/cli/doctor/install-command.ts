import type { Ground, ProgramStart, Scope } from '../../hosts/setup';
import { lineBeside } from '../install/direct-hindrance';
import type { InstalledFile } from '../install/installed-state';
import { launchState } from '../install/launch-state';
import { foreseenDirect } from '../resident/direct';
import { advice, type Fix } from './check';
import { homeCheck } from './home-check';

/** What decides by which command something is installed from here: one that is refused would be no fix. */
export interface Means {
  /** `homeless`: `advice` has to be followed first. `roaming`: there is no repository, so only a person's own settings. */
  readonly stand:
    | { readonly kind: 'homeless'; readonly advice: string }
    | { readonly kind: 'roaming' }
    | { readonly kind: 'repository' };
  readonly files: readonly InstalledFile[];
  /** What an entry without a shell would start. */
  readonly direct: ProgramStart;
  /** Whether a server answers events now: an installation that does not ask for it would end that. */
  readonly isResident: boolean;
}

/** What can be done about an installation from here. */
export function meansFrom(files: readonly InstalledFile[], ground: Ground, inRepository: boolean): Means {
  const trouble = homeCheck(ground.env);
  return {
    stand:
      trouble !== undefined
        ? { kind: 'homeless', advice: trouble.fix?.description ?? '' }
        : { kind: inRepository ? 'repository' : 'roaming' },
    files,
    direct: foreseenDirect(ground),
    isResident: launchState(ground.home).resident !== undefined,
  };
}

/** How the entries are written where there are none. */
export function installFirst(means: Means): Fix {
  const flag = means.stand.kind === 'roaming' ? ' --user' : '';
  return fixBy('Write the entries', `holdpoint install${flag}`, means);
}

/** How what stands in a file, and what it starts, is written anew as somebody has chosen it. */
export function installAgain(found: InstalledFile, means: Means, what = 'Write the entries anew'): Fix {
  return fixBy(what, installed(found, serverFlags(found, means)), means);
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
  return fixBy(what, installed(found, `${serverFlags(found, means)} --replace`), means);
}

/** How entries that start a program by itself become lines again, which are the same everywhere. */
export function installByShell(found: InstalledFile, means: Means): Fix {
  const what = 'Have both start a shell: the same line is run once';
  return fixBy(what, installed(found, ' --resident'), means);
}

/** How what stands in a file is taken out. */
export function takeOut(found: InstalledFile, means: Means): Fix {
  return fixBy('Keep one of them', `holdpoint uninstall${flagsOf(found)}`, means);
}

function fixBy(what: string, command: string, { stand }: Means): Fix {
  return stand.kind === 'homeless' ? advice(`${stand.advice}, then run: ${command}`) : advice(what, command);
}

/** Without a shell only where that is not refused. */
function serverFlags(found: InstalledFile, { files, direct, isResident }: Means): string {
  if (found.programs.length === 0) return isResident ? ' --resident' : '';
  const beside = lineBeside(found.host, found.scope, files, direct);
  return beside === undefined ? ' --resident --direct' : ' --resident';
}

const SCOPE_FLAGS: Readonly<Record<Scope, string>> = { project: '', local: ' --local', user: ' --user' };

function flagsOf({ host, scope }: InstalledFile): string {
  return ` --host ${host}${SCOPE_FLAGS[scope]}`;
}

/** What was chosen once stays chosen. */
function installed(found: InstalledFile, more: string): string {
  return `holdpoint install${flagsOf(found)}${found.failClosed ? ' --fail-closed' : ''}${more}`;
}
