// A process that runs commands as the program would, to be killed or measured from outside.
import { workThenGuard } from '../../src/exec/guardian';
import { runCommand } from '../../src/exec/run';
import type { RunSpec } from '../../src/exec/run-result';
import { startProgram } from '../../src/exec/start-program';

const start = startProgram;

const specs = JSON.parse(process.argv[2] ?? '[]') as RunSpec[];
const before = process.memoryUsage().rss;
let peak = before;
const watch = setInterval(() => {
  peak = Math.max(peak, process.memoryUsage().rss);
}, 2);

function started(): void {
  process.stdout.write('started\n');
}

/** A script that stands before everything: its shell is the guardian of what follows. */
async function workFirst(script: string): Promise<void> {
  const { env } = process;
  const done = await workThenGuard({ script, args: [], cwd: process.cwd(), env, output: 1 }, start);
  process.stdout.write(`${done ? 'worked' : 'did not work'}\n`);
}

async function main(): Promise<void> {
  if (process.argv[3] !== undefined) await workFirst(process.argv[3]);
  const results = await Promise.all(specs.map((one) => runCommand({ ...one, onLine: started }, start)));
  const kinds = results.map((one) => one.kind);
  process.stdout.write(`${JSON.stringify({ kinds, extraBytes: peak - before })}\n`);
  clearInterval(watch);
  // Nothing may be started any more once a signal has come.
  if (kinds.includes('cancelled')) {
    const next = await Promise.all(specs.map((one) => runCommand(one, start)));
    process.stdout.write(`${JSON.stringify({ next: next.map((one) => one.kind) })}\n`);
  }
}

void main();
