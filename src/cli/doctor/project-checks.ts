import { existsSync, realpathSync } from 'node:fs';
import { relative } from 'node:path';
import { showPlace } from '../../config/diagnostics';
import { compileConfig } from '../../core/compile-config';
import { explainEvent } from '../../core/explain-event';
import { succeed } from '../../core/failure';
import { mendingOf, troubleOf } from '../../core/messages';
import type { InstalledFile } from '../install/installed-state';
import type { OpenProject } from '../project';
import type { Context } from '../verb';
import { advice, type Check, failed, passed, warned } from './report';
import { tryWriting } from './state-checks';

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
export function placeChecks(
  project: OpenProject | undefined,
  files: readonly InstalledFile[],
  context: Context,
): Check[] {
  if (project === undefined) return [];
  return [...cwdCheck(project, files, context), armedCheck(project, context), writableCheck(project)];
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
function armedCheck({ root }: OpenProject, { env, chunks }: Context): Check {
  const event = {
    hook_event_name: 'SessionStart',
    source: 'startup',
    session_id: 'holdpointdoctor',
    cwd: root,
  };
  const input = succeed(JSON.stringify(event));
  const told = explainEvent(input, { host: 'claude-code', only: [], env, chunks, now: Date.now() });
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
