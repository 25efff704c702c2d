import { mkdirSync, mkdtempSync, realpathSync, rmSync, statSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Json } from '../../src/core/json';
import {
  type Change,
  type DocumentBase,
  type DocumentRef,
  type Durability,
  type Layout,
  layoutOf,
} from '../../src/state/documents';

export interface Scratch {
  readonly dir: string;
  readonly layout: Layout;
  /** A directory beside the project, for links to lead to. */
  readonly outside: string;
  remove(): void;
}

/** A project with a git directory and a home, both empty, in a directory of its own. */
export function makeScratch(): Scratch {
  const dir = realpathSync(mkdtempSync(join(tmpdir(), 'holdpoint-store-')));
  const root = join(dir, 'project');
  const home = join(dir, 'home');
  const outside = join(dir, 'outside');
  for (const made of [join(root, '.git'), home, outside]) mkdirSync(made, { recursive: true });
  return { dir, layout: layoutAt(dir), outside, remove: () => rmSync(dir, { recursive: true, force: true }) };
}

/** The same layout in another process, which knows the directory alone. */
export function layoutAt(dir: string): Layout {
  const root = join(dir, 'project');
  const git = join(root, '.git');
  const head = { root, gitDir: git, commonDir: git, position: { kind: 'branch', branch: 'main' } } as const;
  const layout = layoutOf(root, head, join(dir, 'home'), false);
  if (!layout) throw new Error('no layout');
  return layout;
}

export function json(
  path: string,
  base: DocumentBase = 'git',
  durability: Durability = 'durable',
): DocumentRef {
  return { base, path, format: 'json', durability };
}

export function change(
  document: DocumentRef,
  apply: (current: Json | undefined) => Json | undefined,
): Change {
  return { document, what: 'test', apply };
}

export function modeOf(file: string): string {
  return (statSync(file).mode & 0o777).toString(8);
}
