import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';

export const ROOT = fileURLToPath(new URL('../..', import.meta.url));

/** Every document that people read, relative to the root. */
export const DOCUMENTS = [
  'README.md',
  'CONTRIBUTING.md',
  'CHANGELOG.md',
  'SECURITY.md',
  ...readdirSync(join(ROOT, 'docs'), { recursive: true, encoding: 'utf8' })
    .filter((name) => name.endsWith('.md'))
    .map((name) => `docs/${name}`),
];

export function textOf(document: string): string {
  return readFileSync(join(ROOT, document), 'utf8');
}

/** The fenced blocks of one language, in order. */
export function blocksIn(text: string, language: string): string[] {
  return [...text.matchAll(/^```(\w+)\n([\s\S]*?)^```$/gm)].flatMap(([, name, body]) =>
    name === language && body !== undefined ? [body] : [],
  );
}

/** What stands between backticks within a line, outside of fenced blocks. */
export function codeIn(text: string): string[] {
  const prose = text.replace(/^```[\s\S]*?^```$/gm, '');
  return [...prose.matchAll(/`([^`\n]+)`/g)].map(([, code]) => code ?? '');
}

/** The sources of rules that a document shows, by the file that their first line names. */
export function rulesIn(document: string): Record<string, string> {
  const sources = blocksIn(textOf(document), 'ts').flatMap((text) => {
    const [, path] = /^\/\/ (\S+)\n/.exec(text) ?? [];
    return path === undefined ? [] : [[path, text] as const];
  });
  return Object.fromEntries(sources);
}
