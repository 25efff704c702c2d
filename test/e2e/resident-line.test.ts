import { spawn } from 'node:child_process';
import { mkdirSync, utimesSync, writeFileSync } from 'node:fs';
import { createServer, type Server } from 'node:net';
import { join } from 'node:path';
import { afterAll, afterEach, beforeAll, expect, it } from 'vitest';
import { ENVIRONMENT, formatReply } from '../../src/server/protocol';
import { editIn, LINE, programHere, runLine, SHELLS_HERE, writeLaunch } from './resident-project';
import { deniedBecause, endOf, makeRig, type Rig } from './rig';

let rig: Rig;
let socket: string;
let server: Server | undefined;
/** Everything that the last client has sent. */
let asked: Promise<Buffer>;

beforeAll(() => {
  rig = makeRig();
  mkdirSync(join(rig.dir, 'run'), { mode: 0o700 });
  socket = join(rig.dir, 'run', 's');
  // No server is started where somebody has done so since the socket was made.
  const starting = join(rig.dir, 'run', 'starting');
  writeFileSync(starting, `${process.pid}\n`);
  utimesSync(starting, Date.now() / 1000 + 3600, Date.now() / 1000 + 3600);
});
afterAll(() => rig.remove());
afterEach(
  () => new Promise((resolve) => (server === undefined ? resolve(undefined) : server.close(resolve))),
);

/** A server that gives one reply to everything, or breaks off. */
async function serve(reply: string, ending: 'orderly' | 'broken' = 'orderly'): Promise<void> {
  asked = new Promise((resolve) => {
    server = createServer({ allowHalfOpen: true }, (line) => {
      const pieces: Buffer[] = [];
      const timer = setInterval(() => {
        // A client need not say that its event has ended.
        if (!Buffer.concat(pieces).toString().trimEnd().endsWith('}')) return;
        clearInterval(timer);
        resolve(Buffer.concat(pieces));
        if (ending === 'broken') line.write(reply, () => line.destroy());
        else line.end(reply);
      }, 5);
      line.on('data', (piece) => pieces.push(piece));
      line.on('error', () => undefined);
    });
  });
  await new Promise<void>((resolve) => server?.listen(socket, resolve));
}

const event = (more: object = {}): string => editIn(rig, 'toolu_1', more);

let turn = 0;

/** What hurts shells: each byte that JSON may have, quotes, blanks, signs of the shell, a half character. */
const ODD = Buffer.concat([
  Buffer.from(`{"a":"$HOME \`x\` \\\\n %41 %0A * ' \\" \u007f #hp: HOLDPOINT_END ü\u2028`),
  Buffer.from([0xff, 0xfe, 0xc3]),
  Buffer.from('",\n\n  "b":\t1,\nHOLDPOINT_ENDE"c":2}'),
]);

// A line that waits too long on a busy machine rightly asks the hook instead, so it is given another try.
it.each(SHELLS_HERE)('in %s, a whole reply is all that is said', { retry: 2 }, async (shell) => {
  writeLaunch(rig, socket);
  const replies = [
    { exitCode: 0, stdout: '', stderr: '' },
    { exitCode: 0, stdout: '{"a":"ü\\n $x"}\n', stderr: '' },
    { exitCode: 2, stdout: '', stderr: 'no: %s \\n\n\n' },
    { exitCode: 0, stdout: '#hp: #hp1:\n\n', stderr: 'both\n' },
    { exitCode: 0, stdout: `${'ü $x '.repeat(30_000)}\n`, stderr: '' },
  ];
  for (const reply of replies) {
    await serve(formatReply(reply));
    const { exitCode, stdout, stderr } = await runLine(rig, event(), { shell });
    expect({ exitCode, stdout, stderr }).toEqual(reply);
    await new Promise((resolve) => server?.close(resolve));
    server = undefined;
  }
});

it.each(SHELLS_HERE)('in %s, the server gets the event as it is', async (shell) => {
  writeLaunch(rig, socket);
  const env = { CLAUDE_PROJECT_DIR: '/a b\'"$x', HOLDPOINT_DISABLE: '' };
  for (const input of [ODD, Buffer.from(event({ pad: 'x'.repeat(300_000) }))]) {
    await serve(formatReply({ exitCode: 0, stdout: '', stderr: '' }));
    await runLine(rig, input, { shell, env });
    const request = await asked;
    const end = request.indexOf('\n\n');
    const header = request.subarray(0, end).toString().split('\n');
    expect(header).toEqual(
      expect.arrayContaining([
        'HP1',
        'args=--host claude-code',
        `parent=${process.pid}`,
        `cwd=${rig.repo}`,
        `HOME=${rig.home}`,
        `CLAUDE_PROJECT_DIR=${env.CLAUDE_PROJECT_DIR}`,
        'HOLDPOINT_DISABLE=',
      ]),
    );
    const names = header.slice(1).map((line) => line.split('=')[0] ?? '');
    expect(
      names.filter((name) => /^[A-Z]/.test(name)).every((name) => ENVIRONMENT.some((one) => one === name)),
    ).toBe(true);
    expect(names).not.toContain('CLAUDE_PID');
    expect(
      request
        .subarray(end + 2)
        .toString('latin1')
        .trimEnd(),
    ).toBe(input.toString('latin1'));
    await new Promise((resolve) => server?.close(resolve));
    server = undefined;
  }
});

