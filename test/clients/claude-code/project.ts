import { chmodSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import type { JsonObject } from '../../../src/core/json';
import { commandFile, makeRig, type Rig } from '../../e2e/rig';
import { inOrder } from '../in-order';
import { installed } from '../installed';
import {
  type ClientEnded,
  type ClientPlace,
  type ClientRun,
  callClient,
  type ProgramEnded,
  runClient,
} from '../program';
import { type Asked, type Script, startModel, type Turn } from '../scripted-model';

/** The real client; empty where there is none. */
export const PROGRAM = installed('claude-code').path ?? '';

/** A run of the client: what the model was asked, and what the client left behind. */
export interface Played extends ClientEnded {
  /** Requests of the main conversation, in their order. */
  readonly asked: readonly Asked[];
  /** What the model got to see of that request for the first time; a missing request fails the test. */
  news(index: number): string;
  readonly sessionId: string;
  /** The last document of the client's record. */
  readonly result: JsonObject;
}

export type How = Partial<Pick<ClientRun, 'args' | 'cwd' | 'deadline' | 'env' | 'prompt'>>;

/** A repository in which the real client works, with our commands on its PATH. */
export interface Project extends Rig {
  /** Lets the client work to the end of its turn, with these answers of the model. */
  play(turns: readonly (Turn | Script)[], how?: How): Promise<Played>;
  playScript(script: Script, how?: How): Promise<Played>;
  /** Where the client works and what it sees there, for other ways to start it. */
  place(modelUrl: string): ClientPlace;
  /** Any other call of the client, with no model to be asked. */
  call(args: readonly string[]): Promise<ProgramEnded>;
  /** The journal's lines, oldest first. */
  journal(): JsonObject[];
  /** What an executable script of that name, found first on the client's PATH, does. */
  program(name: string, script: string): void;
}

/** On branch `feature/auth`, with the given config. Whoever makes it removes it. */
export function buildProject(config: string): Project {
  const rig = makeRig(config, '.holdpoint/config.yaml');
  const bin = join(rig.dir, 'bin');
  mkdirSync(bin);
  const program = (name: string, script: string): void => {
    writeFileSync(join(bin, name), `#!/bin/sh\n${script}\n`);
    chmodSync(join(bin, name), 0o755);
  };
  for (const name of ['req', 'holdpoint', 'agent-gauntlet'])
    program(name, `exec '${process.execPath}' '${commandFile(name)}' "$@"`);
  const PATH = [bin, dirname(process.execPath), '/usr/local/bin', '/usr/bin', '/bin'].join(':');
  for (const [name, value] of [
    ['user.name', 'A'],
    ['user.email', 'a@example.invalid'],
  ] as const)
    rig.git('config', name, value);
  const env = { PATH, TMPDIR: rig.tmp };
  const place = (modelUrl: string) => ({ program: PROGRAM, home: rig.home, cwd: rig.repo, env, modelUrl });
  const playScript: Project['playScript'] = async (script, how = {}) => {
    const asked: Asked[] = [];
    const model = await startModel((question) => {
      asked.push(question);
      return script(question);
    });
    try {
      const prompt = 'Do the work.';
      const ended = await runClient({ ...place(model.url), prompt, ...how, env: { ...env, ...how.env } });
      return readable(ended, asked);
    } finally {
      await model.close();
    }
  };
  return {
    ...rig,
    playScript,
    play: (turns, how) => playScript(inOrder(turns), how),
    place,
    call: (args) => callClient(place('http://127.0.0.1:9'), args),
    journal: () => journalIn(join(rig.repo, '.git', 'holdpoint')),
    program,
  };
}

function readable(ended: ClientEnded, asked: readonly Asked[]): Played {
  if (ended.timedOut) throw new Error(`the client was killed: ${ended.stderr}`);
  const result = ended.stream.findLast(({ type }) => type === 'result') ?? {};
  return {
    ...ended,
    asked,
    result,
    sessionId: String(result['session_id']),
    news: (index) => {
      const one = asked[index];
      if (one === undefined) throw new Error(`asked only ${asked.length} times; last: ${asked.at(-1)?.news}`);
      return one.news;
    },
  };
}

function journalIn(dir: string): JsonObject[] {
  return readdirSync(dir)
    .filter((name) => name.startsWith('journal'))
    .flatMap((name) => readFileSync(join(dir, name), 'utf8').trim().split('\n'))
    .map((line) => JSON.parse(line) as JsonObject);
}
