import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { isJsonObject } from '../../domain/json';

/** Commands that the project seems to have for the two checks that most begin with. */
export interface Suggestions {
  readonly lint?: string;
  readonly test?: string;
}

/** What other kinds of projects are told by, and what they are checked with. */
const KINDS: readonly { readonly file: string; readonly commands: Suggestions }[] = [
  { file: 'Cargo.toml', commands: { lint: 'cargo clippy --all-targets -- -D warnings', test: 'cargo test' } },
  { file: 'go.mod', commands: { lint: 'go vet ./...', test: 'go test ./...' } },
];

export function suggestionsIn(root: string): Suggestions {
  return scriptsIn(root) ?? KINDS.find(({ file }) => existsSync(join(root, file)))?.commands ?? {};
}

function scriptsIn(root: string): Suggestions | undefined {
  try {
    const manifest: unknown = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8'));
    const scripts = isJsonObject(manifest) && isJsonObject(manifest['scripts']) ? manifest['scripts'] : {};
    const isReal = (name: string): boolean =>
      typeof scripts[name] === 'string' && !String(scripts[name]).includes('no test specified');
    return { ...(isReal('lint') && { lint: 'npm run lint' }), ...(isReal('test') && { test: 'npm test' }) };
  } catch {
    return undefined;
  }
}
