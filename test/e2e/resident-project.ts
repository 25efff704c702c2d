import { spawn } from 'node:child_process';
import { existsSync, mkdirSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs';
import { delimiter, dirname, join } from 'node:path';
import { setTimeout as wait } from 'node:timers/promises';
import { launchText } from '../../src/cli/install/launch-text';
import { startLineFor } from '../../src/cli/install/start-line';
import type { Client } from '../../src/cli/resident/client';
import { CLIENT_FORMS, type ClientForm, clientOf, nativeAt } from '../../src/cli/resident/client-table';
import { BUILDS, compileClient, compilerOn } from '../../src/cli/resident/native/compile';
import { askServer, type ServerStatus } from '../../src/server/control';
import { commandFile, type Ended, endOf, type Rig } from './rig';

export const LINE = startLineFor('claude-code').shell;

/** Where a program of this machine is. */
export function programHere(name: string): string | undefined {
  const dirs = (process.env['PATH'] ?? '').split(delimiter);
  return dirs.map((dir) => join(dir, name)).find((file) => existsSync(file));
}

/** The ways to a server that can be tried on this machine, and the names of those that cannot. */
export const FORMS_HERE = CLIENT_FORMS.filter(({ program }) => programHere(program) !== undefined);
export const SHELLS_HERE = ['dash', 'bash', 'zsh', 'busybox'].filter(
  (name) => programHere(name) !== undefined,
);

/** The compiler of this machine, if it has one. */
export const COMPILER_HERE = compilerOn(process.env);

export function formHere(form: ClientForm): Client {
  return clientOf(form, programHere(form.program) ?? '', programHere('cat') ?? '');
}

/** Our own client, in every way in which it can be built on this machine. */
export function compiledHere(directory: string): Client[] {
  return BUILDS.flatMap((build, index) => {
    const place = join(directory, String(index));
    mkdirSync(place);
    const compiled = compileClient(COMPILER_HERE ?? '/bin/false', build, place, process.env);
    const name = `${build.ground} ${build.flags.join(' ')}`;
    return compiled === undefined ? [] : [{ ...nativeAt(compiled.file), name }];
  });
}

/** Writes the launch file as an installation with this client would. */
export function writeLaunch(rig: Rig, client: Client, socket: string, patience = 10): void {
  const text = launchText({
    node: process.execPath,
    dist: dirname(commandFile('hook')),
    copy: 'none',
    resident: { socket, client: { ...client, patience } },
  });
  const file = join(rig.home, '.config/holdpoint/launch');
  mkdirSync(dirname(file), { recursive: true });
  writeFileSync(file, text);
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
  const args = shell === 'busybox' ? ['sh', '-c', LINE] : ['-c', LINE];
  const child = spawn(shell, args, { cwd: rig.repo, env: rig.environment(env) });
  return endOf(child, input);
}

/** The server, once it answers. */
export async function serverAt(socket: string): Promise<ServerStatus> {
  for (const end = Date.now() + 20_000; Date.now() < end; await wait(10)) {
    const status = await askServer(socket);
    if (status !== undefined) return status;
  }
  throw new Error(`no server at ${socket}`);
}

/** A directory with nothing but these programs of the machine. */
export function pathWith(rig: Rig, name: string, programs: readonly string[]): string {
  const dir = join(rig.tmp, name);
  mkdirSync(dir);
  for (const program of programs) symlinkSync(programHere(program) ?? '/bin/false', join(dir, program));
  return dir;
}

export function launchOf(rig: Rig): string {
  return readFileSync(join(rig.home, '.config/holdpoint/launch'), 'utf8');
}
