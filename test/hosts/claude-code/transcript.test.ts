import { execFileSync } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { toolUsedSince } from '../../../src/hosts/claude-code/transcript';

const captured = join(import.meta.dirname, '../../fixtures/transcripts');
let directory = '';

beforeAll(() => {
  directory = mkdtempSync(join(tmpdir(), 'holdpoint-transcript-'));
});
afterAll(() => rmSync(directory, { recursive: true, force: true }));

const second = (n: number): number => Date.UTC(2026, 0, 1, 0, 0, n);

function line(at: number, content: unknown, rest: object = {}): string {
  const timestamp = new Date(second(at)).toISOString();
  return JSON.stringify({ isSidechain: false, timestamp, message: { content }, ...rest });
}

const tool = (at: number, rest?: object): string => line(at, [{ type: 'tool_use', name: 'Bash' }], rest);
const result = (at: number): string => line(at, [{ type: 'tool_result', content: 'ok' }]);
const talk = (at: number, length = 10): string => line(at, [{ type: 'text', text: 'ä'.repeat(length) }]);

function transcript(...lines: string[]): string {
  const path = join(directory, 'transcript.jsonl');
  writeFileSync(path, lines.join('\n'));
  return path;
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
    ['with blocks that are rubbish', () => [line(6, [null, 1, 'tool_use', {}]), line(6, 'tool_use')], false],
    ['with a call several blocks back', () => [tool(6), talk(7, 20_000), talk(7, 70_000), talk(8)], true],
    ['with a call in a line of several blocks', () => [tool(6, { pad: 'ö'.repeat(90_000) }), talk(7)], true],
    ['with an old line several blocks back', () => [tool(6), talk(4), talk(7, 150_000)], false],
    ['with a call beyond what is read', () => [tool(6), talk(7, 270_000)], undefined],
    ['whose last line is longer than what is read', () => [tool(6, { pad: 'x'.repeat(600_000) })], undefined],
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
    expect(toolUsedSince(join(directory, 'missing.jsonl'), 0)).toBeUndefined();
  });

  test('a directory', () => {
    expect(toolUsedSince(directory, 0)).toBeUndefined();
  });

  test('an empty path and one with a null byte', () => {
    expect(toolUsedSince('', 0)).toBeUndefined();
    expect(toolUsedSince('a\0b', 0)).toBeUndefined();
  });

  test.skipIf(process.platform === 'win32')('a pipe that nobody writes to (not on Windows)', () => {
    const pipe = join(directory, 'pipe');
    execFileSync('mkfifo', [pipe]);
    expect(toolUsedSince(pipe, 0)).toBeUndefined();
  });
});
