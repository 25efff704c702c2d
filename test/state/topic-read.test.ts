import { execFileSync } from 'node:child_process';
import {
  appendFileSync,
  closeSync,
  mkdirSync,
  openSync,
  rmSync,
  symlinkSync,
  writeFileSync,
  writeSync,
} from 'node:fs';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { readDocument } from '../../src/state/documents';
import {
  bodiesIn,
  makeTopicScratch,
  message,
  NAME,
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

const T1 = topicRecord('T1');
const mine = (n: number) => ({ session_id: S1, n });
const other = (n: number) => ({ session_id: 'session-two', n });
const texts = (...bodies: object[]) => bodies.map((body) => JSON.stringify(body));

const FILES: Record<string, [lines: string, expected: string[]]> = {
  'the newest state of the session is the only one that is read': [
    T1 + message(mine(1)) + message(mine(2)),
    texts(mine(2)),
  ],
  'states of other sessions after it are passed on, oldest first': [
    T1 + message(mine(1)) + message(mine(2)) + message(other(3)) + message(other(4)),
    texts(mine(2), other(3), other(4)),
  ],
  'a state of nobody ends the search as well': [
    T1 + message(mine(1)) + message({ n: 2 }) + message(other(3)),
    texts({ n: 2 }, other(3)),
  ],
  'a text that is no JSON does not end it': [
    T1 + message(mine(1)) + message('hello'),
    [...texts(mine(1)), 'hello'],
  ],
  'a number does not end it': [T1 + message(mine(1)) + message('7'), [...texts(mine(1)), '7']],
  'a body may be a list of bytes': [
    T1 + message([...Buffer.from(JSON.stringify({ session_id: S1, text: 'ü' }))]),
    texts({ session_id: S1, text: 'ü' }),
  ],
  'a torn last line is passed over': [T1 + message(mine(1)) + message(mine(2)).slice(0, -20), texts(mine(1))],
  'a last line that only lacks its newline counts': [T1 + message(mine(1)).trimEnd(), texts(mine(1))],
  'broken lines in the middle are passed over': [
    `${T1}nonsense\n${message(mine(1))}{"type":"message","topic_id":"T1"\n[1]\n\u0000\n`,
    texts(mine(1)),
  ],
  'lines may end like those of Windows': [
    (T1 + message(mine(1)) + message(other(2))).replaceAll('\n', '\r\n'),
    texts(mine(1), other(2)),
  ],
  'messages under either of two records of the topic count': [
    T1 + topicRecord('T2') + message(mine(1), { topic_id: 'T2' }) + message(other(2)),
    texts(mine(1), other(2)),
  ],
  'a record may follow its messages': [message(mine(1)) + T1, texts(mine(1))],
  'a record without a newline counts': [message(mine(1)) + T1.trimEnd(), texts(mine(1))],
  'a record may be spaced': [
    `{"type": "topic", "id": "T1", "name": "loop:current"}\n${message(mine(1))}`,
    texts(mine(1)),
  ],
  'replies do not count': [T1 + message(mine(1)) + message(mine(2), { parent_id: 'M1' }), texts(mine(1))],
  'other topics do not count': [
    T1 + topicRecord('T2', 'loop:trace') + message(mine(1)) + message(mine(2), { topic_id: 'T2' }),
    texts(mine(1)),
  ],
  'a text that quotes a record is none': [
    message(topicRecord('T1'), { topic_id: 'T9' }) + message(mine(1)),
    [],
  ],
  'a message without a time counts': [T1 + message(mine(1), { created_at: null }), texts(mine(1))],
  'the newest is that of the greatest time, where git has merged the file': [
    T1 +
      message(mine(1), { created_at: 8 }) +
      message(other(2), { created_at: 9 }) +
      message(mine(3), { created_at: 7 }),
    texts(mine(1), other(2)),
  ],
  'a time that no id can hold is not greater': [
    T1 + message(mine(1), { created_at: 1e15 }) + message(mine(2)),
    texts(mine(2)),
  ],
  'an empty file holds nothing': ['', []],
};

describe('what a session sees of a topic', () => {
  // A large file is read in several blocks.
  const PADDING = message('x'.repeat(1000), { topic_id: 'T9' }).repeat(300);
  const files = Object.entries(FILES).flatMap(([sentence, [lines, expected]]) => [
    [sentence, lines, expected] as const,
    [`${sentence}, also in a large file`, PADDING + lines, expected] as const,
  ]);
  for (const [sentence, lines, expected] of files) {
    test(sentence, () => {
      writeFileSync(scratch.file, lines);
      expect(bodiesIn(scratch.layout)).toEqual(expected);
      expect(topicIn(scratch.layout)).toMatchObject({
        dir: scratch.store,
        known: lines.includes('"T1"') && expected.length > 0,
      });
    });
  }

  test.each([0, 300])(
    'of two records the older one takes new messages, behind %d kilobytes too',
    (kilobytes) => {
      const padding = message('x'.repeat(1000), { topic_id: 'T9' }).repeat(kilobytes);
      writeFileSync(scratch.file, padding + T1 + topicRecord('T2') + message(mine(1), { topic_id: 'T2' }));
      expect(topicIn(scratch.layout)).toMatchObject({ known: true, id: 'T1', messages: [{}] });
    },
  );

  test('every message has its id and its time', () => {
    writeFileSync(scratch.file, T1 + message(mine(1), { id: 'M1', created_at: 77 }));
    expect(topicIn(scratch.layout).messages).toEqual([{ id: 'M1', at: 77, body: JSON.stringify(mine(1)) }]);
  });
});

describe('a file that is not there, or is no file', () => {
  const kindOf = () => readDocument(scratch.layout, topicRef()).kind;

  test('without a store it is missing', () => {
    const { messages: _, ...layout } = scratch.layout;
    expect(readDocument(layout, topicRef())).toEqual({ kind: 'missing' });
  });
  test('without its file it is missing', () => expect(kindOf()).toBe('missing'));
  test('a directory is unreadable', () => {
    mkdirSync(scratch.file);
    expect(kindOf()).toBe('unreadable');
  });
  test('a pipe is unreadable, and does not block', () => {
    execFileSync('mkfifo', [scratch.file]);
    expect(kindOf()).toBe('unreadable');
  });
  test('a store that is a link to elsewhere is not followed', () => {
    writeFileSync(join(scratch.outside, 'messages.jsonl'), T1 + message(mine(1)));
    rmSync(scratch.store, { recursive: true });
    symlinkSync(scratch.outside, scratch.store);
    expect(readDocument(scratch.layout, topicRef())).toMatchObject({
      kind: 'unreadable',
      why: expect.stringContaining('leaves'),
    });
  });
  test('a file that is a link to elsewhere is not followed', () => {
    writeFileSync(join(scratch.outside, 'x'), T1 + message(mine(1)));
    symlinkSync(join(scratch.outside, 'x'), scratch.file);
    expect(kindOf()).toBe('unreadable');
  });
});

describe('a session that only asks for its own', () => {
  const line = (body: object) => message({ schema: 1, event: 'STATE', run_id: 'r', ...body });
  const others = line({ ...other(0), text: 'x'.repeat(1000) });
  const ref = topicRef();
  const asking = { ...ref, topic: { name: NAME, session: S1, others: 'unwanted' as const } };

  test.each([1, 300])('sees nothing beside %d kilobytes of another, and that the topic is known', (count) => {
    writeFileSync(scratch.file, T1 + others.repeat(count));
    expect(topicIn(scratch.layout, asking)).toMatchObject({ known: true, id: 'T1', messages: [] });
    expect(topicIn(scratch.layout, ref).messages).toHaveLength(count);
  });

  const CONCERNING: Record<string, string> = {
    'a message of its own': line(mine(1)),
    'a message of nobody': line({ n: 1 }),
    'a message of nobody that has a session inside': line({ stack: [{ session_id: 'session-two' }] }),
    'a message of nobody in which a session is told of': line({ text: '"session_id":"session-two"' }),
    'a message of nobody as a list of bytes': message([...Buffer.from('{"n":1}')]),
  };
  for (const [sentence, concerning] of Object.entries(CONCERNING)) {
    test(`sees ${sentence} among them`, () => {
      writeFileSync(scratch.file, T1 + others.repeat(9) + concerning + others.repeat(9));
      expect(topicIn(scratch.layout, asking)).toEqual(topicIn(scratch.layout, ref));
      expect(topicIn(scratch.layout, asking).messages).toHaveLength(10);
    });
  }

  test('sees its own also under a name that has to be escaped', () => {
    const odd = 'a"b\\c';
    writeFileSync(scratch.file, T1 + others.repeat(9) + line({ session_id: odd }) + others.repeat(9));
    const topic = { name: NAME, session: odd, others: 'unwanted' as const };
    expect(topicIn(scratch.layout, { ...ref, topic }).messages).toHaveLength(10);
  });
});

test('the version tells that something was added, and only that', () => {
  const version = () => {
    const found = readDocument(scratch.layout, topicRef());
    return found.kind === 'present' ? found.version : found.kind;
  };
  for (const kilobytes of [0, 1000]) {
    const older = message({ ...mine(0), text: 'x'.repeat(1000) }).repeat(kilobytes);
    writeFileSync(scratch.file, T1 + older + message(mine(1)));
    const first = version();
    expect(version()).toBe(first);
    appendFileSync(scratch.file, message(other(2)));
    expect(version()).not.toBe(first);
  }
});

describe('a large file', () => {
  const filler = message('x'.repeat(1000), { topic_id: 'T9' });
  const MB = 1024 * 1024;

  /** Real bytes, no holes. */
  function fill(megabytes: number): void {
    const chunk = filler.repeat(Math.ceil(MB / filler.length));
    const fd = openSync(scratch.file, 'a');
    for (let n = 0; n < megabytes; n++) writeSync(fd, chunk);
    closeSync(fd);
  }

  test('a record at the beginning of 40 MB is found, though the end is all that is read of the messages', () => {
    writeFileSync(scratch.file, T1 + message(mine(1)));
    fill(40);
    appendFileSync(scratch.file, message(mine(2)) + filler);
    expect(bodiesIn(scratch.layout)).toEqual(texts(mine(2)));
  });

  test('a message further back than is read drives nothing, but the topic is known', () => {
    writeFileSync(scratch.file, T1 + message(mine(1)));
    fill(34);
    expect(topicIn(scratch.layout)).toMatchObject({ known: true, messages: [] });
  });

  test('a line of several blocks is read whole', () => {
    const long = { session_id: S1, text: 'ü'.repeat(150_000) };
    writeFileSync(scratch.file, T1 + message(mine(1)) + message(long) + filler);
    expect(bodiesIn(scratch.layout)).toEqual(texts(long));
  });
});
