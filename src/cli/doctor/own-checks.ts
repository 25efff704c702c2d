import { accessSync, constants, existsSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { GUARD_NAMES } from '../../core/guard-name';
import { isDisabled, selectGuards } from '../../core/selection';
import { ownDist } from '../install/own-dist';
import { unusedPlace } from '../install/unused-place';
import type { Context } from '../verb';
import { advice, type Check, failed, passed, warned } from './check';
import { homeCheck } from './home-check';

/** This very program, and what the environment does to it. */
export function ownChecks(home: string, env: Context['env']): Check[] {
  const version = { id: 'runtime.version', category: 'runtime' } as const;
  return [
    passed(version, `Holdpoint ${__VERSION__} in ${ownDist()}`),
    ...[homeCheck(env)].flatMap((check) => check ?? []),
    ...switchChecks(env),
    ...placeChecks(env),
    codeCheck(home),
  ];
}

function placeChecks(env: Context['env']): Check[] {
  const unused = unusedPlace(env);
  const subject = { id: 'runtime.place', category: 'runtime' } as const;
  return unused === undefined
    ? []
    : [warned(subject, unused.replace(/\.$/, ''), advice('Name an absolute path'))];
}

function switchChecks(env: Context['env']): Check[] {
  const subject = { id: 'runtime.switches', category: 'runtime' } as const;
  if (isDisabled(env))
    return [failed(subject, 'HOLDPOINT_DISABLE is set here: nothing is held', advice('Unset it'))];
  const { guards } = selectGuards([], env);
  const off = GUARD_NAMES.filter((name) => !guards.includes(name));
  if (off.length === 0) return [];
  return [
    warned(subject, `switched off by a variable of this environment: ${off.join(', ')}`, advice('Unset it')),
  ];
}

/** Compiled code is kept below the home; without it every event takes longer, and nothing else. */
function codeCheck(home: string): Check {
  const subject = { id: 'runtime.code-cache', category: 'runtime' } as const;
  const folder = join(home, '.config', 'holdpoint', 'code');
  if (!existsSync(folder)) return passed(subject, 'no event has kept compiled code yet');
  try {
    if (!statSync(folder).isDirectory()) throw new Error('no directory');
    accessSync(folder, constants.R_OK | constants.W_OK | constants.X_OK);
    return passed(subject, folder);
  } catch {
    return warned(
      subject,
      `${folder} cannot be used, so every event is compiled anew`,
      advice(`Remove ${folder}`),
    );
  }
}
