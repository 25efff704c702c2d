import { execFileSync } from 'node:child_process';
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { BUILT_IN } from '../../src/guards/rules/built-in';
import { eventsIn } from '../e2e/events';
import { commandFile, deniedBecause, makeRig } from '../e2e/rig';
import { blocksIn, ROOT, rulesIn, textOf } from './documents';

const GUIDE = 'docs/rules.md';

test('the rules of the guide hold what the guide says, and print what it shows', () => {
  const rig = makeRig('');
  try {
    for (const [path, text] of Object.entries(rulesIn(GUIDE))) rig.write(path, text);
    const line = blocksIn(textOf(GUIDE), 'sh').find((block) => block.includes('holdpoint explain')) ?? '';
    const explain = line.replace(
      'holdpoint explain',
      `'${process.execPath}' '${commandFile('holdpoint')}' explain`,
    );
    const printed = execFileSync('sh', ['-c', explain], {
      cwd: rig.repo,
      env: rig.environment({ PWD: rig.repo }),
      encoding: 'utf8',
    });
    for (const shown of blocksIn(textOf(GUIDE), 'text')) expect(printed).toContain(shown);
    const events = eventsIn(rig);
    expect(deniedBecause(rig.hook(events.pre('Bash', { command: 'git commit -m x' })))).toContain(
      'Run `npm test`',
    );
    rig.hook(events.post('Bash', { command: 'npm test' }, { tool_response: { stdout: '' } }));
    expect(rig.hook(events.pre('Bash', { command: 'git commit -m x' })).stdout).toBe('');
  } finally {
    rig.remove();
  }
});

test('every built-in rule has a page, and a row in the guide', () => {
  for (const { name } of BUILT_IN) {
    expect(existsSync(join(ROOT, `docs/rules/${name}.md`))).toBe(true);
    expect(textOf(GUIDE)).toContain(`[${name}](rules/${name}.md)`);
  }
});
