import { spawn } from 'node:child_process';
import { mkdirSync, mkdtempSync, realpathSync, rmSync, utimesSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import type { JsonObject } from '../../core/json';
import { askServer, endServer } from '../../server/control';
import { type ProbeReply, runLine } from '../doctor/probe-stage';
import { launchText } from '../install/launch-text';
import { ownDist } from '../install/own-dist';
import { LAUNCH_FILE, startLineFor } from '../install/start-line';
import type { ResidentStart } from './client';

/** A server, a home and a project of their own, in which a client shows what it can do. */
export interface TrialStage {
  /** A directory for what is to be tried; it goes with the stage. */
  readonly scratch: string;
  readonly socket: string;
  /** A socket at which nobody ever says anything. */
  readonly muteSocket: string;
  /** Runs the line that hosts run, with this way to the server or none. */
  run(resident: ResidentStart | undefined, event: JsonObject): ProbeReply;
  /** How many events the server has answered. */
  answered(): Promise<number>;
  remove(): Promise<void>;
}

const STARTS_WITHIN_MS = 10_000;
const STEP_MS = 20;
const LONGEST_TRIAL_S = 3600;

/** Throws where no server comes up; nothing is left behind then. */
export async function buildTrialStage(config: string): Promise<TrialStage> {
  const scratch = realpathSync(mkdtempSync(join(tmpdir(), 'holdpoint-trial-')));
  const [home, project, runtime] = [join(scratch, 'home'), join(scratch, 'project'), join(scratch, 'run')];
  const socket = join(runtime, 's');
  const mute = createServer();
  const remove = async (): Promise<void> => {
    mute.close();
    await endServer(socket);
    rmSync(scratch, { recursive: true, force: true });
  };
  try {
    const muteSocket = join(scratch, 'mute');
    await new Promise<void>((resolve, reject) => mute.once('error', reject).listen(muteSocket, resolve));
    buildProject(project, config);
    noteStart(join(scratch, 'starting'));
    const env = { HOME: home, PATH: process.env['PATH'] };
    await startServer(socket, env);
    return {
      scratch,
      socket,
      muteSocket,
      run(resident, event) {
        writeLaunch(home, resident);
        const input = JSON.stringify({ ...event, cwd: project });
        return runLine(startLineFor('claude-code').shell, project, env, input);
      },
      answered: async () => (await askServer(socket))?.answered ?? 0,
      remove,
    };
  } catch (error) {
    await remove();
    throw error;
  }
}

/** The line starts a server where it misses one; here it shall believe that somebody has just done so. */
function noteStart(file: string): void {
  writeFileSync(file, `${process.pid}\n`);
  // By its time it is told from the note of the server that says nothing.
  const later = Date.now() / 1000 + LONGEST_TRIAL_S;
  utimesSync(file, later, later);
}

function buildProject(project: string, config: string): void {
  for (const dir of ['.holdpoint', '.git/objects', '.git/refs'])
    mkdirSync(join(project, dir), { recursive: true });
  writeFileSync(join(project, '.git', 'HEAD'), 'ref: refs/heads/trial\n');
  writeFileSync(join(project, '.holdpoint', 'config.yaml'), config);
}

function writeLaunch(home: string, resident: ResidentStart | undefined): void {
  const file = join(home, LAUNCH_FILE);
  mkdirSync(dirname(file), { recursive: true });
  writeFileSync(file, launchText({ node: process.execPath, dist: ownDist(), copy: 'none', resident }));
}

async function startServer(socket: string, env: Readonly<Record<string, string | undefined>>): Promise<void> {
  const given = { ...env, HOLDPOINT_RUNTIME_DIR: dirname(socket) };
  const options = { env: given, stdio: 'ignore', detached: true } as const;
  spawn(process.execPath, [join(ownDist(), 'serve.cjs'), '--idle', '60'], options).unref();
  for (const end = Date.now() + STARTS_WITHIN_MS; Date.now() < end; ) {
    if ((await askServer(socket)) !== undefined) return;
    await new Promise((resolve) => setTimeout(resolve, STEP_MS));
  }
  throw new Error('no server came up');
}
