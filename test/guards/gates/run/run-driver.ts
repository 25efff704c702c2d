// A process that runs gates as the program would, to be killed from outside. It prints what happens, line by line.

import { plainLines } from '../../../../src/guards/gates/run/messages';
import { executeRun, type Reporter, type RunRequest } from '../../../../src/guards/gates/run/run';

const request = JSON.parse(process.argv[2] ?? '{}') as RunRequest;

async function main(): Promise<void> {
  const reporter: Reporter = (event) => {
    for (const line of plainLines(event)) process.stdout.write(`${line}\n`);
  };
  const result = await executeRun({ ...request, reporter });
  process.stdout.write(`${JSON.stringify({ result })}\n`);
}

void main();
