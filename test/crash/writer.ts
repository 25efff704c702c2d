import { appendFileSync, existsSync, writeSync } from 'node:fs';
import { join } from 'node:path';
import { readDocument } from '../../src/state/documents';
import { acquireLock } from '../../src/state/files';
import { appendJournal } from '../../src/state/journal';
import { updateDocuments } from '../../src/state/update';
import { change, json, layoutAt } from '../state/scratch';
import { post, topicLayoutAt, topicRef } from '../state/topic-rig';

// A process that a test can start many of and kill at any moment. It says that it is ready and waits for
// the file `go`, so that all of them begin together.

const [job = '', dir = '', name = '', count = '0', extra = ''] = process.argv.slice(2);
const layout = layoutAt(dir);
const say = (line: string) => writeSync(1, `${line}\n`);
const pause = (ms: number) => Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, ms);

const jobs: Record<string, (n: number) => void> = {
  /** Adds a key at a time and says so only once it is written, with the milliseconds that it took. */
  insert(n) {
    const key = `${name}-${n}`;
    const begin = Date.now();
    const result = updateDocuments(
      layout,
      [
        change(json('requirements/main.json'), (current) => ({
          ...(current as object),
          [key]: 'x'.repeat(100),
        })),
      ],
      20_000,
    );
    if (!result.ok) throw new Error(JSON.stringify(result.failure));
    if (result.value.failures.length > 0) throw new Error(JSON.stringify(result.value.failures));
    say(`${key} ${Date.now() - begin}`);
  },
  /** Posts a message at a time to a topic and says so only once it is written. */
  topic(n) {
    const body = `${name}-${n}`;
    const text = JSON.stringify({ session_id: name, body, text: 'x'.repeat(Number(extra)) });
    const result = updateDocuments(topicLayoutAt(dir), [post(text, topicRef(name))], 20_000);
    if (!result.ok) throw new Error(JSON.stringify(result.failure));
    if (result.value.failures.length > 0) throw new Error(JSON.stringify(result.value.failures));
    say(body);
  },
  /** Enters and leaves a section that only one may be in, and dies in its last one without releasing. */
  section(n) {
    const lock = acquireLock(join(layout.own, 'lock'), 20_000);
    if (!lock.ok) throw new Error(JSON.stringify(lock.failure));
    appendFileSync(join(dir, 'log'), `enter ${process.pid}\n`);
    if (n % 5 === 0) pause(1);
    appendFileSync(join(dir, 'log'), `leave ${process.pid}\n`);
    if (n === Number(count) - 1) process.kill(process.pid, 'SIGKILL');
    lock.value.release();
  },
  journal(n) {
    const failure = appendJournal(layout, {
      id: `${name}-${n}`,
      by: name,
      n,
      text: 'x'.repeat(Number(extra)),
    });
    if (failure) throw new Error(JSON.stringify(failure));
  },
};

function readUntilStopped(): void {
  let reads = 0;
  while (!existsSync(join(dir, 'stop'))) {
    const found = readDocument(layout, json('requirements/main.json'));
    if (found.kind === 'unreadable') throw new Error(found.why);
    if (found.kind === 'present') reads++;
    pause(1);
  }
  say(String(reads));
}

say('ready');
while (!existsSync(join(dir, 'go'))) pause(1);
if (job === 'read') readUntilStopped();
for (let n = 0; n < Number(count); n++) jobs[job]?.(n);
