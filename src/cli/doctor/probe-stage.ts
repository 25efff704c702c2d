import { spawnSync } from 'node:child_process';
import {
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  realpathSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { PROBE_CONFIG } from './known-bad';

/** A scratch project, with a home that leads to the person's programs but keeps what is written. */
export interface ProbeStage {
  readonly project: string;
  readonly home: string;
  remove(): void;
}

export interface ProbeReply {
  readonly stdout: string;
  readonly stderr: string;
  readonly exitCode: number | null;
}

const LONGEST_MS = 20_000;
/** What a home has of ours is not led to, but for what starts the hook. */
const STARTERS = ['.config/holdpoint/launch', '.config/holdpoint/lib', '.claude/hooks', '.claude/plugins'];
const OWN_PLACES = ['.claude', '.config', '.git', '.holdpoint', '.gauntlet', '.isdlc'];
const MOST_LINKS = 2000;

/** Leaves nothing behind when it throws. */
export function buildProbeStage(home: string): ProbeStage {
  const scratch = realpathSync(mkdtempSync(join(tmpdir(), 'holdpoint-doctor-')));
  const remove = (): void => rmSync(scratch, { recursive: true, force: true });
  try {
    const project = join(scratch, 'project');
    for (const dir of ['.holdpoint', '.git/objects', '.git/refs'])
      mkdirSync(join(project, dir), { recursive: true });
    writeFileSync(join(project, '.git', 'HEAD'), 'ref: refs/heads/probe\n');
    writeFileSync(join(project, '.holdpoint', 'config.yaml'), PROBE_CONFIG);
    linkHome(home, join(scratch, 'home'));
    return { project, home: join(scratch, 'home'), remove };
  } catch (error) {
    remove();
    throw error;
  }
}

/** Runs a line as hosts do. `env` is all that it gets. */
export function runLine(
  line: string,
  cwd: string,
  env: Readonly<Record<string, string | undefined>>,
  input: string,
): ProbeReply {
  const { stdout, stderr, status, error } = spawnSync('/bin/sh', ['-c', line], {
    cwd,
    env: { ...env },
    input,
    encoding: 'utf8',
    timeout: LONGEST_MS,
    killSignal: 'SIGKILL',
  });
  // A line that ends before it has read everything closes the pipe, which is an error too; its own words say more.
  return { stdout: stdout ?? '', stderr: stderr || (error?.message ?? ''), exitCode: status };
}

function linkHome(from: string, to: string): void {
  for (const dir of ['.config/holdpoint', '.claude']) mkdirSync(join(to, dir), { recursive: true });
  const rest = [namesIn(from, ''), namesIn(from, '.config')].flat();
  const names = rest.filter((name) => !OWN_PLACES.includes(name) && name !== '.config/holdpoint');
  for (const name of [...STARTERS, ...names.slice(0, MOST_LINKS)]) {
    if (!existsSync(join(from, name))) continue;
    mkdirSync(dirname(join(to, name)), { recursive: true });
    symlinkSync(join(from, name), join(to, name));
  }
}

function namesIn(home: string, below: string): string[] {
  try {
    return readdirSync(join(home, below)).map((name) => join(below, name));
  } catch {
    return [];
  }
}
