import { chmodSync, mkdirSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import type { Asked } from '../../src/cli/try/client/asked';
import { type Program, type ProgramEnded, runProgram } from '../../src/cli/try/client/run-program';
import { startModel } from '../../src/cli/try/client/scripted-model';
import type { Turn } from '../../src/cli/try/client/turn';
import { commandFile, makeRig, type Rig } from '../e2e/rig';
import { inOrder } from './in-order';

/** A run of a client: what the model was asked, and how the client ended. */
export interface HostPlayed extends ProgramEnded {
  readonly asked: readonly Asked[];
}

export type Start = Omit<Program, 'cwd' | 'deadline'>;

/** A repository in which a real client works, with our commands on its PATH and our entries in its settings. */
export interface HostProject extends Rig {
  play(
    turns: readonly Turn[],
    start: (modelUrl: string, env: Record<string, string>) => Start,
  ): Promise<HostPlayed>;
}

const DEADLINE_MS = 120_000;

export function projectFor(host: string, config: string): HostProject {
  const rig = makeRig(config, '.holdpoint/config.yaml');
  const bin = join(rig.dir, 'bin');
  mkdirSync(bin);
  for (const name of ['req', 'holdpoint']) {
    writeFileSync(join(bin, name), `#!/bin/sh\nexec '${process.execPath}' '${commandFile(name)}' "$@"\n`);
    chmodSync(join(bin, name), 0o755);
  }
  const ended = rig.holdpoint(['install', '--host', host]);
  if (ended.exitCode !== 0) throw new Error(`not installed: ${ended.stdout}${ended.stderr}`);
  const PATH = [bin, dirname(process.execPath), '/usr/local/bin', '/usr/bin', '/bin'].join(':');
  const env = { PATH, HOME: rig.home, TMPDIR: rig.tmp };
  return {
    ...rig,
    play: async (turns, start) => {
      const asked: Asked[] = [];
      const script = inOrder(turns);
      const model = await startModel((question) => {
        asked.push(question);
        return script(question);
      });
      try {
        const run = await runProgram({ ...start(model.url, env), cwd: rig.repo, deadline: DEADLINE_MS });
        if (run.timedOut) throw new Error(`the client was killed: ${run.stdout}${run.stderr}`);
        return { ...run, asked };
      } finally {
        await model.close();
      }
    },
  };
}
