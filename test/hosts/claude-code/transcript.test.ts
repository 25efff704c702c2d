import { execFileSync, spawn } from 'node:child_process';
import {
  appendFileSync,
  closeSync,
  mkdtempSync,
  openSync,
  readFileSync,
  rmSync,
  statSync,
  writeFileSync,
  writeSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { lastAssistantText, tokensFrom, toolUsedSince } from '../../../src/hosts/claude-code/transcript';
import { asked, call, line, noise, result, said, words } from './transcript-lines';

const captured = join(import.meta.dirname, '../../fixtures/transcripts');
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

  // The search ends after a quarter of a second, which a busy machine may need for other things.
  test('a long last answer is read, one of 20 MB too', { retry: 5 }, () => {
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

  test('are not waited for long', () => {
    writeFileSync(file, go);
    const begin = Date.now();
    expect(lastAssistantText(file)).toEqual({ kind: 'none' });
    expect(Date.now() - begin).toBeLessThan(10_000);
  });
});

const cost = (output: number) => ({ usage: { input_tokens: 1, output_tokens: output } });
const used = (lines: string, offset = 0) => {
  writeFileSync(file, lines);
  return tokensFrom(file, offset).used;
};

const SUMS: Record<string, [lines: string, expected: number]> = {
  'all kinds of tokens are added': [
    said('m1', [words('x')], {
      usage: {
        input_tokens: 1,
        output_tokens: 20,
        cache_creation_input_tokens: 300,
        cache_read_input_tokens: 4000,
        server_tool_use: { web_search_requests: 7 },
        service_tier: 'standard',
      },
    }),
    4321,
  ],
  'a message counts once, by its last line': [
    said('m1', [words('x')], cost(5)) + said('m1', [call()], cost(9)) + said('m2', [words('y')], cost(1)),
    12,
  ],
  'a subagent in the same file costs as well': [
    said('m1', [words('x')], cost(5)) + said('m2', [words('y')], { ...cost(5), isSidechain: true }),
    12,
  ],
  'only the agent spends': [
    asked('x', { usage: { input_tokens: 50 } }) +
      line({ type: 'api-request', message: { usage: { input_tokens: 50 } } }) +
      noise(),
    0,
  ],
  'odd numbers count nothing': [
    said('m1', [words('x')], { usage: { input_tokens: '5', output_tokens: -3 } }),
    0,
  ],
  'a message without an id counts by itself': [
    line({ type: 'assistant', message: { usage: { input_tokens: 2 } } }).repeat(2),
    4,
  ],
  'a broken line is passed over': [`{"usage" broken\n${said('m1', [words('x')], cost(5))}`, 6],
};

describe('the tokens of a transcript', () => {
  for (const [sentence, [lines, expected]] of Object.entries(SUMS)) {
    test(sentence, () => expect(used(lines)).toBe(expected));
  }

  test('those of the captured one are counted', () => {
    const file = join(captured, 'claude-transcript.jsonl');
    const ids = new Map<string, number>();
    for (const text of readFileSync(file, 'utf8').trim().split('\n')) {
      const { message } = JSON.parse(text);
      if (message?.usage) ids.set(message.id, message.usage.input_tokens + message.usage.output_tokens);
    }
    const sum = [...ids.values()].reduce((a, b) => a + b, 0);
    expect(tokensFrom(file, 0)).toEqual({ used: sum, until: statSync(file).size });
    expect(sum).toBeGreaterThan(0);
  });
});

describe('going on from an offset', () => {
  test('nothing is counted twice, nothing is left out', () => {
    writeFileSync(file, said('m1', [words('x')], cost(5)) + noise());
    const first = tokensFrom(file, 0);
    appendFileSync(file, said('m1', [call()], cost(5)) + said('m2', [words('y')], cost(30)));
    const second = tokensFrom(file, first.until);
    expect([first.used, second.used]).toEqual([6, 31]);
    expect(tokensFrom(file, second.until)).toEqual({ used: 0, until: statSync(file).size });
  });

  test('a line that is not whole yet is left for the next time', () => {
    const whole = said('m1', [words('x')], cost(5));
    const next = said('m2', [words('y')], cost(30));
    writeFileSync(file, whole + next.slice(0, 40));
    const first = tokensFrom(file, 0);
    expect(first).toEqual({ used: 6, until: Buffer.byteLength(whole) });
    appendFileSync(file, next.slice(40));
    expect(tokensFrom(file, first.until).used).toBe(31);
  });

  test('a file that has become shorter is gone on with from its end', () => {
    writeFileSync(file, said('m1', [words('x')], cost(5)));
    expect(tokensFrom(file, 1_000_000)).toEqual({ used: 0, until: statSync(file).size });
  });

  test('a file that cannot be read costs nothing, and is gone on with where we were', () => {
    expect(tokensFrom(file, 77)).toEqual({ used: 0, until: 77 });
    expect(tokensFrom(dir, 77)).toEqual({ used: 0, until: 77 });
  });

  /** As many looks as it takes: each ends after a while, with the last line that it has read. */
  function looksAt(path: string): ReturnType<typeof tokensFrom>[] {
    const looks = [tokensFrom(path, 0)];
    while ((looks.at(-1)?.until ?? 0) < statSync(path).size)
      looks.push(tokensFrom(path, looks.at(-1)?.until ?? 0));
    return looks;
  }

  test('a very long line is passed over, and one of some megabytes is not', () => {
    writeFileSync(
      file,
      said('m1', [words('x'.repeat(20_000_000))], cost(5)) +
        said('m2', [words('y'.repeat(3_000_000))], cost(30)) +
        said('m3', [words('z')], cost(100)),
    );
    expect(looksAt(file).reduce((sum, { used }) => sum + used, 0)).toBe(132);
  });

  test('a file of more than is read at once is counted in several looks', () => {
    const part = said('m1', [words('x')], cost(5)) + noise(1_000_000);
    writeFileSync(file, Array.from({ length: 40 }, (_, n) => part.replace('"m1"', `"n${n}"`)).join(''));
    const looks = looksAt(file);
    expect(looks.length).toBeGreaterThan(1);
    expect(looks.reduce((sum, look) => sum + look.used, 0)).toBe(40 * 6);
  });
});

describe('whether a tool was used', () => {
  const second = (n: number): number => Date.UTC(2026, 0, 1, 0, 0, n);

  function entry(at: number, content: unknown, rest: object = {}): string {
    const timestamp = new Date(second(at)).toISOString();
    return JSON.stringify({ isSidechain: false, timestamp, message: { content }, ...rest });
  }

  const tool = (at: number, rest?: object): string => entry(at, [{ type: 'tool_use', name: 'Bash' }], rest);
  const result = (at: number): string => entry(at, [{ type: 'tool_result', content: 'ok' }]);
  const talk = (at: number, length = 10): string => entry(at, [{ type: 'text', text: 'ä'.repeat(length) }]);

  function transcript(...lines: string[]): string {
    writeFileSync(file, lines.join('\n'));
    return file;
  }

  describe('a captured transcript', () => {
    const path = join(captured, 'claude-transcript.jsonl');
    test.each([
      ['before anything', '2026-11-15T00:00:00.000Z', true],
      ['before the first refused stop', '2026-11-15T00:56:19.020Z', true],
      ['after it, before the agent was called', '2026-11-15T00:56:19.130Z', true],
      ['at the moment of the last result', '2026-11-15T00:56:19.503Z', false],
      ['after the last tool', '2026-11-15T00:56:19.600Z', false],
    ])('asked from %s', (_, since, expected) => {
      expect(toolUsedSince(path, Date.parse(since))).toBe(expected);
    });

    test('of a subagent shows nothing of the main chain', () => {
      expect(toolUsedSince(join(captured, 'claude-transcript-subagent.jsonl'), 0)).toBe(false);
    });
  });

  describe('a transcript', () => {
    test.each<[string, () => string[], boolean | undefined]>([
      ['with a call since', () => [talk(1), tool(6)], true],
      ['with a result since', () => [talk(1), result(6), talk(7)], true],
      ['with a call before only', () => [tool(4), talk(6)], false],
      ['with a call at that very moment', () => [tool(5)], false],
      ['with the call of a subagent only', () => [tool(6, { isSidechain: true })], false],
      ['with a call whose line has no time', () => [tool(6, { timestamp: undefined })], false],
      ['with a call whose time is rubbish', () => [tool(6, { timestamp: 'soon' })], false],
      ['with an older line after the call', () => [tool(6), talk(4)], false],
      [
        'with an older line of a subagent after the call',
        () => [tool(6), tool(4, { isSidechain: true })],
        true,
      ],
      [
        'with bookkeeping and rubbish after the call',
        () => [tool(6), '{"type":"last-prompt"}', '[1]', 'x', ''],
        true,
      ],
      ['whose last line is half written', () => [tool(6), tool(7).slice(0, 30)], true],
      ['that is empty', () => [], false],
      [
        'with blocks that are rubbish',
        () => [entry(6, [null, 1, 'tool_use', {}]), entry(6, 'tool_use')],
        false,
      ],
      ['with a call several blocks back', () => [tool(6), talk(7, 20_000), talk(7, 70_000), talk(8)], true],
      [
        'with a call in a line of several blocks',
        () => [tool(6, { pad: 'ö'.repeat(90_000) }), talk(7)],
        true,
      ],
      ['with an old line several blocks back', () => [tool(6), talk(4), talk(7, 150_000)], false],
      ['with a call beyond what is read', () => [tool(6), talk(7, 270_000)], undefined],
      [
        'whose last line is longer than what is read',
        () => [tool(6, { pad: 'x'.repeat(600_000) })],
        undefined,
      ],
    ])('%s', (_, lines, expected) => {
      expect(toolUsedSince(transcript(...lines()), second(5))).toBe(expected);
    });

    test('is found whatever its place among the blocks', () => {
      for (let shift = 65_400; shift < 65_700; shift += 7) {
        const path = transcript(talk(1), tool(6), JSON.stringify({ pad: 'x'.repeat(shift) }));
        expect(toolUsedSince(path, second(5))).toBe(true);
      }
    });
  });

  describe('what cannot be read', () => {
    test('a missing file', () => {
      expect(toolUsedSince(join(dir, 'missing.jsonl'), 0)).toBeUndefined();
    });

    test('a directory', () => {
      expect(toolUsedSince(dir, 0)).toBeUndefined();
    });

    test('an empty path and one with a null byte', () => {
      expect(toolUsedSince('', 0)).toBeUndefined();
      expect(toolUsedSince('a\0b', 0)).toBeUndefined();
    });

    test.skipIf(process.platform === 'win32')('a pipe that nobody writes to (not on Windows)', () => {
      const pipe = join(dir, 'pipe');
      execFileSync('mkfifo', [pipe]);
      expect(toolUsedSince(pipe, 0)).toBeUndefined();
    });
  });
});
