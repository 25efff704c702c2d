import fs from 'node:fs';
import { createRequire, syncBuiltinESMExports } from 'node:module';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';

/*
 * Runs one built command after the other in this process, as a terminal would run each in a process of its own. Requests
 * and replies are lines of JSON in two named pipes. Ends with its standard input, which the tests' process holds.
 */
const [, , dist, requests, replies] = process.argv;
// Before anything that may fail: the tests' process waits for it.
const out = fs.openSync(replies, 'w');
const load = (name) => createRequire(import.meta.url)(join(dist, `${name}.cjs`));
const { answerHook, runRemainingWork, run: runHook } = load('run');
const commandLine = await import(pathToFileURL(join(dist, 'cli', 'main.mjs')).href);

const real = { readSync: fs.readSync, writeSync: fs.writeSync, fstatSync: fs.fstatSync, exit: process.exit };
const LONGEST_MS = 120_000;
const streams = { 0: Buffer.alloc(0), 1: [], 2: [] };

fs.readSync = (fd, buffer, ...rest) => {
  if (fd !== 0) return real.readSync(fd, buffer, ...rest);
  const length = streams[0].copy(buffer);
  streams[0] = streams[0].subarray(length);
  return length;
};
fs.writeSync = (fd, data, from = 0, ...rest) => {
  if (fd !== 1 && fd !== 2) return real.writeSync(fd, data, from, ...rest);
  const bytes = Buffer.from(data).subarray(from);
  streams[fd].push(bytes);
  return bytes.length;
};
// A file on standard input is read at once; of a pipe only as much as is one document.
fs.fstatSync = (fd, ...rest) => (fd === 0 ? { isFile: () => true } : real.fstatSync(fd, ...rest));
syncBuiltinESMExports();
process.stdout.write = (data) => streams[1].push(Buffer.from(data)) > 0;
process.stderr.write = (data) => streams[2].push(Buffer.from(data)) > 0;

async function run({ command, args, input, cwd, env }) {
  Object.assign(streams, { 0: Buffer.from(input, 'base64'), 1: [], 2: [] });
  for (const name of Object.keys(process.env)) delete process.env[name];
  Object.assign(process.env, env);
  process.chdir(cwd);
  process.argv = [process.execPath, join(dist, `${command}.cjs`), ...args];
  const text = streams[0].toString();
  const exitCode = await toItsEnd(() => {
    if (command === 'hook') return hook(args, text);
    return args.includes('stop-hook') ? stopHook() : main(command, args);
  });
  return {
    stdout: Buffer.concat(streams[1]).toString(),
    stderr: Buffer.concat(streams[2]).toString(),
    exitCode,
  };
}

async function hook(args, text) {
  const now = Date.now();
  const answer = await answerHook({
    args,
    read: () => ({ ok: true, value: text }),
    load,
    env: { ...process.env },
    now,
    startedAt: () => now,
  });
  fs.writeSync(1, answer.stdout);
  fs.writeSync(2, answer.stderr + runRemainingWork(answer));
  return answer.exitCode;
}

async function stopHook() {
  process.argv = [process.execPath, join(dist, 'hook.cjs'), 'stop-hook'];
  let exitCode = 0;
  process.exit = (code) => {
    exitCode = code;
  };
  await runHook({ load, compiled: [], cache: undefined });
  process.exit = real.exit;
  return exitCode;
}

function main(command, args) {
  const group = { req: ['req'], 'agent-gauntlet': ['gates'] }[command] ?? [];
  return commandLine.main([...group, ...args], { load }, { actor: 'person', channel: 'terminal' });
}

/** What a process does when it ends is done when the command ends. */
async function toItsEnd(work) {
  const events = ['exit', 'SIGINT', 'SIGTERM', 'SIGHUP'];
  const before = new Map(events.map((event) => [event, process.listeners(event)]));
  const exitCode = await work();
  for (const event of events) {
    for (const listener of process.listeners(event)) {
      if (before.get(event).includes(listener)) continue;
      if (event === 'exit') listener(exitCode);
      process.removeListener(event, listener);
    }
  }
  return exitCode;
}

const answer = (reply) => {
  const bytes = Buffer.from(`${JSON.stringify(reply)}\n`);
  for (let from = 0; from < bytes.length; ) from += real.writeSync(out, bytes, from);
};
process.on('uncaughtException', (error) => answer({ crashed: String(error.stack) }));
// A thread waits for the next request, and an ordinary exit would wait for the thread.
const end = () => process.kill(process.pid, 'SIGKILL');
process.stdin.on('end', end).resume();

let endedAt = 0;
let pending = '';
const incoming = fs.createReadStream(requests, { encoding: 'utf8', flags: 'r+' });
for await (const piece of incoming) {
  pending += piece;
  if (!pending.endsWith('\n')) continue;
  const request = JSON.parse(pending);
  pending = '';
  // No process begins in the millisecond in which the one before it ended; two such stops count as one.
  while (Date.now() <= endedAt) Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 1);
  const tooLong = setTimeout(end, LONGEST_MS);
  const outcome = await run(request);
  clearTimeout(tooLong);
  endedAt = Date.now();
  answer(outcome);
}
