// The largest resident size of each row's own process; what it starts is not in it. Only the process itself
// can tell, so a file that is loaded before it notes it down at the end. That costs time: these runs are
// no part of the rounds.
import { spawnSync } from 'node:child_process';
import { closeSync, openSync, readFileSync } from 'node:fs';
import { WARM_UPS } from './prepare.mjs';
import { percentile } from './statistics.mjs';

/** The hook leaves by the function in which `process.exit` ends, which nobody else is told of. */
const NOTE = `
const { appendFileSync } = require('node:fs');
let noted = false;
const note = () => {
  if (!noted) appendFileSync(process.env.BENCH_MEMORY, process.resourceUsage().maxRSS + '\\n');
  noted = true;
};
const leave = process.reallyExit;
process.reallyExit = (code) => { note(); leave.call(process, code); };
process.once('exit', note);
`;

export const MEMORY_RUNS = 3;

/** Megabytes by row: the median of a few runs. Programs that are not ours to load into have none. */
export function measureMemory(ready, rounds, stage) {
  const loaded = stage.write('note-memory.cjs', NOTE);
  return new Map(
    ready.flatMap((row, index) => {
      const [program, ...args] = row.command;
      if (program !== process.execPath) return [];
      const file = stage.write(`memory-${index}`, '');
      for (let run = 0; run < MEMORY_RUNS; run++) {
        const stdin = openSync(row.inputs[WARM_UPS + rounds + run] ?? '/dev/null', 'r');
        const env = { ...stage.environment(row.home), BENCH_MEMORY: file };
        spawnSync(program, ['-r', loaded, ...args], {
          cwd: row.cwd,
          env,
          stdio: [stdin, 'ignore', 'ignore'],
        });
        closeSync(stdin);
      }
      const kilobytes = readFileSync(file, 'utf8').trim().split('\n').filter(Boolean).map(Number);
      return kilobytes.length === 0 ? [] : [[row.name, percentile(kilobytes, 0.5) / 1024]];
    }),
  );
}
