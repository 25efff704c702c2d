import { spawn } from 'node:child_process';
import { dirname } from 'node:path';
import { afterEach } from 'vitest';
import { type Ended, makeRig, type Rig } from '../e2e/rig';
import { type Dialect, type Step, startServer } from './scripted-server';

/** How a client is started for one prompt, once the address of its model is known. */
export interface Start {
  readonly command: readonly string[];
  readonly env: Readonly<Record<string, string>>;
}

export interface Played {
  readonly stdout: string;
  readonly stderr: string;
  /** What the model was asked, request by request, as text. */
  readonly asked: readonly string[];
}

const rigs: Rig[] = [];
afterEach(() => {
  for (const rig of rigs.splice(0)) rig.remove();
});

/** A repository with the given config, on branch `feature/auth`; removed after the test. */
export function makeProject(config: string): Rig {
  const rig = makeRig(config, '.holdpoint/config.yaml');
  rigs.push(rig);
  return rig;
}

/** Lets a host call the hook, as a person would. */
export function install(rig: Rig, host: string): void {
  const { exitCode, stdout, stderr }: Ended = rig.holdpoint(['install', '--host', host]);
  if (exitCode !== 0) throw new Error(`not installed: ${stdout}${stderr}`);
}

/** Lets a client work to the end of its turn, with these answers of its model. */
export async function play(
  rig: Rig,
  dialect: Dialect,
  steps: readonly Step[],
  startOf: (url: string) => Start,
): Promise<Played> {
  const server = await startServer(dialect, steps);
  try {
    const { command, env } = startOf(server.url);
    const [program = '', ...args] = command;
    const PATH = `${dirname(process.execPath)}:/usr/local/bin:/usr/bin:/bin`;
    const child = spawn(program, args, {
      cwd: rig.repo,
      env: { ...rig.environment({ PATH }), ...env },
      stdio: ['ignore', 'pipe', 'pipe'],
      timeout: 120_000,
      killSignal: 'SIGKILL',
    });
    const [stdout, stderr]: [Buffer[], Buffer[]] = [[], []];
    child.stdout.on('data', (data: Buffer) => stdout.push(data));
    child.stderr.on('data', (data: Buffer) => stderr.push(data));
    await new Promise((resolve, reject) => child.on('error', reject).on('close', resolve));
    return {
      stdout: Buffer.concat(stdout).toString(),
      stderr: Buffer.concat(stderr).toString(),
      asked: server.asked,
    };
  } finally {
    await server.close();
  }
}
