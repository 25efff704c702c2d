import { spawn } from 'node:child_process';
import {
  existsSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { delimiter, dirname, join } from 'node:path';
import { setTimeout as wait } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { launchText, type ResidentStart } from '../../src/cli/install/launch';
import { startLineFor } from '../../src/hosts/start-line';
import { askServer, type ServerStatus } from '../../src/server/control';
import { shareWherePossible } from './compiled-code';
import { commandFile, type Ended, endOf, type Rig } from './rig';

export const LINE = startLineFor('claude-code');

/** Where a program of this machine is. */
export function programHere(name: string): string | undefined {
  const dirs = (process.env['PATH'] ?? '').split(delimiter);
  return dirs.map((dir) => join(dir, name)).find((file) => existsSync(file));
}

export const SHELLS_HERE = ['dash', 'bash', 'zsh', 'busybox'].filter(
  (name) => programHere(name) !== undefined,
);

/** The `nc` of this machine, or a stand-in where there is none. */
export const NC = programHere('nc') ?? standIn();

function standIn(): string {
  const dir = mkdtempSync(join(tmpdir(), 'holdpoint-nc-'));
  process.on('exit', () => rmSync(dir, { recursive: true, force: true }));
  const script = fileURLToPath(new URL('netcat.mjs', import.meta.url));
  writeFileSync(join(dir, 'nc'), `#!/bin/sh\nexec '${process.execPath}' '${script}' "$@"\n`, { mode: 0o755 });
  return join(dir, 'nc');
}

/** A PATH on which `nc` is found. */
export const PATH_WITH_NC = `${dirname(NC)}${delimiter}${process.env['PATH'] ?? ''}`;

/** Writes the launch file as an installation would. */
export function writeLaunch(rig: Rig, socket: string, patience = 10): void {
  const resident: ResidentStart = {
    socket,
    client: NC,
    cat: programHere('cat') ?? '',
    setsid: undefined,
    patience,
  };
  const dist = dirname(commandFile('hook'));
  const file = join(rig.home, '.config/holdpoint/launch');
  mkdirSync(dirname(file), { recursive: true });
  writeFileSync(file, launchText({ node: process.execPath, dist, copy: 'none', resident }));
}

/** An edit that the requirement of the rig forbids. */
export function editIn(rig: Rig, id: string, more: object = {}): string {
  return JSON.stringify({
    session_id: 's',
    hook_event_name: 'PreToolUse',
    cwd: rig.repo,
    tool_name: 'Edit',
    tool_input: { file_path: 'src/a.ts' },
    tool_use_id: id,
    ...more,
  });
}

export interface Run {
  readonly shell?: string;
  readonly env?: Readonly<Record<string, string>>;
}

/** Runs the line as a host does; other things may happen meanwhile. */
export function runLine(
  rig: Rig,
  input: string | Uint8Array,
  { shell = 'sh', env }: Run = {},
): Promise<Ended> {
  shareWherePossible(rig.home);
  const args = shell === 'busybox' ? ['sh', '-c', LINE] : ['-c', LINE];
  const child = spawn(shell, args, { cwd: rig.repo, env: rig.environment(env) });
  return endOf(child, input);
}

/** The server, once it answers. */
export async function serverAt(socket: string): Promise<ServerStatus> {
  for (const end = Date.now() + 60_000; Date.now() < end; await wait(10)) {
    const status = await askServer(socket);
    if (status !== undefined) return status;
  }
  throw new Error(`no server at ${socket}`);
}

/** A directory with nothing but these programs of the machine. */
export function pathWith(rig: Rig, name: string, programs: readonly string[]): string {
  const dir = join(rig.tmp, name);
  mkdirSync(dir);
  for (const program of programs)
    symlinkSync(program === 'nc' ? NC : (programHere(program) ?? '/bin/false'), join(dir, program));
  return dir;
}

export function launchOf(rig: Rig): string {
  return readFileSync(join(rig.home, '.config/holdpoint/launch'), 'utf8');
}
