import { spawn } from 'node:child_process';
import { readdirSync, readFileSync, readlinkSync } from 'node:fs';
import { join } from 'node:path';
import type { Project, Start } from './host-project';
import type { RealClient } from './real-client';
import type { Turn } from './scripted-model';
import { say } from './scripted-model';

/** A person at a client's terminal. Everything waits until it is so, and fails after a minute. */
export interface Terminal {
  /** Types a line, and sends it once it stands there. */
  enter(line: string): Promise<void>;
  /** Presses a key, or several. */
  press(keys: string): void;
  /** Waits until this stands on the screen, or has stood there. Blanks do not count: clients move over them. */
  shows(text: string): Promise<void>;
  until(what: string, isSo: () => boolean): Promise<void>;
  screen(): string;
  /** What the model read for the first time, question by question. */
  readonly asked: readonly string[];
}

const DEADLINE_MS = 60_000;

/** Lets a person work with a client at a terminal. It is killed afterwards. */
export async function atTerminal(
  client: RealClient,
  project: Project,
  turns: readonly Turn[],
  start: (modelUrl: string) => Start,
  work: (terminal: Terminal) => Promise<void>,
): Promise<void> {
  const asked: string[] = [];
  const model = await client.startModel((news) => {
    // Some clients have the model name the session.
    if (/Generate a concise, single-line task title/.test(news)) return say('Work');
    return turns[asked.push(news) - 1] ?? say('THE SCRIPT IS OVER');
  });
  const { path, args, env } = start(model.url);
  const pidFile = join(project.dir, 'client.pid');
  const words = [path, ...args].map((word) => `'${word}'`).join(' ');
  const line = `echo $$ > '${pidFile}'; stty cols 160 rows 50; exec ${words}`;
  const around = {
    ...project.environment({ PATH: process.env['PATH'] ?? '' }),
    SHELL: '/bin/bash',
    LANG: 'C.UTF-8',
  };
  const child = spawn('script', ['-qec', line, '/dev/null'], {
    cwd: project.repo,
    env: { ...around, ...env, TERM: 'xterm-256color' },
  });
  const closed = new Promise((resolve) => child.on('close', resolve));
  let shown = '';
  child.stdout.on('data', (data: Buffer) => {
    shown += data.toString();
  });
  const until: Terminal['until'] = async (what, isSo) => {
    for (const began = Date.now(); !isSo(); ) {
      if (Date.now() - began > DEADLINE_MS)
        throw new Error(`waited for ${what}: ${plain(shown, ' ').slice(-4000)}`);
      await new Promise((resolve) => setTimeout(resolve, 50));
    }
  };
  const shows: Terminal['shows'] = (text) => until(text, () => plain(shown).includes(plain(text)));
  const press = (keys: string): void => void child.stdin.write(keys);
  const enter: Terminal['enter'] = async (text) => {
    const before = shown.length;
    press(text);
    await until(`${text} to be typed`, () => plain(shown.slice(before)).includes(plain(text)));
    press('\r');
  };
  try {
    await work({ enter, press, shows, until, screen: () => plain(shown, ' '), asked });
  } finally {
    process.kill(Number(readFileSync(pidFile, 'utf8')), 'SIGKILL');
    await closed;
    await until('its hooks to end', () => !isAnybodyIn(project.repo));
    await model.close();
  }
}

/** Whether a hook still works in a directory: it outlives a client that is killed. Our own commands run there too. */
function isAnybodyIn(dir: string): boolean {
  return readdirSync('/proc').some((name) => {
    try {
      if (!/^\d+$/.test(name) || readlinkSync(`/proc/${name}/cwd`) !== dir) return false;
      return !readFileSync(`/proc/${name}/cmdline`, 'utf8').includes('command-runner.mjs');
    } catch {
      return false;
    }
  });
}

/** What stands on a screen, without the ways of getting it there. */
function plain(text: string, blank = ''): string {
  return text
    .replace(/\x1b[\]P][^\x07\x1b]*(?:\x07|\x1b\\)/g, '')
    .replace(/\x1b\[[0-9;?<>=]*[a-zA-Z]/g, '')
    .replace(/\x1b./g, '')
    .replace(/[│╭╮╰╯─]/g, '')
    .replace(/\s+/g, blank);
}
