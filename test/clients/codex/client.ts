import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { JsonObject } from '../../../src/core/json';
import { hookHash, labelOf } from '../../../src/hosts/codex/setup';
import type { Rig } from '../../e2e/rig';
import { installed } from '../installed';
import { modelFor } from '../model-server';
import type { RealClient } from '../real-client';
import { responses } from './responses';

/** Codex, with the hooks of the project trusted as they stand when it is started. */
export const codex: RealClient = codexThat(trust);

/** The same after nobody has ever opened `/hooks`. */
export const untrustingCodex: RealClient = codexThat(() => '');

const QUIET = ['--disable', 'plugins', '--disable', 'apps', '--dangerously-bypass-approvals-and-sandbox'];

function codexThat(states: (rig: Rig) => string): RealClient {
  return {
    host: 'codex',
    title: 'Codex',
    startModel: modelFor(responses),
    shell: (cmd) => ({ name: 'exec_command', input: { cmd } }),
    write: (_rig, name, content) => ({ name: 'exec_command', input: { cmd: patchThatAdds(name, content) } }),
    resuming: ([exec = '', ...args]) => [exec, 'resume', '--last', ...args],
    start: ({ rig, modelUrl, prompt }) => {
      rig.writeHome('.codex/config.toml', `${settings(rig, modelUrl)}\n${states(rig)}`);
      return {
        path: installed('codex').path ?? '',
        args: ['exec', '--json', ...QUIET, prompt],
        env: { SCRIPTED_KEY: 'test-key' },
      };
    },
  };
}

function settings({ repo }: Rig, modelUrl: string): string {
  return [
    'model = "scripted"',
    'model_provider = "scripted"',
    '[model_providers.scripted]',
    'name = "scripted"',
    `base_url = "${modelUrl}/v1"`,
    'env_key = "SCRIPTED_KEY"',
    'wire_api = "responses"',
    'request_max_retries = 0',
    'stream_max_retries = 0',
    `[projects."${repo}"]`,
    'trust_level = "trusted"',
    '[analytics]',
    'enabled = false',
  ].join('\n');
}

/** What `/hooks` would write when a person trusts everything that is there. */
function trust({ repo, home }: Rig): string {
  return [repo, home].flatMap((dir) => trustIn(join(dir, '.codex/hooks.json'))).join('\n');
}

function trustIn(file: string): string[] {
  if (!existsSync(file)) return [];
  const { hooks = {} } = JSON.parse(readFileSync(file, 'utf8')) as { hooks?: Record<string, Group[]> };
  return Object.entries(hooks).flatMap(([event, groups]) =>
    groups.flatMap((group, number) =>
      group.hooks.map((hook, index) => {
        const place = `${file}:${labelOf(event)}:${number}:${index}`;
        return `[hooks.state."${place}"]\ntrusted_hash = "${hookHash(event, hook)}"`;
      }),
    ),
  );
}

interface Group {
  readonly hooks: readonly JsonObject[];
}

/** Codex's own way to write a file: the command line that it takes for a patch. */
function patchThatAdds(name: string, content: string): string {
  const lines = content.trimEnd().split('\n');
  const patch = ['*** Begin Patch', `*** Add File: ${name}`, ...lines.map((line) => `+${line}`)];
  return `apply_patch <<'EOF'\n${[...patch, '*** End Patch'].join('\n')}\nEOF\n`;
}
