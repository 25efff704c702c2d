import { execFileSync } from 'node:child_process';
import { dirname } from 'node:path';
import { fileURLToPath } from 'node:url';
import { expect, it } from 'vitest';
import { commandFile } from '../e2e/rig';

const DAY = fileURLToPath(new URL('../../bench/day.mjs', import.meta.url));

it.runIf(process.platform === 'linux')(
  'some thousand events of ten projects are dealt with by one process, and none is lost (Linux, by /proc)',
  () => {
    const env = { ...process.env, HOLDPOINT_DIST: dirname(commandFile('serve')) };
    const said = execFileSync(process.execPath, [DAY, '--events', '3000', '--json'], {
      env,
      encoding: 'utf8',
    });
    const { answered = 0, lost, servers, rss } = JSON.parse(said) as Record<string, number>;
    expect({ lost, servers }).toEqual({ lost: 0, servers: 1 });
    expect(answered).toBeGreaterThan(2900);
    expect(rss).toBeLessThan(160 * 1024 * 1024);
  },
);
