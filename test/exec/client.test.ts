import { spawn } from 'node:child_process';
import { expect, it } from 'vitest';
import { commandFile } from '../e2e/rig';

/** Prints what a hook can tell of the process that is named to it. */
const LOOK = `process.stdin.resume();
const { clientFacts } = require(${JSON.stringify(commandFile('client'))});
console.log(JSON.stringify(clientFacts(Number(process.argv[1]), '/nonexistent', '/')));
process.exit();`;

/** What is told to a hook that the test starts as a client does, or that a command starts below it. */
function told(line: string): Promise<{ isSender: boolean }> {
  const args = ['-c', line, 'sh', process.execPath, LOOK, String(process.pid)];
  const child = spawn('/bin/sh', args, { stdio: ['pipe', 'pipe', 'pipe'] });
  child.stdin.end('{}');
  let said = '';
  child.stdout.on('data', (data: Buffer) => {
    said += data.toString();
  });
  return new Promise((resolve) => child.on('close', () => resolve(JSON.parse(said || '{}'))));
}

const isLinux = process.platform === 'linux';

it.runIf(isLinux)(
  'an event comes from the client if the client holds the other end of the pipes',
  async () => {
    expect(await told('exec "$1" -e "$2" "$3"')).toMatchObject({ isSender: true });
  },
);

it.runIf(isLinux).each([
  ['a pipe', 'printf {} | "$1" -e "$2" "$3"'],
  ['a file', '"$1" -e "$2" "$3" < /dev/null'],
  ['a pipe of its own, and its output elsewhere', 'printf {} | "$1" -e "$2" "$3" | cat'],
])('an event that a command below the client sends by %s does not', async (_name, line) => {
  expect(await told(line)).toMatchObject({ isSender: false });
});
