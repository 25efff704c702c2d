import { join } from 'node:path';
import { anthropic } from '../anthropic';
import { installed } from '../installed';
import type { RealClient } from '../real-client';

/** Copilot CLI without an account; the folder is trusted and nobody is asked. */
export const copilot: RealClient = {
  host: 'copilot',
  title: 'Copilot CLI',
  startModel: anthropic,
  shell: (command) => ({ name: 'bash', input: { command, description: 'as scripted' } }),
  write: ({ repo }, name, content) => ({
    name: 'create',
    input: { path: join(repo, name), file_text: content },
  }),
  resuming: (args) => [...args, '--continue'],
  start: ({ rig, modelUrl, prompt }) => ({
    path: installed('copilot').path ?? '',
    args: [
      ...['-p', prompt, '--output-format', 'json'],
      ...['--allow-all-tools', '--allow-all-paths', '--no-auto-update'],
    ],
    env: {
      COPILOT_HOME: join(rig.home, '.copilot'),
      COPILOT_OFFLINE: 'true',
      COPILOT_AUTO_UPDATE: 'false',
      COPILOT_ALLOW_ALL: 'true',
      COPILOT_PROVIDER_TYPE: 'anthropic',
      COPILOT_PROVIDER_BASE_URL: modelUrl,
      COPILOT_PROVIDER_API_KEY: 'test-key',
      COPILOT_MODEL: 'claude-sonnet-4',
    },
  }),
};
