import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it, test } from 'vitest';
import type { Failure, FailureCode } from '../../src/core/failure';
import { sentenceOf } from '../../src/core/messages';
import { printed, readFiles } from '../config/scratch';

const root = join(import.meta.dirname, '../..');
const dir = join(root, 'docs/errors');
const HEADINGS = ['## What it looks like', '## Why it happens', '## What to do'];

function textOf(path: string): string {
  return readFileSync(join(root, path), 'utf8');
}

function page(code: string): string {
  return textOf(`docs/errors/${code}.md`);
}

function matches(text: string, pattern: RegExp): string[] {
  return [...text.matchAll(pattern)].map((match) => match[1] ?? '');
}

const failureCodes = matches(textOf('src/core/failure.ts'), /readonly code: '([^']+)'/g);
const diagnosticUnion = /type DiagnosticCode =([^;]+);/.exec(textOf('src/config/diagnostics.ts'))?.[1] ?? '';
const diagnosticCodes = matches(diagnosticUnion, /'([^']+)'/g);
const codes = [...new Set([...failureCodes, ...diagnosticCodes])].sort();
const pages = readdirSync(dir)
  .filter((name) => name !== 'README.md')
  .map((name) => name.replace(/\.md$/, ''))
  .sort();

/** The facts of which the pages' samples are made. */
const SAMPLES: Readonly<Record<FailureCode, Failure>> = {
  'input.empty': { code: 'input.empty' },
  'input.not-json': { code: 'input.not-json', detail: 'at position 17' },
  'input.not-object': { code: 'input.not-object', found: 'a list' },
  'input.no-event-name': { code: 'input.no-event-name' },
  'input.no-session': { code: 'input.no-session', event: 'PreToolUse' },
  'input.no-directory': { code: 'input.no-directory', event: 'PreToolUse' },
  'input.no-tool': { code: 'input.no-tool', event: 'PreToolUse' },
  'input.too-large': { code: 'input.too-large', bytes: 67108865, limit: 67108864 },
  'input.unreadable': { code: 'input.unreadable', detail: 'EISDIR: illegal operation on a directory, read' },
  'guard.threw': { code: 'guard.threw', guard: 'requirements', detail: 'Maximum call stack size exceeded' },
  'guard.missing': {
    code: 'guard.missing',
    guard: 'requirements',
    detail: "Cannot find module './guard-requirements.cjs'",
  },
  'effect.failed': { code: 'effect.failed', guard: 'gates', detail: 'asked for a second effect' },
  'rule.failed': {
    code: 'rule.failed',
    rule: 'no-fixme',
    mode: 'hold',
    place: '.holdpoint/rules/no-fixme.ts:9:21',
    detail: "Cannot read properties of undefined (reading 'endsWith')",
  },
  'deadline.passed': { code: 'deadline.passed', ms: 5000 },
  'state.unreadable': {
    code: 'state.unreadable',
    file: '.git/requirements/main.json',
    detail: 'is not valid JSON',
  },
  'state.set-aside': {
    code: 'state.set-aside',
    file: '.git/requirements/main.json.corrupt-1794717000000-4711',
  },
  'state.outside': { code: 'state.outside', file: '.git/requirements/main.json', target: '/etc/passwd' },
  'state.write-failed': {
    code: 'state.write-failed',
    file: '.git/holdpoint/sessions/4f1c.json',
    detail: 'ENOSPC: no space left on device, write',
  },
  'lock.timeout': { code: 'lock.timeout', file: '.git/holdpoint/lock', holder: 'process 4711', ms: 3004 },
  'lock.lost': { code: 'lock.lost', file: '.git/holdpoint/lock' },
  'git.unreadable': {
    code: 'git.unreadable',
    file: '.git/HEAD',
    detail: 'it names neither a branch nor a commit',
  },
  'recording.stopped': {
    code: 'recording.stopped',
    file: '.holdpoint/recordings/2026-11-09-1402.jsonl',
    detail: 'it was removed',
  },
  'loop.odd-state': {
    code: 'loop.odd-state',
    detail:
      'the loop loop-1767268740-4711: it ended as stale: its last sign of life was 7201 s ago, more than 7200',
  },
  bug: { code: 'bug', detail: "Cannot read properties of undefined (reading 'kind')" },
  'config.unreadable': { code: 'config.unreadable', detail: '.holdpoint/config.yaml:3:1' },
};

it('finds the codes in the sources', () => {
  expect(failureCodes).toContain('input.empty');
  expect(diagnosticCodes).toContain('config.syntax');
});

it('every code has a page and every page a code', () => {
  expect(pages).toEqual(codes);
});

it('the index links every page with its first sentences, and nothing else', () => {
  expect([...new Set(matches(page('README'), /\]\(([^)]+)\.md\)/g))].sort()).toEqual(codes);
  const entries = codes.map((code) => `- [\`${code}\`](${code}.md): ${page(code).split('\n\n')[1]}`);
  expect(entries.filter((entry) => !page('README').split('\n').includes(entry))).toEqual([]);
});

describe('the page of', () => {
  test.each(pages)('%s says what it is, shows it and helps', (code) => {
    const lines = page(code).split('\n');
    expect(lines[0]).toBe(`# ${code}`);
    expect(lines[2]).toMatch(/\.$/);
    expect(lines.filter((line) => line.startsWith('## '))).toEqual(HEADINGS);
  });

  test.each(Object.entries(SAMPLES))('%s shows the sentence that is printed', (code, failure) => {
    expect(failure.code).toBe(code);
    expect(page(code)).toContain(`\`\`\`text\nholdpoint: ${sentenceOf(failure)}\n\`\`\``);
  });

  test.each(diagnosticCodes)('%s shows what its sample leads to', (code) => {
    const samples = [...page(code).matchAll(/With this in `([^`]+)`:\n\n```yaml\n(.*?\n)```/gs)];
    const files = Object.fromEntries(samples.map(([, name = '', content = '']) => [name, content]));
    const shown = matches(page(code), /```text\n(.*?)\n```/gs);
    expect(shown[0]).toMatch(/^\S+:\d+:\d+: (?:error|warning): /);
    if (samples.length === 0) return;
    const read = readFiles(files);
    expect(shown).toEqual([printed(read)]);
    expect(read.diagnostics.map((one) => one.code)).toEqual([code]);
  });
});
