import { readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { isJsonObject } from '../../core/json';
import { LAUNCH_MARK } from '../../hosts/own-lines';
import { type LaunchState, launchState } from '../install/launch-state';
import { ownDist } from '../install/own-dist';
import { type Check, type Fix, failed, passed, warned } from './check';
import type { WiredLine } from './fired-checks';
import { installAgain, type Means } from './install-command';

const LAUNCH = { id: 'hook.launch', category: 'hook' } as const;

/** Whether what the installed lines start is there, and is of this version. */
export function launchChecks(lines: readonly WiredLine[], means: Means, home: string): Check[] {
  const wired = lines.find(({ line }) => line.includes(LAUNCH_MARK));
  // Without a home there is no place to look at, and that was said already.
  if (wired === undefined || means.stand.kind === 'homeless') return [];
  const again = installAgain(wired.found, means, 'Write it anew');
  const state = launchState(home);
  const { file, hook } = state;
  if (!state.present) return [failed(LAUNCH, `${file} is gone, so the lines start nothing`, again)];
  if (hook === undefined)
    return [failed(LAUNCH, `${file} is not what 'holdpoint install' has written: it starts no hook`, again)];
  return [placesCheck(state, hook, again), versionCheck(state, hook, again)];
}

/** What is gone may be made up for when the hook starts; whether it is, the fired event tells. */
function placesCheck(state: LaunchState, hook: string, again: Fix): Check {
  const { file, node, nodeThere, hookThere, copyThere } = state;
  if (!hookThere && !copyThere)
    return failed(LAUNCH, `${file} leads to ${hook}, which is gone, as is its copy`, again);
  if (!hookThere) return warned(LAUNCH, `${hook} is gone; its copy is used`, again);
  if (!nodeThere)
    return warned(LAUNCH, `${node ?? 'Node'} is gone; another Node is looked for each time`, again);
  return passed(LAUNCH, `${file} leads to ${hook}`);
}

function versionCheck({ copy }: LaunchState, hook: string, again: Fix): Check {
  const subject = { id: 'hook.version', category: 'hook' } as const;
  const dist = dirname(hook);
  if (dist === ownDist()) return passed(subject, `Holdpoint ${__VERSION__} is what hosts call`);
  const version = versionBeside(dist) ?? copy?.split('-')[0] ?? 'another version';
  return version === __VERSION__
    ? passed(subject, `hosts call Holdpoint ${version} in ${dist}`)
    : warned(subject, `hosts call Holdpoint ${version} in ${dist}; this is ${__VERSION__}`, again);
}

function versionBeside(dist: string): string | undefined {
  try {
    const value: unknown = JSON.parse(readFileSync(join(dist, '..', 'package.json'), 'utf8'));
    const version = isJsonObject(value) ? value['version'] : undefined;
    return typeof version === 'string' ? version : undefined;
  } catch {
    return undefined;
  }
}