it.each<[string, string, 'orderly' | 'broken']>([
  ['says that it is for a process of its own', 'alone\n', 'orderly'],
  ['says nothing', '', 'orderly'],
  ['breaks off at once', '', 'broken'],
  ['breaks off within the reply', 'HP1 0 #hp:\n#hp:{"hookSpecificOutput":{"permissionDec', 'broken'],
  ['breaks off before the last mark', 'HP1 0 #hp:\n#hp:', 'broken'],
  ['is of another version', 'HP2 0 #hp:\n#hp:#hp:', 'orderly'],
  ['has an exit code that the hook never has', 'HP1 7 #hp:\n#hp:#hp:', 'orderly'],
  ['says something else', 'HTTP/1.1 400 Bad Request\r\n\r\n', 'orderly'],
])('a server that %s changes nothing', async (_what, reply, ending) => {
  writeLaunch(rig, socket);
  await serve(reply, ending);
  const shell = SHELLS_HERE[turn++ % SHELLS_HERE.length] ?? 'sh';
  const ended = await runLine(rig, event({ pad: 'x'.repeat(turn % 2 === 0 ? 0 : 200_000) }), { shell });
  expect({ stderr: ended.stderr, exitCode: ended.exitCode }).toEqual({ stderr: '', exitCode: 0 });
  expect(deniedBecause(ended)).toContain('commit_plan');
});

it.each<[string, Record<string, string>]>([['a value of two lines', { JWZ_STORE: '/a\n\n{}' }]])(
  'nobody is asked at %s',
  async (_what, env) => {
    writeLaunch(rig, socket);
    await serve(formatReply({ exitCode: 0, stdout: '', stderr: '' }));
    expect(deniedBecause(await runLine(rig, event(), { env }))).toContain('commit_plan');
  },
);

const hasPerl = programHere('perl') !== undefined;
it.skipIf(!hasPerl)(
  'an event in pieces from a pipe that does not block is read whole (needs perl)',
  async () => {
    writeLaunch(rig, socket);
    await serve('alone\n');
    const half = event().length / 2;
    const script = `
    use Fcntl; pipe R, W; fcntl R, F_SETFL, O_NONBLOCK;
    if (!fork) { close R; for (@ARGV) { select undef, undef, undef, 0.1; syswrite W, $_ } exit }
    close W; open STDIN, "<&R"; exec "sh", "-c", $ENV{LINE};`;
    const args = ['-e', script, event().slice(0, half), event().slice(half)];
    const child = spawn('perl', args, { cwd: rig.repo, env: rig.environment({ LINE }) });
    let said = '';
    for await (const piece of child.stdout) said += piece;
    expect(said).toContain('"permissionDecision":"deny"');
  },
);

it.each([
  ['an event', 0],
  ['an event that is more than it reads', 900_000],
])('a server that takes %s and never answers is given up', async (_what, length) => {
  writeLaunch(rig, socket, 1);
  server = createServer(() => undefined);
  await new Promise<void>((resolve) => server?.listen(socket, resolve));
  const lines: { destroy(): void }[] = [];
  server.on('connection', (line) => lines.push(line));
  expect(deniedBecause(await runLine(rig, event({ pad: 'x'.repeat(length) })))).toContain('commit_plan');
  for (const line of lines) line.destroy();
});

it.skipIf(programHere('bash') === undefined).each([
  ['bash', []],
  ['bash as sh', ['--posix']],
])(
  'in %s, an event is checked though the disk has no room for a here-document (needs bash)',
  async (_, args) => {
    writeLaunch(rig, socket);
    await serve('alone\n');
    // No file may grow: like a full disk for the shell and for the hook.
    const line = `trap '' XFSZ; ulimit -f 0; ${LINE}`;
    const child = spawn('bash', [...args, '-c', line], { cwd: rig.repo, env: rig.environment() });
    const input = event({ tool_input: { file_path: 'src/a.ts', content: 'x'.repeat(200_000) } });
    const ended = await endOf(child, input);
    expect(deniedBecause(ended)).toContain('commit_plan');
  },
);
