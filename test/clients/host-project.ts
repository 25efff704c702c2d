import { chmodSync, mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { afterEach } from 'vitest';
import type { JsonObject } from '../../src/core/json';
import { commandFile, makeRig, type Rig } from '../e2e/rig';
import { type Program, type ProgramEnded, runProgram } from './program';
import type { RealClient } from './real-client';
import { say, type Turn } from './scripted-model';

/** A run of a client. */
export interface Played extends ProgramEnded {
  /** What the model read for the first time, question by question. */
  readonly asked: readonly string[];
}

/** A repository in which a real client works, with our commands on its PATH. */
export interface Project extends Rig {
  /** Lets the client work to the end of its turn, with these answers of its model; a function reads the news first. */
  play(turns: readonly (Turn | ((news: string) => Turn))[], how?: How): Promise<Played>;
  /** Puts our hooks in place, as a person would. Returns what was printed. */
  install(...flags: string[]): string;
  uninstall(...flags: string[]): void;
  /** The journal's lines, oldest first. */
  journal(): JsonObject[];
}

export interface How {
  readonly prompt?: string;
  /** Another way to start the client. */
  readonly instead?: (usual: Start) => Start;
}

export type Start = Pick<Program, 'path' | 'args' | 'env'>;

const DEADLINE_MS = 120_000;
const OVER = say('THE SCRIPT IS OVER');

const projects: Project[] = [];
afterEach(() => {
  // Hooks that a client has started may outlive it for a moment, and still write.
  for (const { dir } of projects.splice(0))
    rmSync(dir, { recursive: true, force: true, maxRetries: 50, retryDelay: 100 });
});

/** On branch `feature/auth`, with the given config; removed after the test. */
export function makeProject(client: RealClient, config: string): Project {
  const rig = makeRig(config, '.holdpoint/config.yaml');
  const PATH = [commandsIn(rig), dirname(process.execPath), '/usr/local/bin', '/usr/bin', '/bin'].join(':');
  // A login shell, as some clients start, sets the PATH anew and then reads this.
  rig.writeHome('.profile', `PATH='${PATH}'\n`);
  const around = { ...rig.environment({ PATH }), SHELL: '/bin/bash', LANG: 'C.UTF-8', TERM: 'dumb' };
  const person = (...args: string[]): string => {
    const { exitCode, stdout, stderr } = rig.holdpoint(args);
    if (exitCode !== 0) throw new Error(`holdpoint ${args.join(' ')}: ${stdout}${stderr}`);
    return stdout;
  };
  const project: Project = {
    ...rig,
    install: (...flags) => person('install', '--host', client.host, ...flags),
    uninstall: (...flags) => void person('uninstall', '--host', client.host, ...flags),
    journal: () => journalIn(join(rig.repo, '.git', 'holdpoint')),
    play: async (turns, { prompt = 'Do the work.', instead = (usual: Start) => usual } = {}) => {
      const asked: string[] = [];
      const model = await client.startModel((news) => {
        const turn = turns[asked.push(news) - 1] ?? OVER;
        return typeof turn === 'function' ? turn(news) : turn;
      });
      try {
        const start = instead(client.start({ rig, modelUrl: model.url, prompt }));
        const env = { ...around, ...start.env };
        const ended = await runProgram({ ...start, env, cwd: rig.repo, deadline: DEADLINE_MS });
        if (ended.timedOut) throw new Error(`the client was killed: ${ended.stdout}${ended.stderr}`);
        return { ...ended, asked };
      } finally {
        await model.close();
      }
    },
  };
  projects.push(project);
  client.prepare?.(rig);
  return project;
}

/** Our commands, as they are found on the PATH where they are installed. */
function commandsIn({ dir }: Rig): string {
  const bin = join(dir, 'bin');
  mkdirSync(bin);
  for (const name of ['req', 'holdpoint']) {
    writeFileSync(join(bin, name), `#!/bin/sh\nexec '${process.execPath}' '${commandFile(name)}' "$@"\n`);
    chmodSync(join(bin, name), 0o755);
  }
  return bin;
}

function journalIn(dir: string): JsonObject[] {
  return readdirSync(dir)
    .filter((name) => name.startsWith('journal'))
    .flatMap((name) => readFileSync(join(dir, name), 'utf8').trim().split('\n'))
    .map((line) => JSON.parse(line) as JsonObject);
}
