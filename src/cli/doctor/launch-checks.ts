import { readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { isJsonObject } from '../../domain/json';
import { LAUNCH_MARK } from '../../hosts/own-lines';
import { type LaunchState, launchState } from '../install/launch-state';
import { ownDist } from '../install/own-dist';
import { advice, type Check, failed, passed, warned } from './check';
import type { WiredLine } from './fired-checks';

const LAUNCH = { id: 'hook.launch', category: 'hook' } as const;
const AGAIN = advice('Write it anew', 'holdpoint install');

/** Whether what the installed lines start is there, and is of this version. */
export function launchChecks(lines: readonly WiredLine[], home: string): Check[] {
  if (!lines.some(({ line }) => line.includes(LAUNCH_MARK))) return [];
  const state = launchState(home);
  if (!state.present) return [failed(LAUNCH, `${state.file} is gone, so the lines start nothing`, AGAIN)];
  return [placesCheck(state), versionCheck(state)];
}

/** What is gone may be made up for when the hook starts; whether it is, the fired event tells. */
function placesCheck(state: LaunchState): Check {
  const { file, node, nodeThere, hook, hookThere, copyThere } = state;
  if (!hookThere && !copyThere)
    return failed(LAUNCH, `${file} leads to ${hook ?? 'nothing'}, which is gone, as is its copy`, AGAIN);
  if (!hookThere) return warned(LAUNCH, `${hook} is gone; its copy is used`, AGAIN);
  if (!nodeThere)
    return warned(LAUNCH, `${node ?? 'Node'} is gone; another Node is looked for each time`, AGAIN);
  return passed(LAUNCH, `${file} leads to ${hook}`);
}

function versionCheck({ hook, copy }: LaunchState): Check {
  const subject = { id: 'hook.version', category: 'hook' } as const;
  const dist = dirname(hook ?? '');
  if (dist === ownDist()) return passed(subject, `Holdpoint ${__VERSION__} is what hosts call`);
  const version = versionBeside(dist) ?? copy?.split('-')[0] ?? 'another version';
  return version === __VERSION__
    ? passed(subject, `hosts call Holdpoint ${version} in ${dist}`)
    : warned(subject, `hosts call Holdpoint ${version} in ${dist}; this is ${__VERSION__}`, AGAIN);
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
