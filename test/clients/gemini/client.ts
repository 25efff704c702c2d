import { installed } from '../installed';
import { modelFor } from '../model-server';
import type { RealClient } from '../real-client';
import { generateContent } from './generate-content';

const QUIET = {
  security: { auth: { selectedType: 'gemini-api-key' }, folderTrust: { enabled: false } },
  privacy: { usageStatisticsEnabled: false },
  telemetry: { enabled: false },
  general: { disableAutoUpdate: true, enableAutoUpdate: false },
};

export const gemini: RealClient = {
  host: 'gemini',
  title: 'Gemini CLI',
  startModel: modelFor(generateContent),
  shell: (command) => ({ name: 'run_shell_command', input: { command, description: 'as scripted' } }),
  write: (_rig, name, content) => ({ name: 'write_file', input: { file_path: name, content } }),
  prepare: (rig) => rig.writeHome('.gemini/settings.json', JSON.stringify(QUIET)),
  resuming: (args) => [...args, '--resume', 'latest'],
  start: ({ modelUrl, prompt }) => {
    const options = ['-m', 'gemini-2.5-pro', '--approval-mode', 'yolo', '--output-format', 'stream-json'];
    return {
      path: process.execPath,
      args: [installed('gemini').path ?? '', '-p', prompt, ...options],
      env: {
        GEMINI_API_KEY: 'test-key',
        GOOGLE_GEMINI_BASE_URL: modelUrl,
        GEMINI_CLI_NO_RELAUNCH: 'true',
        GEMINI_CLI_TRUST_WORKSPACE: 'true',
      },
    };
  },
};
