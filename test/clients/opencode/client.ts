import { cpSync, existsSync, mkdirSync, symlinkSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { anthropic } from '../anthropic';
import { installed } from '../installed';
import type { RealClient } from '../real-client';

export const opencode: RealClient = {
  host: 'opencode',
  title: 'OpenCode',
  startModel: anthropic,
  shell: (command) => ({ name: 'bash', input: { command, description: 'as scripted' } }),
  write: ({ repo }, name, content) => ({ name: 'write', input: { filePath: join(repo, name), content } }),
  resuming: ([run = '', ...args]) => [run, '--continue', ...args],
  start: ({ rig, modelUrl, prompt }) => {
    for (const dir of [join(rig.repo, '.opencode'), join(rig.home, '.config', 'opencode')]) bringPackage(dir);
    rig.writeHome('.config/opencode/opencode.json', settings(modelUrl));
    return {
      path: installed('opencode').path ?? '',
      args: ['run', '--format', 'json', prompt],
      env: {
        OPENCODE_DISABLE_AUTOUPDATE: '1',
        OPENCODE_DISABLE_MODELS_FETCH: '1',
        OPENCODE_DISABLE_LSP_DOWNLOAD: '1',
        OPENCODE_DISABLE_DEFAULT_PLUGINS: '1',
      },
    };
  },
};

function settings(modelUrl: string): string {
  const limit = { context: 200_000, output: 8_000 };
  const models = { scripted: { name: 'Scripted', tool_call: true, limit } };
  const options = { baseURL: `${modelUrl}/v1`, apiKey: 'test-key' };
  return JSON.stringify({
    model: 'anthropic/scripted',
    small_model: 'anthropic/scripted',
    autoupdate: false,
    share: 'disabled',
    permission: 'allow',
    provider: { anthropic: { npm: '@ai-sdk/anthropic', name: 'Scripted', options, models } },
  });
}

/** OpenCode fetches this for every folder with plugins, and waits for it. */
function bringPackage(dir: string): void {
  if (existsSync(join(dir, 'node_modules'))) return;
  const packages = dirname(dirname(dirname(installed('opencode-plugin').path ?? '')));
  mkdirSync(dir, { recursive: true });
  symlinkSync(packages, join(dir, 'node_modules'));
  cpSync(join(dirname(packages), 'package-lock.json'), join(dir, 'package-lock.json'));
  writeFileSync(join(dir, 'package.json'), '{"dependencies":{"@opencode-ai/plugin":"1.18.33"}}\n');
}
