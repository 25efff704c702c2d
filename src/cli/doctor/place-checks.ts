import { existsSync, realpathSync } from 'node:fs';
import { relative } from 'node:path';
import { explainEvent } from '../../core/explain-event';
import { succeed } from '../../core/failure';
import { mendingOf, troubleOf } from '../../core/messages';
import type { InstalledFile } from '../install/installed-state';
import type { OpenProject } from '../project';
import type { Context } from '../verb';
import { advice, type Check, failed, passed, warned } from './check';
import { tryWriting } from './try-writing';

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
  const subject = { id: 'project.cwd', category: 'project' } as const;
  const here = existsSync(cwd) ? realpathSync(cwd) : cwd;
  if (here === root) return [passed(subject, 'at the root of the project')];
  const ours = files.filter(({ host, state }) => host === 'claude-code' && state !== 'none');
  if (ours.length === 0 || ours.some(({ scope }) => scope === 'user')) return [];
  return [
    warned(
      subject,
      `you stand in ${relative(root, here)}: a Claude Code that is started here does not load the hooks of ${root}`,
      advice('Start it at the root, or install for yourself', 'holdpoint install --user'),
    ),
  ];
}

/** Asks the pipeline itself what a session that begins here would hear. Nothing is written. */
async function armedCheck({ root }: OpenProject, { env, chunks }: Context): Promise<Check> {
  const subject = { id: 'project.armed', category: 'project' } as const;
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
  if (on !== undefined) return passed(subject, on);
  return warned(
    subject,
    said[0] ?? 'nothing is armed here: a session that begins would not be held by anything',
    advice('See what the config says', 'holdpoint status'),
  );
}

/** Tried, not asked: a link that leads out, a full disk or another's lock is not seen by looking at rights. */
function writableCheck({ layout }: OpenProject): Check {
  const subject = { id: 'state.writable', category: 'state' } as const;
  const failure = tryWriting(layout);
  if (failure === undefined) return passed(subject, layout.own);
  return failed(
    subject,
    `${troubleOf(failure)} Nothing can be recorded, and what rests on a count lets go`,
    advice(mendingOf(failure) || 'See to that place, or start the host with HOLDPOINT_DISABLE=1'),
  );
}
