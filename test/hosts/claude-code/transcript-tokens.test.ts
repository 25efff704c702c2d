import { appendFileSync, mkdtempSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { tokensFrom } from '../../../src/hosts/claude-code/transcript-tokens';
import { asked, call, line, noise, said, words } from './transcript-lines';

let dir: string;
let file: string;
beforeEach(() => {
  dir = mkdtempSync(join(tmpdir(), 'holdpoint-transcript-'));
  file = join(dir, 't.jsonl');
});
afterEach(() => rmSync(dir, { recursive: true, force: true }));

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
    const captured = join(import.meta.dirname, '../../fixtures/transcripts/claude-transcript.jsonl');
    const ids = new Map<string, number>();
    for (const text of readFileSync(captured, 'utf8').trim().split('\n')) {
      const { message } = JSON.parse(text);
      if (message?.usage) ids.set(message.id, message.usage.input_tokens + message.usage.output_tokens);
    }
    const sum = [...ids.values()].reduce((a, b) => a + b, 0);
    expect(tokensFrom(captured, 0)).toEqual({ used: sum, until: statSync(captured).size });
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

  test('a very long line is passed over, and one of some megabytes is not', () => {
    writeFileSync(
      file,
      said('m1', [words('x'.repeat(20_000_000))], cost(5)) +
        said('m2', [words('y'.repeat(3_000_000))], cost(30)) +
        said('m3', [words('z')], cost(100)),
    );
    expect(tokensFrom(file, 0)).toEqual({ used: 132, until: statSync(file).size });
  });

  test('a file of more than is read at once is counted in several looks', () => {
    const part = said('m1', [words('x')], cost(5)) + noise(1_000_000);
    writeFileSync(file, Array.from({ length: 40 }, (_, n) => part.replace('"m1"', `"n${n}"`)).join(''));
    const looks = [tokensFrom(file, 0)];
    while ((looks.at(-1)?.until ?? 0) < statSync(file).size)
      looks.push(tokensFrom(file, looks.at(-1)?.until ?? 0));
    expect(looks.length).toBeGreaterThan(1);
    expect(looks.reduce((sum, look) => sum + look.used, 0)).toBe(40 * 6);
  });
});
