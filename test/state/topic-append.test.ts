import { execFileSync } from 'node:child_process';
import {
  appendFileSync,
  chmodSync,
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import type { Change, DocumentRef } from '../../src/state/documents';
import { updateDocuments } from '../../src/state/update';
import { change, modeOf } from './scratch';
import {
  bodiesIn,
  makeTopicScratch,
  message,
  post,
  S1,
  type TopicScratch,
  topicIn,
  topicRecord,
  topicRef,
} from './topic-rig';

let scratch: TopicScratch;
beforeEach(() => {
  scratch = makeTopicScratch();
});
afterEach(() => scratch.remove());

const state = (n: number) => JSON.stringify({ session_id: S1, n });
const update = (...changes: Change[]) => updateDocuments(scratch.layout, changes, 1000);
const lines = (file = scratch.file) => readFileSync(file, 'utf8').trimEnd().split('\n');
const parsed = (file?: string) => lines(file).map((line) => JSON.parse(line));
const failures = (...changes: Change[]) => {
  const result = update(...changes);
  return result.ok ? result.value.failures.map(({ failure }) => failure.code) : [result.failure.code];
};
const ULID = /^[0-9A-HJKMNP-TV-Z]{26}$/;

describe('what is appended', () => {
  test('a topic that nobody began gets its record, then the message, in the shape that others read', () => {
    writeFileSync(scratch.file, '');
    expect(update(post(state(1)))).toMatchObject({
      ok: true,
      value: { written: [scratch.file], failures: [] },
    });
    const [topic, first] = parsed();
    expect(Object.keys(topic)).toEqual(['type', 'id', 'name', 'description', 'created_at']);
    expect(topic).toMatchObject({ type: 'topic', id: expect.stringMatching(ULID), name: 'loop:current' });
    expect(first).toEqual({
      type: 'message',
      id: expect.stringMatching(ULID),
      topic_id: topic.id,
      parent_id: null,
      body: state(1),
      created_at: expect.any(Number),
      sender: { id: 'holdpoint', name: 'holdpoint', model: null, role: 'loop' },
      git: null,
    });
    expect(Math.abs(first.created_at - Date.now())).toBeLessThan(60_000);
  });

  test('a message is written as JSON is, whatever stands in it and in the name of its topic', () => {
    const body = JSON.stringify({ session_id: S1, text: 'a "b" \\ ü \u0000 \u2028 \ud800\n' });
    writeFileSync(scratch.file, topicRecord('T"\\1'));
    update(post(body));
    const [, line = ''] = lines();
    expect(line).toBe(JSON.stringify(JSON.parse(line)));
    expect(JSON.parse(line)).toMatchObject({ topic_id: 'T"\\1', body });
  });

  test('nothing before it changes by a byte', () => {
    const before = `${topicRecord('T1')}nonsense\n${message({ n: 0 })}`;
    writeFileSync(scratch.file, before);
    update(post(state(1)));
    expect(readFileSync(scratch.file, 'utf8').startsWith(before)).toBe(true);
    expect(lines()).toHaveLength(4);
    expect(bodiesIn(scratch.layout)).toEqual([state(1)]);
  });

  test('of two records the first is written under: readers of the older program know no other', () => {
    writeFileSync(scratch.file, topicRecord('T1') + topicRecord('T2'));
    update(post(state(1)));
    expect(parsed().at(-1)).toMatchObject({ topic_id: 'T1' });
  });

  test('a torn last line is ended first', () => {
    writeFileSync(scratch.file, topicRecord('T1') + message({ n: 0 }).slice(0, -9));
    update(post(state(1)));
    expect(lines()).toHaveLength(3);
    expect(bodiesIn(scratch.layout)).toEqual([state(1)]);
  });

  test('times grow even when the clock has gone back', () => {
    const future = Date.now() + 1_000_000;
    writeFileSync(scratch.file, topicRecord('T1') + message({ n: 0 }, { created_at: future }));
    update(post(state(1)));
    update(post(state(2)));
    const times = parsed().map((line) => line.created_at);
    expect(times.slice(1)).toEqual([future, future + 1, future + 2]);
    const ids = parsed().map((line) => line.id);
    expect(ids[2] < ids[3]).toBe(true);
  });

  test('a time that no id can hold is not counted on from', () => {
    writeFileSync(scratch.file, topicRecord('T1') + message({ n: 0 }, { created_at: 1e300 }));
    update(post(state(1)));
    expect(parsed().at(-1)).toMatchObject({ id: expect.stringMatching(ULID) });
  });

  test('two changes add two messages in their order, by one write', () => {
    update(post(state(1)), post(state(2)));
    expect(parsed().map((line) => line.body)).toEqual([undefined, state(1), state(2)]);
  });

  test('a change that adds nothing writes nothing, and makes no file', () => {
    expect(update(change(topicRef(), (now) => now))).toMatchObject({ ok: true, value: { written: [] } });
    expect(existsSync(scratch.file)).toBe(false);
  });

  test('a change sees what is there at the moment of writing', () => {
    writeFileSync(scratch.file, topicRecord('T1'));
    const count: Change = change(topicRef(), (now) => {
      const { messages } = now as unknown as { messages: { body: string }[] };
      const n = messages.length === 0 ? 0 : JSON.parse(messages.at(-1)?.body ?? '').n;
      return { ...(now as object), messages: [...messages, { body: state(n + 1) }] };
    });
    for (let n = 0; n < 3; n++) update(count);
    expect(bodiesIn(scratch.layout)).toEqual([state(3)]);
  });

  test('our own log has the same lines, in a place for the owner only', () => {
    const ref: DocumentRef = topicRef(S1, 'own');
    update(post(state(1), ref));
    const file = join(scratch.layout.own, 'loop.jsonl');
    expect(parsed(file).map((line) => line.type)).toEqual(['topic', 'message']);
    expect([modeOf(file), modeOf(scratch.layout.own)]).toEqual(['600', '700']);
    expect(topicIn(scratch.layout, ref)).toMatchObject({ dir: scratch.layout.own, known: true });
  });

  test('the store is left with its file alone', () => {
    update(post(state(1)));
    expect(readdirSync(scratch.store)).toEqual(['messages.jsonl']);
  });
});

describe('what cannot be written to stays as it is', () => {
  // Who may do everything is not stopped by a mode.
  test.skipIf(process.getuid?.() === 0)(
    'a file that may not be written (not as root, who may write all)',
    () => {
      writeFileSync(scratch.file, topicRecord('T1'));
      chmodSync(scratch.file, 0o444);
      const before = readFileSync(scratch.file, 'utf8');
      expect(failures(post(state(1)))).toEqual(['state.write-failed']);
      expect(readFileSync(scratch.file, 'utf8')).toBe(before);
    },
  );
  test('a directory in its place', () => {
    mkdirSync(scratch.file);
    expect(failures(post(state(1)))).toEqual(['state.write-failed']);
    expect(readdirSync(scratch.store)).toEqual(['messages.jsonl']);
  });
  test('a pipe in its place', () => {
    execFileSync('mkfifo', [scratch.file]);
    expect(failures(post(state(1)))).toEqual(['state.write-failed']);
  });
  test('a store that is a link to elsewhere', () => {
    rmSync(scratch.store, { recursive: true });
    symlinkSync(scratch.outside, scratch.store);
    expect(failures(post(state(1)))).toEqual(['state.outside']);
    expect(readdirSync(scratch.outside)).toEqual([]);
  });
  test('a file that is a link to elsewhere', () => {
    const target = join(scratch.outside, 'x');
    writeFileSync(target, 'theirs\n');
    symlinkSync(target, scratch.file);
    expect(failures(post(state(1)))).toEqual(['state.outside']);
    expect(readFileSync(target, 'utf8')).toBe('theirs\n');
  });
});

describe('a project without a place of our own', () => {
  const bare = () => ({ ...scratch.layout, soleLock: join(scratch.store, 'holdpoint.lock') });

  test('is locked in the store, and keeps nothing but the messages', () => {
    const own = change({ base: 'own', path: 'x.json', format: 'json', durability: 'durable' }, () => ({}));
    const home = change({ base: 'home', path: 'x.json', format: 'json', durability: 'durable' }, () => ({}));
    let locked: string[] = [];
    const looking = post(state(1));
    const spying: Change = {
      ...looking,
      apply: (current) => {
        locked = readdirSync(scratch.store);
        return looking.apply(current);
      },
    };
    const result = updateDocuments(bare(), [own, home, spying], 1000);
    expect(result).toMatchObject({ ok: true, value: { written: [scratch.file] } });
    expect(locked).toEqual(['holdpoint.lock']);
    expect(readdirSync(scratch.store)).toEqual(['messages.jsonl']);
    expect(existsSync(scratch.layout.own)).toBe(false);
    expect(readdirSync(scratch.layout.home)).toEqual([]);
  });
});

describe('a text document', () => {
  const text: DocumentRef = { base: 'project', path: 'note.md', format: 'text', durability: 'durable' };
  const file = () => join(scratch.layout.root, 'note.md');

  test('keeps its mode', () => {
    writeFileSync(file(), 'one\n');
    chmodSync(file(), 0o644);
    update(change(text, (now) => `${now}two\n`));
    expect([readFileSync(file(), 'utf8'), modeOf(file())]).toEqual(['one\ntwo\n', '644']);
  });
  test('is for the owner only when it is new', () => {
    update(change(text, () => 'one\n'));
    expect(modeOf(file())).toBe('600');
  });
  test('goes when nothing shall be there', () => {
    writeFileSync(file(), 'one\n');
    appendFileSync(file(), 'two\n');
    update(change(text, () => undefined));
    expect(existsSync(file())).toBe(false);
  });
});
