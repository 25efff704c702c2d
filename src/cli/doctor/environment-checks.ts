import { accessSync, constants, existsSync, realpathSync, statSync } from 'node:fs';
import { join, relative } from 'node:path';
import { showPlace } from '../../config/diagnostics';
import { compileConfig } from '../../core/compile-config';
import { explainEvent } from '../../core/explain-event';
import { succeed } from '../../core/failure';
import { mendingOf, troubleOf } from '../../core/messages';
import { GUARD_NAMES, isDisabled, selectGuards } from '../../core/selection';
import type { AskGit } from '../../git/run-git';
import type { Context } from '../context';
import type { InstalledFile } from '../install/installed-state';
import { ownDist } from '../install/launch';
import type { OpenProject } from '../project';
import { unusedRuntimeDirectory } from '../resident/server';
import { advice, type Check, failed, homeCheck, passed, warned } from './report';
import { tryWriting } from './state-checks';

const OLDEST_NODE = 20;

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

/** Whether there is something to enforce here, and whether it can be read. */
export function projectChecks(project: OpenProject | undefined): Check[] {
  if (project !== undefined) return [passed('project.repository', project.root), configCheck(project)];
  const fix = advice('Change into a repository, or create .holdpoint/');
  return [warned('project.repository', 'Not in a git repository', fix)];
}

function configCheck({ root, home, configured }: OpenProject): Check {
  const { diagnostics, sources } = compileConfig(root, home);
  const worst = diagnostics.find(({ severity }) => severity === 'error') ?? diagnostics[0];
  if (worst !== undefined) {
    const more = diagnostics.length > 1 ? ` (and ${diagnostics.length - 1} more)` : '';
    const fix = { description: 'Shows every problem at its place', safe: true, command: 'req status -v' };
    const tell = worst.severity === 'error' ? failed : warned;
    return tell('project.config', `${showPlace(worst.place)}: ${worst.message}${more}`, fix);
  }
  if (configured && sources.length > 0)
    return passed('project.config', sources.map(({ shown }) => shown).join(', '));
  return warned('project.config', 'No config: nothing is enforced here', advice('Write one', 'req init'));
}

/** Where one stands, what is armed there, and whether anything can be kept. */
export async function placeChecks(
  project: OpenProject | undefined,
  files: readonly InstalledFile[],
  context: Context,
): Promise<Check[]> {
  if (project === undefined) return [];
  return [...cwdCheck(project, files, context), await armedCheck(project, context), writableCheck(project)];
}

/** Claude Code loads a project's hooks only where it is started at the root; a person's own it always loads. */
function cwdCheck({ root }: OpenProject, files: readonly InstalledFile[], { cwd }: Context): Check[] {
  const here = existsSync(cwd) ? realpathSync(cwd) : cwd;
  if (here === root) return [passed('project.cwd', 'at the root of the project')];
  const ours = files.filter(({ host, state }) => host === 'claude-code' && state !== 'none');
  if (ours.length === 0 || ours.some(({ scope }) => scope === 'user')) return [];
  const where = `you stand in ${relative(root, here)}`;
  return [
    warned(
      'project.cwd',
      `${where}: a Claude Code that is started here does not load the hooks of ${root}`,
      advice('Start it at the root, or install for yourself', 'holdpoint install --user'),
    ),
  ];
}

/** Asks the pipeline itself what a session that begins here would hear. Nothing is written. */
async function armedCheck({ root }: OpenProject, { env, chunks }: Context): Promise<Check> {
  const event = {
    hook_event_name: 'SessionStart',
    source: 'startup',
    session_id: 'holdpointdoctor',
    cwd: root,
  };
  const input = succeed(JSON.stringify(event));
  const told = await explainEvent(input, { host: 'claude-code', only: [], env, chunks, now: Date.now() });
  const said = told.kind === 'watched' ? told.decision.toPerson : [];
  const on = said.find((line) => line.startsWith('Holdpoint is on'));
  if (on !== undefined) return passed('project.armed', on);
  const nothing = 'nothing is armed here: a session that begins would not be held by anything';
  return warned('project.armed', said[0] ?? nothing, advice('See what the config says', 'holdpoint status'));
}

/** Tried, not asked: a link that leads out, a full disk or another's lock is not seen by looking at rights. */
function writableCheck({ layout }: OpenProject): Check {
  const failure = tryWriting(layout);
  if (failure === undefined) return passed('state.writable', layout.own);
  const fix = mendingOf(failure) || 'See to that place, or start the host with HOLDPOINT_DISABLE=1';
  const what = `${troubleOf(failure)} Nothing can be recorded, and what rests on a count lets go`;
  return failed('state.writable', what, advice(fix));
}
