import { readFileSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it, test } from 'vitest';
import { CappedOutput } from '../../src/exec/output';
import { node, scratch, sh } from './run-rig';

interface Case {
  readonly limit: number;
  readonly pieces: readonly (string | readonly number[])[];
  readonly text: string;
  readonly cut?: true;
}

const CAPS: Readonly<Record<string, Case>> = {
  'nothing at all': { limit: 10, pieces: [], text: '' },
  'exactly as much as fits': { limit: 10, pieces: ['01234', '56789'], text: '0123456789' },
  'one byte more': { limit: 4, pieces: ['01234'], text: '01\n[… 1 bytes left out …]\n34', cut: true },
  'much more in small pieces': {
    limit: 4,
    pieces: [...'abcdefghij'],
    text: 'ab\n[… 6 bytes left out …]\nij',
    cut: true,
  },
  'a head that ends with its line': {
    limit: 4,
    pieces: ['a\nbcd\n', 'e\n'],
    text: 'a\n[… 4 bytes left out …]\ne\n',
    cut: true,
  },
  'no room at all': { limit: 0, pieces: ['abc'], text: '[… 3 bytes left out …]\n', cut: true },
  'a character over two pieces': { limit: 10, pieces: [[0xc3], [0xbc]], text: 'ü' },
  'a character over the head and the tail of what fits': {
    limit: 10,
    pieces: ['abcd', [0xf0, 0x9f, 0x98, 0x80], 'z'],
    text: 'abcd😀z',
  },
  'bytes that are no text': { limit: 10, pieces: [[0x61, 0xff, 0xfe, 0x62]], text: 'a\ufffd\ufffdb' },
};

describe('of an output is kept, when it is', () => {
  test.each(Object.entries(CAPS))('%s', (_, { limit, pieces, text, cut = false }) => {
    const output = new CappedOutput(limit);
    for (const piece of pieces) output.push(Buffer.from(piece as string));
    expect(output.text()).toBe(text);
    expect(output.cut).toBe(cut);
  });
});

it('keeps both ends of each stream and says that it cut', async () => {
  const result = await sh('seq 1 1000; seq 2001 2010 >&2', { maxBytesInMemory: 20 });
  expect(result.stdout).toBe('1\n2\n3\n4\n5\n[… 3873 bytes left out …]\n\n999\n1000\n');
  expect(result.stderr).toContain('bytes left out');
  expect(result.cut).toBe(true);
});

it('does not break characters that come in halves', async () => {
  const code = `const bytes = Buffer.from('grüße 😀\\n');
    (async () => { for (const byte of bytes) { process.stdout.write(Buffer.of(byte)); await new Promise(setImmediate) } })()`;
  const lines: string[] = [];
  const result = await node(code, { onLine: (line) => lines.push(line) });
  expect(result.stdout).toBe('grüße 😀\n');
  expect(lines).toEqual(['grüße 😀']);
});

it('tells lines as they come, the last one without its newline too', async () => {
  const lines: string[] = [];
  await sh(`printf 'one\\r\\n\\ntwo'; printf 'other\\n' >&2`, { onLine: (line) => lines.push(line) });
  expect(lines.filter((line) => line !== 'other')).toEqual(['one', '', 'two']);
  expect(lines).toContain('other');
});

it('cuts a line that has no end', async () => {
  const lines: number[] = [];
  await sh(`head -c 1000000 /dev/zero | tr '\\0' x; printf '\\nshort\\n'`, {
    onLine: (line) => lines.push(line.length),
  });
  expect(lines).toEqual([65_536, 5]);
});

describe('a log', () => {
  it('gets both streams in order, after what was there', async () => {
    const file = join(scratch, 'both.log');
    writeFileSync(file, 'header\n');
    const script = 'echo one; sleep 0.1; echo two >&2; sleep 0.1; echo three';
    const result = await sh(script, { log: { file, maxBytes: 1000 } });
    expect(readFileSync(file, 'utf8')).toBe('header\none\ntwo\nthree\n');
    expect(result.isLogged).toBe(true);
  });

  it('keeps both ends of a flood and says what is missing', async () => {
    const file = join(scratch, 'flood.log');
    const result = await sh('seq 1 2000000', {
      log: { file, maxBytes: 200_000 },
      maxBytesInMemory: 100,
    });
    const text = readFileSync(file, 'utf8');
    expect(result.isLogged).toBe(false);
    expect(text.startsWith('1\n2\n3\n')).toBe(true);
    expect(text).toMatch(/\n\[… 14688896 bytes left out …\]\n/);
    expect(text.endsWith('\n1999999\n2000000\n')).toBe(true);
    expect(statSync(file).size).toBeLessThan(200_100);
  });

  it.runIf(process.platform === 'linux')(
    'on a full disk does not end the run (Linux, by /dev/full)',
    async () => {
      const result = await sh('echo on', { log: { file: '/dev/full', maxBytes: 1000 } });
      expect(result).toMatchObject({ kind: 'exited', code: 0, stdout: 'on\n', isLogged: false });
    },
  );
});
