import { mkdirSync, mkdtempSync, realpathSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { configText } from '../../../src/cli/init/config-text';
import { detectChecks, type ProposedCheck, proposedChecks } from '../../../src/cli/init/detect/detect';
import { PRESET_NAMES } from '../../../src/cli/init/presets';
import { compileConfig } from '../../../src/core/compile-config';
import type { JsonObject } from '../../../src/core/json';
import { SAMPLES } from './project-kinds';

let root: string;
beforeEach(() => {
  root = realpathSync(mkdtempSync(join(tmpdir(), 'holdpoint-init ü ')));
});
afterEach(() => rmSync(root, { recursive: true, force: true }));

function write(path: string, text: string): void {
  mkdirSync(dirname(join(root, path)), { recursive: true });
  writeFileSync(join(root, path), text);
}

const SHARED = { name: 'main', base: 'origin/main', isShared: true };

/** Writes the config and reads it as the hook would. */
function readBack(
  checks: readonly ProposedCheck[],
  preset: (typeof PRESET_NAMES)[number],
  leaveOut: string[] = [],
) {
  const text = configText({ preset, branch: SHARED, checks, leaveOut, shadow: false });
  if (text !== undefined) write('.holdpoint/config.yaml', text);
  const { problems, valid, guards } = compileConfig(root, join(root, 'home'));
  const gates = valid['gates'] as
    | { checks?: JsonObject; entry_points?: { path: string; checks: string[] }[] }
    | undefined;
  return { text, problems, valid, gates, guards: guards.map(({ name }) => name) };
}

function shown({ name, command, paths, on }: ProposedCheck): string {
  const line = `${name}: ${command}${paths.join() === '.' ? '' : ` @ ${paths.join(' ')}`}`;
  return on ? line : `(${line})`;
}

describe('checks that are found in a project, and a config of them without a fault', () => {
  it.each(Object.entries(SAMPLES))('%s', (_name, { files, checks, passedOver = [] }) => {
    for (const [path, text] of Object.entries(files)) write(path, text);
    const survey = detectChecks(root);
    const proposed = proposedChecks(survey.parts);
    expect(proposed.map(shown)).toEqual(checks);
    expect(survey.passedOver.map(({ what }) => what)).toEqual(passedOver);
    const { problems, gates } = readBack(proposed, 'standard');
    expect(problems).toEqual([]);
    const inForce = proposed.filter(({ on }) => on);
    expect(Object.keys(gates?.checks ?? {})).toEqual(inForce.map(({ name }) => name));
    const wired =
      gates?.entry_points?.flatMap((one) => one.checks.map((name) => `${name} ${one.path}`)) ?? [];
    const wanted = inForce.flatMap(({ name, paths }) => paths.map((path) => `${name} ${path}`));
    expect(wired.sort()).toEqual(wanted.sort());
  });
});

const CHECK: ProposedCheck = {
  name: 'test',
  command: `FOO="a: b # c" make 'test'`,
  source: 'Makefile',
  paths: ['.'],
  on: true,
};

describe('presets', () => {
  it.each(PRESET_NAMES)(
    '%s is a config without a fault, with lines of a width that can be read',
    (preset) => {
      const { text = '', problems } = readBack([CHECK], preset);
      expect(problems).toEqual([]);
      expect(text.split('\n').filter((line) => line.length > 120)).toEqual([]);
    },
  );

  it.each([
    ['standard', ['protected_branch', 'commit_plan'], true],
    ['relaxed', ['commit_plan'], true],
    ['strict', ['commit_plan', 'protected_branch'], true],
    ['minimal', [], false],
  ] as const)('%s switches on what it says', (preset, wanted, hasGates) => {
    const { valid, gates } = readBack([CHECK], preset);
    const all = Object.entries(valid['requirements'] as Record<string, { enabled: boolean }>);
    expect(all.filter(([, { enabled }]) => enabled).map(([name]) => name)).toEqual(wanted);
    expect(gates !== undefined).toBe(hasGates);
  });

  it('comments do not promise the agent what only a person may do', () => {
    expect(readBack([CHECK], 'strict').text).toContain('The agent cannot do it.');
    expect(readBack([CHECK], 'standard').text).toContain('runs `req satisfy commit_plan` itself');
  });

  it('a command with signs that YAML reads in its own way comes back as it was', () => {
    expect(readBack([CHECK], 'standard').gates?.checks).toEqual({ test: { command: CHECK.command } });
  });

  it('sections that stand in other files are left out, and no config is made of nothing', () => {
    expect(readBack([CHECK], 'standard', ['gates']).gates).toBeUndefined();
    expect(
      configText({
        preset: 'standard',
        branch: SHARED,
        checks: [],
        leaveOut: ['requirements', 'gates'],
        shadow: false,
      }),
    ).toBe(undefined);
  });

  it('a default branch that nobody shares is not closed', () => {
    const text = configText({
      preset: 'standard',
      branch: { name: 'main', base: 'main', isShared: false },
      checks: [],
      leaveOut: [],
      shadow: false,
    });
    expect(text).toContain('protected_branch:\n    enabled: false');
    expect(text).toContain('  # Off, because this branch has no remote');
  });
});
