import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { formatDiagnostic } from '../../src/config/diagnostics';
import { type ReadConfig, readConfig } from '../../src/config/read-config';
import type { Section } from '../../src/config/section';
import { SECTIONS } from '../../src/core/compile-config';
import { isJsonObject } from '../../src/core/json';

/** Config files by path; `~/` is the scratch home, everything else the scratch project. */
export type Files = Readonly<Record<string, string | Uint8Array>>;

/** Reads a config from real files in a scratch project with a scratch home, without what needs no config at all. */
export function readFiles(files: Files, sections: readonly Section[] = SECTIONS): ReadConfig {
  const read = readAll(files, sections);
  const isAsked = ({ name, config }: ReadConfig['guards'][number]): boolean =>
    name !== 'loop' && !(isJsonObject(config) && config['byHand'] === true);
  return { ...read, guards: read.guards.filter(isAsked) };
}

/** The same with what is there in every project: loops, and workflows that are started by hand. */
export function readAll(files: Files, sections: readonly Section[] = SECTIONS): ReadConfig {
  return inScratch(files, (root, home) => readConfig({ root, home, sections }));
}

export function inScratch<T>(files: Files, use: (root: string, home: string) => T): T {
  const base = mkdtempSync(join(tmpdir(), 'holdpoint-config-'));
  const root = join(base, 'project');
  const home = join(base, 'home');
  try {
    mkdirSync(root);
    mkdirSync(home);
    for (const [name, content] of Object.entries(files)) {
      const path = name.startsWith('~/') ? join(home, name.slice(2)) : join(root, name);
      mkdirSync(dirname(path), { recursive: true });
      writeFileSync(path, content);
    }
    return use(root, home);
  } finally {
    rmSync(base, { recursive: true, force: true });
  }
}

/** What a person would see of it. */
export function printed(read: ReadConfig): string {
  return read.diagnostics.map(formatDiagnostic).join('\n\n');
}
