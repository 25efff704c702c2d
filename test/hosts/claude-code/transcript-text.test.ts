import { execFileSync, spawn } from 'node:child_process';
import {
  appendFileSync,
  closeSync,
  mkdtempSync,
  openSync,
  readFileSync,
  rmSync,
  writeFileSync,
  writeSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { lastAssistantText } from '../../../src/hosts/claude-code/transcript-text';
import { asked, call, line, noise, result, said, words } from './transcript-lines';

let dir: string;
let file: string;
beforeEach(() => {
  dir = mkdtempSync(join(tmpdir(), 'holdpoint-transcript-'));
  file = join(dir, 't.jsonl');
});
afterEach(() => rmSync(dir, { recursive: true, force: true }));

const S = '<loop-done>COMPLETE</loop-done>';
const last = (lines: string) => {
  writeFileSync(file, lines);
  const found = lastAssistantText(file);
  return found.kind === 'text' ? found.text : found.kind;
};
const go = asked('Go on');

const TEXTS: Record<string, [lines: string, expected: string]> = {
  'the last words are found before what the client adds behind them': [
    go + said('m1', [words(S)]) + noise(200_000),
    S,
  ],
  'blocks of one message that follow each other are one text': [
    go + said('m1', [words('<loop-done>COM')]) + said('m1', [words('PLETE</loop-done>')]),
    '<loop-done>COM\nPLETE</loop-done>',
  ],
  'a text before a tool call of the same message is not part of the last one': [
    go + said('m1', [words(S)]) + said('m1', [call()]) + said('m1', [words('other')]),
    'other',
  ],
  'nor is it where all blocks stand in one line': [
    go + said('m1', [words(S), call(), words('other')]),
    'other',
  ],
  'a text of an earlier message is not part of it': [
    go + said('m1', [words(S)]) + said('m2', [words('other')]),
    'other',
  ],
  'after calls alone the last text of the turn counts': [
    go + said('m1', [words('I look.')]) + said('m1', [call()]) + result() + said('m2', [call()]),
    'I look.',
  ],
  'a prompt ends the turn': [go + said('m1', [words(S)]) + go + said('m2', [call()]), 'none'],
  'a refused stop has heard what was said before it': [
    go + said('m1', [words(S)]) + asked('Stop hook feedback:\nno', { isMeta: true }),
    'none',
  ],
  'other words of the client do not end the turn': [
    go + said('m1', [words(S)]) + asked('Caveat: none', { isMeta: true }),
    S,
  ],
  'a result is not a text of the agent': [go + said('m1', [call()]) + result(S), 'none'],
  'attachments, system lines and requests are not': [
    go +
      line({ type: 'attachment', message: { role: 'assistant', content: [words(S)] } }) +
      line({ type: 'system', content: S }) +
      line({ type: 'api-request-blob', message: { role: 'assistant', content: [words(S)] } }),
    'none',
  ],
  'thoughts are not': [go + said('m1', [{ type: 'thinking', thinking: S }]), 'none'],
  'a subagent is not the agent': [
    go + said('m1', [words('main')]) + said('m2', [words(S)], { isSidechain: true }),
    'main',
  ],
  'a content may be plain text': [go + said('m1', S), S],
  'an error of the service is no word of the agent': [
    go + said('m1', [words(S)]) + said('m2', [words('API Error')], { isApiErrorMessage: true }),
    'none',
  ],
  'a torn last line is passed over': [
    go + said('m1', [words('whole')]) + said('m2', [words(S)]).slice(0, -5),
    'whole',
  ],
  'a broken line in the middle is passed over': [
    `${go}${said('m1', [words(S)])}{"type":"assistant","message":"\u0001\n`,
    S,
  ],
  'a summary after compaction is not': [
    said('m1', [words('old')]) + asked(`This session is continued. ${S}`) + noise(),
    'none',
  ],
  'what is escaped in the file is read as what it means': [
    go +
      said('m1', [words(S)])
        .replaceAll('<', '\\u003c')
        .replaceAll('>', '\\u003e'),
    S,
  ],
  'spaces in the lines do not matter': [
    go +
      said('m1', [words(S)])
        .replaceAll('":', '": ')
        .replaceAll(',"', ', "'),
    S,
  ],
  'it is trimmed at both ends, as the client does': [go + said('m1', [words('\n\n    S\n\n')]), 'S'],
  'an empty block is no text': [go + said('m1', [words('real')]) + said('m1', [words(' \n')]), 'real'],
  'a file without any answer has none': [go, 'none'],
  'an empty file has none': ['', 'none'],
};

describe('the last words', () => {
  for (const [sentence, [lines, expected]] of Object.entries(TEXTS)) {
    test(sentence, () => expect(last(lines)).toBe(expected));
  }

  test('bytes that are no text do not hide what stands beside them', () => {
    const [before, after] = said('m1', [words(`@${S}`)]).split('@');
    writeFileSync(
      file,
      Buffer.concat([Buffer.from(go + before), Buffer.from([0xff]), Buffer.from(after ?? '')]),
    );
    expect(lastAssistantText(file)).toEqual({ kind: 'text', text: `\ufffd${S}` });
  });
});

describe('a place without a transcript', () => {
  test('that is missing', () =>
    expect(lastAssistantText(file)).toEqual({ kind: 'unread', why: 'cannot be read (ENOENT)' }));
  test('that is a directory', () =>
    expect(lastAssistantText(dir)).toEqual({ kind: 'unread', why: 'is a directory' }));
  test('that is a pipe, which nobody waits for', () => {
    execFileSync('mkfifo', [file]);
    expect(lastAssistantText(file)).toEqual({ kind: 'unread', why: 'is not a regular file' });
  });
});

describe('a large transcript', () => {
  const MB = 1024 * 1024;
  const filler = noise(200_000);

  function fill(megabytes: number): void {
    const fd = openSync(file, 'a');
    for (let written = 0; written < megabytes * MB; written += filler.length) writeSync(fd, filler);
    closeSync(fd);
  }

  test('only its end is read: the words behind 60 MB are found at once, those before are not', () => {
    writeFileSync(file, go + said('m1', [words('early')]));
    fill(60);
    expect(lastAssistantText(file).kind).toBe('unread');
    appendFileSync(file, said('m2', [words(S)]) + filler);
    expect(lastAssistantText(file)).toEqual({ kind: 'text', text: S });
  });

  test.skipIf(process.platform !== 'linux')(
    'of 60 MB not more than a few blocks are read (Linux, by /proc)',
    () => {
      writeFileSync(file, go);
      fill(60);
      appendFileSync(file, go + said('m2', [words(S)]));
      const read = () => Number(/^rchar: (\d+)/.exec(readFileSync('/proc/self/io', 'utf8'))?.[1]);
      const before = read();
      expect(lastAssistantText(file).kind).toBe('text');
      expect(read() - before).toBeLessThan(1024 * 1024);
    },
  );

  test('a long last answer is read, one of 20 MB too', () => {
    const long = 'long '.repeat(4 * MB);
    writeFileSync(file, go + said('m1', [words(`${long}\n${S}`)]) + filler);
    const found = lastAssistantText(file);
    expect(found.kind === 'text' && found.text.endsWith(S)).toBe(true);
  });

  test('a line of 40 MB ends the search without harm', () => {
    writeFileSync(file, go + said('m1', [words(S)]) + noise(40 * MB));
    expect(lastAssistantText(file).kind).toBe('unread');
  });
});

describe('words that are not there yet', () => {
  const appender = fileURLToPath(new URL('append-later.mjs', import.meta.url));

  test('are waited for', async () => {
    writeFileSync(file, go);
    const { NODE_EXTRA_CA_CERTS: _, ...env } = process.env;
    const child = spawn(process.execPath, [appender, file, said('m1', [words(S)])], { stdio: 'pipe', env });
    await new Promise((ready) => child.stdout.once('data', ready));
    // From here on this process does not come back before the words are there, or the patience is at its end.
    child.stdin.end('go');
    expect(lastAssistantText(file)).toEqual({ kind: 'text', text: S });
    await new Promise((gone) => child.once('close', gone));
  });

  test('are not waited for longer than a quarter of a second', () => {
    writeFileSync(file, go);
    const begin = Date.now();
    expect(lastAssistantText(file)).toEqual({ kind: 'none' });
    expect(Date.now() - begin).toBeLessThan(1500);
  });
});
