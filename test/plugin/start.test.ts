import { chmodSync, existsSync, mkdirSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it, test } from 'vitest';
import { EDIT, eventsIn } from '../e2e/events';
import { makeRig, type Rig } from '../e2e/rig';
import { type Ended, jsonOf, makePackage, type Package } from './rig';

interface Manifest {
  readonly hooks: {
    readonly PreToolUse: readonly { readonly hooks: readonly { readonly command: string }[] }[];
  };
}
const LINE = (jsonOf('plugin/hooks/hooks.json') as Manifest).hooks.PreToolUse[0]?.hooks[0]?.command ?? '';

const SHELLS = ['sh', 'bash', 'dash'].filter((shell) => existsSync(`/bin/${shell}`));

let rig: Rig;
let pack: Package;
beforeEach(() => {
  rig = makeRig();
  pack = makePackage();
});
afterEach(() => {
  rig.remove();
  pack.remove();
});

function program(name: string, line: string): void {
  writeFileSync(join(pack.bin, name), `#!/bin/sh\n${line}\n`);
  chmodSync(join(pack.bin, name), 0o755);
}

/** The line at an edit that has to be denied, as the host runs it. */
function held(shell = 'sh', env: Record<string, string> = {}): Ended {
  const input = JSON.stringify(eventsIn(rig).pre('Edit', EDIT, { tool_use_id: 'toolu_1' }));
  return pack.run(shell, LINE, { input, env: { HOME: rig.home, ...env } });
}

describe('the line of the plugin', () => {
  test.each(SHELLS)('denies, run by %s from a folder with an awkward name', (shell) => {
    pack.build();
    const ended = held(shell);
    expect(ended, ended.stderr).toMatchObject({ exitCode: 0, stderr: '' });
    expect(ended.stdout).toContain('"permissionDecision":"deny"');
  });

  it('takes the launch file of an installation first', () => {
    pack.build();
    rig.writeHome('.config/holdpoint/launch', 'echo "launched $*"; exit 0\n');
    expect(held()).toMatchObject({ stdout: 'launched --host claude-code\n', exitCode: 0 });
  });

  it('takes the command on the PATH where there is no build', () => {
    program('holdpoint', 'echo "called $*"');
    expect(held()).toMatchObject({ stdout: 'called hook --host claude-code\n', exitCode: 0 });
  });

  it('hands on the certificates that it keeps from node', () => {
    mkdirSync(join(pack.dir, 'dist'));
    writeFileSync(join(pack.dir, 'dist', 'hook.cjs'), '');
    program('node', 'echo "[$NODE_EXTRA_CA_CERTS] [$HOLDPOINT_NODE_EXTRA_CA_CERTS]"');
    expect(held('sh', { NODE_EXTRA_CA_CERTS: '/c a.pem' }).stdout).toBe('[] [/c a.pem]\n');
  });

  test.each(SHELLS)('holds nobody and says what to do where nothing is installed, run by %s', (shell) => {
    const ended = held(shell);
    expect(ended).toMatchObject({ exitCode: 1, stdout: '' });
    expect(ended.stderr).toContain('npm run build && npm link');
  });

  test.each(SHELLS)('holds nobody where the folder of the plugin is gone, run by %s', (shell) => {
    rmSync(join(pack.plugin, 'hooks'), { recursive: true });
    expect(held(shell)).toMatchObject({ exitCode: 1, stdout: '' });
  });
});

describe('the programs of the plugin', () => {
  const called = (name: string, args = 'help') =>
    pack.run('sh', `"$P/bin/${name}" ${args}`, { env: { HOME: rig.home, P: pack.plugin } });

  test.each([
    ['holdpoint', 'Usage: holdpoint'],
    ['req', 'Usage: req'],
    ['agent-gauntlet', 'agent-gauntlet'],
  ])('%s is the one of the build beside them', (name, word) => {
    pack.build();
    const ended = called(name, '--help');
    expect(ended.stdout + ended.stderr).toContain(word);
    expect(ended.exitCode).toBe(0);
  });

  it('are those on the PATH where there is no build', () => {
    program('req', 'echo "installed: $*"');
    const env = { HOME: rig.home, PATH: `${join(pack.plugin, 'bin')}:${pack.bin}:/usr/bin:/bin` };
    expect(pack.run('sh', 'req satisfy "a b"', { env }).stdout).toBe('installed: satisfy a b\n');
  });

  it('do not call themselves for ever', () => {
    const env = { HOME: rig.home, PATH: `${join(pack.plugin, 'bin')}:/usr/bin:/bin` };
    const ended = pack.run('sh', 'holdpoint status', { env });
    expect(ended.exitCode).toBe(127);
    expect(ended.stderr).toContain('npm run build && npm link');
  });
});
