import { existsSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { codeIn, DOCUMENTS, ROOT, textOf } from './documents';

const OURS = /^(?:(?:src|test|tools|bench|docs|dist|\.github)\/[\w./-]+|\.ci\/run)$/;
/** Places in the project of whoever uses us, which begin like one of ours. */
const THEIRS = [
  'docs/plans',
  '.github/workflows/gauntlet.yml',
  '.github/hooks/holdpoint.json',
  'docs/lint.md',
  'docs/tasks.md',
  'docs/constitution.md',
];

function linksIn(text: string): string[] {
  return [...text.matchAll(/\]\(([^)\s]+)\)/g)].map(([, target]) => target ?? '');
}

/** Whether a link leads to a file, and to a heading of it where it names one. */
function isThere(document: string, target: string): boolean {
  const [path = '', anchor] = target.split('#');
  const file = path === '' ? document : join(dirname(document), path);
  if (!existsSync(join(ROOT, file))) return false;
  return anchor === undefined || anchorsOf(textOf(file)).includes(anchor);
}

/** Headings as they are called in links: small letters, dashes for blanks, no other signs. */
function anchorsOf(text: string): string[] {
  const headings = [...text.matchAll(/^#+ (.*)$/gm)].map(([, heading]) => heading ?? '');
  return headings.map((heading) =>
    heading
      .toLowerCase()
      .replace(/[^\w -]/g, '')
      .replaceAll(' ', '-'),
  );
}

describe.each(DOCUMENTS)('%s', (document) => {
  const text = textOf(document);

  test('links only to what is there', () => {
    const relative = linksIn(text).filter((target) => !/^https:/.test(target));
    expect(relative.filter((target) => !isThere(document, target))).toEqual([]);
  });

  test('names only paths that are there', () => {
    const named = codeIn(text).flatMap((code) => code.split(/\s+/));
    const paths = named.filter(
      (word) => OURS.test(word) && !THEIRS.includes(word) && !word.startsWith('docs/isdlc/'),
    );
    expect(paths.filter((path) => !existsSync(join(ROOT, path)))).toEqual([]);
  });
});

test.each([
  ['docs/adr/README.md', /^docs\/adr\/(?!README)/],
  ['docs/README.md', /^docs\/(?!README)[^/]+$/],
])('%s lists every page', (index, pages) => {
  const listed = linksIn(textOf(index)).map((target) => join(dirname(index), target));
  const there = DOCUMENTS.filter((document) => pages.test(document));
  expect(there.length).toBeGreaterThan(5);
  expect(there.filter((page) => !listed.includes(page))).toEqual([]);
});
