import { execFileSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { afterEach, describe, expect, it } from 'vitest';
import { checkImports } from '../../tools/check-imports.mjs';

const PROJECT = join(import.meta.dirname, '../..');

const made: string[] = [];
afterEach(() => {
  for (const dir of made.splice(0)) rmSync(dir, { recursive: true });
});

function tree(files: Record<string, string>): string {
  const root = mkdtempSync(join(tmpdir(), 'holdpoint-imports-'));
  made.push(root);
  for (const [name, text] of Object.entries(files)) {
    mkdirSync(dirname(join(root, name)), { recursive: true });
    writeFileSync(join(root, name), text);
  }
  return root;
}

function complaints(files: Record<string, string>): string[] {
  return checkImports(tree(files)).map(({ file, line, problem }) => `${file}:${line}: ${problem}`);
}

describe('an import is refused', () => {
  // From which file, of which path, and what is said.
  const REFUSED: [from: string, path: string, problem: string][] = [
    ['domain/a', '../process/x', 'room domain may not import room process'],
    ['process/a', '../git/x', 'room process may not import room git'],
    ['git/a', '../store/x', 'room git may not import room store'],
    ['store/a', '../git/x', 'room store may not import room git'],
    ['shell/a', '../config/x', 'room shell may not import room config'],
    ['config/a', '../guards/requirements/schema', 'room config may not import room guards'],
    ['markdown/a', '../shell/x', 'room markdown may not import room shell'],
    ['engine/a', '../store/x', 'room engine may not import room store'],
    ['engine/a', '../guards/loop/index', 'room engine may not import room guards'],
    ['hosts/codex/a', '../../guards/loop/index', 'room hosts may not import room guards'],
    ['hosts/codex/a', '../../config/x', 'room hosts may not import room config'],
    ['hosts/codex/a', '../gemini/parse', 'room hosts/codex may not import room hosts/gemini'],
    ['guards/loop/a', '../../hosts/table', 'room guards may not import room hosts'],
    ['guards/loop/a', '../../engine/x', 'room guards may not import room engine'],
    ['guards/loop/a', '../gates/index', 'room guards/loop may not import room guards/gates'],
    ['guards/loop/a', '../guard-table', 'room guards/loop may not import room guards'],
    ['pipeline/a', '../cli/x', 'room pipeline may not import room cli'],
    ['pipeline/a', '../bin/x', 'room pipeline may not import room bin'],
    ['cli/a', '../bin/x', 'room cli may not import room bin'],
    ['attic/a', '../domain/x', 'room attic may not import room domain'],
    ['cli/a', '../attic/x', 'room cli may not import room attic'],
    ['cli/a', '../../package.json', 'room cli may not import what is outside of src'],
    ['domain/a', 'valibot', "room domain may not import packages on the hook's path"],
    ['engine/a', 'node:fs/promises', "room engine may not import node:fs/promises on the hook's path"],
    ['hosts/codex/a', 'crypto', "room hosts may not import node:crypto on the hook's path"],
    ['store/a', 'node:os', "room store may not import node:os on the hook's path"],
    ['git/a', 'node:child_process', "room git may not import node:child_process on the hook's path"],
    ['guards/loop/decide', '@scope/pkg', "room guards may not import packages on the hook's path"],
    ['guards/loop/deep/schema', 'valibot', "room guards may not import packages on the hook's path"],
  ];
  it.each(REFUSED)('from %s of %s', (from, path, problem) => {
    expect(complaints({ [`src/${from}.ts`]: `import { x } from '${path}';\n` })).toEqual([
      `src/${from}.ts:1: ${problem} (${path})`,
    ]);
  });
});

describe('an import is refused however it is written', () => {
  const WAYS: Record<string, string> = {
    'for its effects': "import '../store/x';",
    'as a type': "import type { X } from '../store/x';",
    'with a type inside': "import { type X } from '../store/x';",
    'as a type in place': "export type Y = import('../store/x').X;",
    'exported again': "export { x } from '../store/x';",
    'exported again as a type': "export type { X } from '../store/x';",
    'all exported again': "export * from '../store/x';",
    'later on': "export const load = () => import('../store/x');",
    'later on, in a template': 'export const load = () => import(`../store/x`);',
    'the old way': "export const x = require('../store/x');",
    'the old way, in TypeScript': "import x = require('../store/x');",
    'by its place alone': "export const where = require.resolve('../store/x');",
  };
  it.each(Object.entries(WAYS))('%s', (_, text) => {
    expect(complaints({ 'src/domain/a.ts': `// ünïcödé 🚀\n\n${text}\n` })).toEqual([
      'src/domain/a.ts:3: room domain may not import room store (../store/x)',
    ]);
  });
});

it('passes a tree that keeps the rules', () => {
  const files = {
    'src/domain/a.ts': "import type { B } from './b';\nexport type A = B;",
    'src/domain/b.ts': "// import '../store/a'\nexport type B = '../store/a';",
    'src/process/a.ts': "import '../domain/a';\nimport { spawn } from 'node:child_process';",
    'src/git/a.ts': "import '../process/a';\nimport { readFileSync } from 'node:fs';",
    'src/git/ask-git.ts': "import { execFileSync } from 'node:child_process';",
    'src/store/a.ts': "import '../domain/a';\nimport { join } from 'path';",
    'src/shell/a.ts': "import { parse } from 'a-parser';\nimport '../process/a';",
    'src/config/a.ts': "import { parse } from 'yaml';\nimport '../domain/a';",
    'src/hosts/table.ts': "import './codex';\nimport './gemini/parse';",
    'src/hosts/codex/index.ts': "import './parse';\nimport '../table';",
    'src/hosts/codex/parse.ts': "import '../../store/a';\nimport '../../git/a';\nimport '../../shell/a';",
    'src/hosts/gemini/parse.ts': '',
    'src/guards/guard-table.ts': "import './loop/index';\nimport './gates/index';",
    'src/guards/loop/index.ts': "import './decide';\nimport '../../config/a';",
    'src/guards/loop/decide.ts': "import '../../domain/a';",
    'src/guards/loop/schema.ts': "import * as v from 'valibot';",
    'src/guards/loop/section.ts': "import * as v from 'valibot';",
    'src/guards/gates/index.ts': '',
    'src/guards/gates/effects.ts': "import { spawn } from 'node:child_process';",
    'src/engine/a.ts': "import '../domain/a';",
    'src/pipeline/a.ts': "import '../engine/a';\nimport '../guards/guard-table';\nimport '../hosts/table';",
    'src/cli/a.ts': "import '../pipeline/a';\nimport '../store/a';",
    'src/bin/a.ts': "import '../cli/a';\nconst name = './x.cjs';\nrequire(name);",
  };
  expect(complaints(files)).toEqual([]);
});

it('tells every violation, by file and line', () => {
  const found = complaints({
    'src/store/b.ts': "import '../domain/a';\nimport '../cli/x';\nimport 'yaml';\n",
    'src/domain/a.ts': "import '../store/b';\n",
  });
  expect(found).toEqual([
    'src/domain/a.ts:1: room domain may not import room store (../store/b)',
    'src/store/b.ts:2: room store may not import room cli (../cli/x)',
    "src/store/b.ts:3: room store may not import packages on the hook's path (yaml)",
  ]);
});

it('does not take a file it cannot read for a clean one', () => {
  expect(() => complaints({ 'src/domain/a.ts': 'import {{{' })).toThrow(/domain.a\.ts/);
});

it('finds nothing in our own source', () => {
  expect(checkImports(PROJECT)).toEqual([]);
  expect(
    execFileSync(process.execPath, ['tools/check-imports.mjs'], { cwd: PROJECT, encoding: 'utf8' }),
  ).toBe('');
});
