import { execFileSync, spawnSync } from 'node:child_process';
import { chmodSync, mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { commandFile, makeRig, type Rig } from './rig';

const CONFIG = `requirements:
  commit_plan: {enabled: true}
  changelog: {enabled: true}
  '$(touch evil)': {enabled: true}
`;

let rig: Rig;
beforeAll(() => {
  rig = makeRig(CONFIG, '.holdpoint/config.yaml');
  const bin = join(rig.dir, 'tmp', 'bin');
  mkdirSync(bin);
  // As npm puts a command on the PATH: by its name alone.
  writeFileSync(
    join(bin, 'holdpoint'),
    `#!/bin/sh\nexec '${process.execPath}' '${commandFile('holdpoint')}' "$@"\n`,
  );
  chmodSync(join(bin, 'holdpoint'), 0o755);
  for (const shell of Object.keys(SHELLS))
    writeFileSync(join(rig.dir, 'tmp', shell), rig.holdpoint(['completion', shell]).stdout);
});
afterAll(() => rig.remove());

const isThere = (shell: string): boolean => spawnSync(shell, ['-c', 'exit 0']).status === 0;

function run(shell: string, args: readonly string[]): string[] {
  const env = rig.environment();
  const PATH = `${join(rig.dir, 'tmp', 'bin')}:${env['PATH']}`;
  const printed = execFileSync(shell, args, {
    cwd: rig.repo,
    env: { ...env, PATH },
    encoding: 'utf8',
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  return printed.split('\n').filter((line) => line !== '');
}

const quoted = (words: readonly string[]): string => words.map((word) => `'${word}'`).join(' ');

/** Sources the script in a real shell and asks what it would offer for the last of some words. */
const SHELLS: Readonly<Record<string, (words: readonly string[]) => string[]>> = {
  bash: (words) =>
    run('bash', [
      '--norc',
      '-c',
      `. ../tmp/bash; COMP_WORDS=(${quoted(words)}); COMP_CWORD=${words.length - 1}
       "$(complete -p ${words[0]} | sed 's/.*-F \\([^ ]*\\).*/\\1/')"; printf '%s\\n' "\${COMPREPLY[@]}"`,
    ]),
  zsh: (words) =>
    run('zsh', [
      '-f',
      '-c',
      `compdef() { handler=$1 }; compadd() { shift; print -l -- \${(M)@:#$words[CURRENT]*} }; _files() { }
       _describe() { compadd -- \${\${(P)4}%%:*} }
       . ../tmp/zsh; words=(${quoted(words)}); CURRENT=${words.length}; $handler`,
    ]),
  fish: (words) =>
    run('fish', [
      '--no-config',
      '-c',
      `source ../tmp/fish; complete -C "${words.join(' ')}" | string replace -r '\\t.*' ''; true`,
    ]),
};

const CASES: readonly (readonly [what: string, words: string[], offered: string[]])[] = [
  ['a command', ['holdpoint', 'comp'], ['completion']],
  ['a command below another', ['holdpoint', 'gates', 'ci', 'l'], ['list-jobs']],
  ['a command of req', ['req', 'sat'], ['satisfy']],
  ['a command of agent-gauntlet', ['agent-gauntlet', 'val'], ['validate']],
  ['a flag', ['holdpoint', 'status', '--wa'], ['--watch']],
  ['the name of a host', ['holdpoint', 'explain', '--host', 'co'], ['codex', 'copilot']],
  ['one of some values that the usage lists', ['holdpoint', 'loop', 'start', '--mode', 'gr'], ['grind']],
  [
    'requirements of the project, none that a shell might obey',
    ['req', 'satisfy', ''],
    ['changelog', 'commit_plan'],
  ],
  ['a second requirement', ['holdpoint', 'req', 'satisfy', 'changelog', 'com'], ['commit_plan']],
];

for (const [shell, offer] of Object.entries(SHELLS)) {
  const there = isThere(shell);
  describe.runIf(there)(
    `completion in ${shell}${there ? '' : ' (skipped: it is not installed here)'}`,
    () => {
      it.each(CASES)('offers %s', (_what, words, offered) => {
        expect(offer(words).sort()).toEqual(offered);
      });
    },
  );
}

describe('completion', () => {
  it('bash takes the value behind an equals sign', () => {
    expect(SHELLS['bash']?.(['holdpoint', 'explain', '--host', '=', 'cu'])).toEqual(['cursor']);
  });

  it('a shell that is not known is an error that names the others', () => {
    expect(rig.holdpoint(['completion', 'tcsh'])).toMatchObject({
      exitCode: 2,
      stderr: 'holdpoint completion: give one shell: bash, zsh, fish.\n',
    });
  });

  it('outside of a project there are no names of requirements, and no trouble', () => {
    expect(rig.holdpoint(['completion', 'offers', 'req', 'satisfy', ''], { cwd: rig.tmp })).toMatchObject({
      exitCode: 0,
      stdout: '',
      stderr: '',
    });
  });
});
