import { join } from 'node:path';
import { fileURLToPath } from 'node:url';

const BUILD = `${process.platform}-${process.arch}`;

/** How Codex calls the processor in the folder of its program. */
const CODEX_TARGET = `${process.arch === 'arm64' ? 'aarch64' : 'x86_64'}-unknown-linux-musl`;

/** The clients that the tests were written against. They are installed on demand and never a dependency. */
export const PINS = {
  'claude-code': {
    packages: ['@anthropic-ai/claude-code@2.1.325', `@anthropic-ai/claude-code-${BUILD}@2.1.325`],
    program: `@anthropic-ai/claude-code-${BUILD}/claude`,
  },
  codex: {
    packages: ['@openai/codex@0.166.0'],
    program: `@openai/codex-${BUILD}/vendor/${CODEX_TARGET}/bin/codex`,
  },
  gemini: {
    packages: ['@google/gemini-cli@0.61.0'],
    program: '@google/gemini-cli/bundle/gemini.js',
  },
  copilot: {
    packages: ['@github/copilot@1.0.102'],
    program: `@github/copilot-${process.platform}-${process.arch}/copilot`,
  },
  opencode: {
    packages: ['opencode-ai@1.18.33'],
    program: `opencode-${process.platform}-${process.arch}/bin/opencode`,
  },
  /** What OpenCode puts beside every plugin, and would have to fetch. */
  'opencode-plugin': {
    packages: ['@opencode-ai/plugin@1.18.33'],
    program: '@opencode-ai/plugin/package.json',
  },
};

/** The folder of a client; git ignores it. */
export function folderOf(name) {
  return fileURLToPath(new URL(`../../.clients/${name}`, import.meta.url));
}

/** Where the program of a client lies once it is installed. */
export function programOf(name) {
  return join(folderOf(name), 'node_modules', PINS[name].program);
}
