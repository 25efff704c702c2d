// A process that runs commands as the program would, to be killed or measured from outside.
import { type RunSpec, runCommand } from '../../src/exec/run';

const specs = JSON.parse(process.argv[2] ?? '[]') as RunSpec[];
const before = process.memoryUsage().rss;
let peak = before;
const watch = setInterval(() => {
  peak = Math.max(peak, process.memoryUsage().rss);
}, 2);

function started(): void {
  process.stdout.write('started\n');
}

async function main(): Promise<void> {
  const results = await Promise.all(specs.map((one) => runCommand({ ...one, onLine: started })));
  const kinds = results.map((one) => one.kind);
  process.stdout.write(`${JSON.stringify({ kinds, extraBytes: peak - before })}\n`);
  clearInterval(watch);
  // Nothing may be started any more once a signal has come.
  if (kinds.includes('cancelled')) {
    const next = await Promise.all(specs.map((one) => runCommand(one)));
    process.stdout.write(`${JSON.stringify({ next: next.map((one) => one.kind) })}\n`);
  }
}

void main();
