import { accessSync, constants, existsSync, statSync } from 'node:fs';
import { isAbsolute, join } from 'node:path';
import { errorCode } from '../../core/error-code';
import { detailOf } from '../../core/failure';
import { GUARD_NAMES } from '../../core/guard-name';
import { isDisabled, selectGuards } from '../../core/selection';
import type { AskGit } from '../../git/head';
import { ownDist } from '../install/launch';
import { unusedRuntimeDirectory } from '../resident/server';
import type { Context } from '../verb';
import { advice, type Check, failed, passed, warned } from './report';

const OLDEST_NODE = 20;
const SET_HOME = advice('Set HOME to your home directory where the agent is started');

/** What Holdpoint itself runs on. */
export function runtimeChecks(cwd: string, askGit: AskGit): Check[] {
  const node = process.versions.node;
  const git = askGit(cwd, ['--version']);
  return [
    Number.parseInt(node, 10) >= OLDEST_NODE
      ? passed('runtime.node', `Node ${node}`)
      : failed('runtime.node', `Node ${node} is too old`, advice(`Install Node ${OLDEST_NODE} or newer`)),
    git === undefined
      ? warned('runtime.git', 'git does not answer: sizes of branches cannot be told', advice('Install git'))
      : passed('runtime.git', git),
  ];
}

/** This very program, and what the environment does to it. */
export function ownChecks(home: string, env: Context['env']): Check[] {
  const unused = unusedRuntimeDirectory(env);
  return [
    passed('runtime.version', `Holdpoint ${__VERSION__} in ${ownDist()}`),
    ...[homeCheck(env)].flatMap((check) => check ?? []),
    ...switchChecks(env),
    ...(unused === undefined
      ? []
      : [warned('runtime.place', unused.replace(/\.$/, ''), advice('Name an absolute path'))]),
    codeCheck(home),
  ];
}

/** What is wrong with the home, if anything is. */
export function homeCheck(env: Context['env']): Check | undefined {
  const home = env['HOME'] ?? '';
  if (home === '') {
    const why = 'HOME is not set here: what starts the hook is kept there, so nothing of it is found';
    return failed('runtime.home', why, SET_HOME);
  }
  if (!isAbsolute(home)) {
    const why = 'which is no absolute path: what starts the hook is found from one directory only';
    return failed('runtime.home', `HOME is '${home}' here, ${why}`, SET_HOME);
  }
  try {
    accessSync(`${home}/.`, constants.X_OK);
    return undefined;
  } catch (error) {
    // One that is still to be made is no trouble: an installation makes it.
    if (errorCode(error) === 'ENOENT') return undefined;
    const why = `cannot be entered, so what is installed for you cannot be told (${detailOf(error)})`;
    const fix = advice(`Give yourself the right to enter ${home}`);
    return failed('runtime.home', `the home directory ${home} ${why}`, fix);
  }
}

function switchChecks(env: Context['env']): Check[] {
  const unset = advice('Unset it');
  if (isDisabled(env))
    return [failed('runtime.switches', 'HOLDPOINT_DISABLE is set here: nothing is held', unset)];
  const { guards } = selectGuards([], env);
  const off = GUARD_NAMES.filter((name) => !guards.includes(name)).join(', ');
  if (off === '') return [];
  return [warned('runtime.switches', `switched off by a variable of this environment: ${off}`, unset)];
}

/** Compiled code is kept below the home; without it every event takes longer, and nothing else. */
function codeCheck(home: string): Check {
  const folder = join(home, '.config', 'holdpoint', 'code');
  if (!existsSync(folder)) return passed('runtime.code-cache', 'no event has kept compiled code yet');
  try {
    if (!statSync(folder).isDirectory()) throw new Error('no directory');
    accessSync(folder, constants.R_OK | constants.W_OK | constants.X_OK);
    return passed('runtime.code-cache', folder);
  } catch {
    const why = `${folder} cannot be used, so every event is compiled anew`;
    return warned('runtime.code-cache', why, advice(`Remove ${folder}`));
  }
}
