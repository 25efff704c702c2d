import { spawnSync } from 'node:child_process';
import { chmodSync, mkdirSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { PRESET_NAMES } from '../../src/cli/init/presets';
import { commandFile, makeRig, type Rig } from '../e2e/rig';
import { blocksIn, codeIn, textOf } from './documents';

const GUIDE = textOf('docs/getting-started.md');

let rig: Rig;
let clone: string;
/** A project with the scripts of the one on the page, cloned from a repository whose default branch is main. */
beforeAll(() => {
  rig = makeRig('');
  const scripts = { lint: 'eslint --ext=js,mjs .', test: "nyc tape 'test/**/*.js'" };
  rig.write('package.json', JSON.stringify({ scripts, devDependencies: { tape: '^5.6.3' } }));
  rig.git('add', '.');
  rig.git('commit', '--quiet', '-m', 'first');
  rig.git('branch', '-m', 'main');
  const bin = join(rig.tmp, 'bin');
  mkdirSync(bin);
  for (const name of ['holdpoint', 'req']) {
    writeFileSync(join(bin, name), `#!/bin/sh\nexec '${process.execPath}' '${commandFile(name)}' "$@"\n`);
    chmodSync(join(bin, name), 0o755);
  }
  clone = join(rig.home, 'minimist');
  rig.git('clone', '--quiet', rig.repo, clone);
});
afterAll(() => rig.remove());

function run(line: string, input = ''): string {
  const PATH = [join(rig.tmp, 'bin'), dirname(process.execPath), '/usr/bin', '/bin'].join(':');
  const { stdout, stderr } = spawnSync('/bin/sh', ['-c', line], {
    cwd: clone,
    env: rig.environment({ PATH }),
    input,
    encoding: 'utf8',
  });
  return (stdout + stderr).replaceAll(rig.home, '/home/me');
}

/** What differs from run to run, made equal: ids are longer where processes have higher numbers, and so are their columns. */
function settled(text: string): string {
  return text
    .replace(/\d\d:\d\d:\d\d/g, '10:40:44')
    .replace(/\bm[0-9a-z]{9,12}\b/g, 'mwj2pcqzm4q')
    .replace(/(?<=mwj2pcqzm4q) {2,}/g, '  ');
}

/** The commands of the page with what it shows of their output, in order; `…` stands for any lines. */
function scenes(): { line: string; shown: string[] }[] {
  return blocksIn(GUIDE, 'text').flatMap((block) =>
    block
      .split(/^\$ /m)
      .slice(1)
      .map((scene) => {
        const [line = '', ...shown] = scene.trimEnd().split('\n');
        return { line, shown: shown.join('\n').split(/(?:^|\n)…(?:\n|$)/) };
      }),
  );
}

const EVENT = {
  session_id: '5e551011-0000-4000-8000-000000000000',
  hook_event_name: 'PreToolUse',
  tool_name: 'Write',
  tool_use_id: 't1',
};

test('every command of the page, and the first edit, print what the page shows', () => {
  const played = scenes().filter(({ line }) => line.startsWith('holdpoint '));
  expect(played.map(({ line }) => line)).toEqual([
    'holdpoint version',
    'holdpoint init --yes',
    'holdpoint status',
    'holdpoint log',
  ]);
  for (const { line, shown } of played) {
    const printed = settled(run(line));
    for (const part of shown) expect(printed, line).toContain(part);
    if (!line.startsWith('holdpoint init')) continue;
    const event = { ...EVENT, cwd: clone, tool_input: { file_path: join(clone, 'a.js'), content: '' } };
    const { hookSpecificOutput: said } = JSON.parse(run('holdpoint hook', JSON.stringify(event)));
    expect(blocksIn(GUIDE, 'text')).toContain(`${settled(said.permissionDecisionReason)}\n`);
  }
  const asked = JSON.stringify({ cwd: clone, session_id: EVENT.session_id });
  expect(codeIn(GUIDE)).toContain(run('holdpoint statusline', asked).trim());
});

test('the page names every preset', () => {
  const named = codeIn(GUIDE);
  expect(PRESET_NAMES.filter((one) => !named.includes(one))).toEqual([]);
});
