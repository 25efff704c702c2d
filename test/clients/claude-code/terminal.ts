import { spawn } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { clientEnvironment } from '../program';
import { type Script, startModel } from '../scripted-model';
import type { Project } from './project';

/** A person at the client's terminal. Everything waits until it is so, and fails after a minute. */
export interface Terminal {
  /** Types a line, and sends it once it stands there. */
  enter(line: string): Promise<void>;
  /** Presses keys. */
  press(keys: string): void;
  /** Waits until this stands on the screen, or has stood there. Blanks do not count: the client moves over them. */
  shows(text: string): Promise<void>;
  until(what: string, isSo: () => boolean): Promise<void>;
}

/** A scheduled prompt may come a minute late. */
const DEADLINE = 90_000;

/** Lets a person work with the client at a terminal. It is killed afterwards. */
export async function atTerminal(
  project: Project,
  script: Script,
  args: readonly string[],
  work: (terminal: Terminal) => Promise<void>,
): Promise<void> {
  acceptDialogues(project);
  const model = await startModel(script);
  const place = project.place(model.url);
  const pidFile = join(project.dir, 'client.pid');
  const line = `echo $$ > '${pidFile}'; stty cols 160 rows 50; exec '${place.program}' ${args.map((arg) => `'${arg}'`).join(' ')}`;
  const child = spawn('script', ['-qec', line, '/dev/null'], {
    cwd: place.cwd,
    env: { ...clientEnvironment(place), TERM: 'xterm-256color' },
  });
  const closed = new Promise((resolve) => child.on('close', resolve));
  let shown = '';
  child.stdout.on('data', (data: Buffer) => {
    shown += data.toString();
  });
  const until: Terminal['until'] = async (what, isSo) => {
    for (const began = Date.now(); !isSo(); ) {
      if (Date.now() - began > DEADLINE) throw new Error(`waited for ${what}: ${plain(shown).slice(-3000)}`);
      await new Promise((resolve) => setTimeout(resolve, 50));
    }
  };
  const shows = (text: string): Promise<void> => until(text, () => plain(shown).includes(plain(text)));
  const enter = async (text: string): Promise<void> => {
    const before = shown.length;
    child.stdin.write(text);
    await until(`${text} to be typed`, () => plain(shown.slice(before)).includes(plain(text)));
    child.stdin.write('\r');
  };
  try {
    await shows('❯');
    await work({ enter, press: (keys) => void child.stdin.write(keys), shows, until });
  } finally {
    process.kill(Number(readFileSync(pidFile, 'utf8')), 'SIGKILL');
    await closed;
    await model.close();
  }
}

/** Questions that are asked once in a home: the theme, the key, whether the folder is trusted. */
function acceptDialogues(project: Project): void {
  const trusted = { hasTrustDialogAccepted: true, hasCompletedProjectOnboarding: true };
  const answers = {
    hasCompletedOnboarding: true,
    theme: 'dark',
    bypassPermissionsModeAccepted: true,
    customApiKeyResponses: { approved: ['test-key'], rejected: [] },
    projects: { [project.repo]: trusted },
  };
  project.writeHome('.claude.json', JSON.stringify(answers));
}

/** What stands on a screen, without the ways of getting it there. */
function plain(text: string): string {
  return text
    .replace(/\x1b[\]P][^\x07\x1b]*(?:\x07|\x1b\\)/g, '')
    .replace(/\x1b\[[0-9;?<>=]*[a-zA-Z]/g, '')
    .replace(/\x1b./g, '')
    .replace(/\s+/g, '');
}
