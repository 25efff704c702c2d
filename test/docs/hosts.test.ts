import { spawnSync } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { expect, test } from 'vitest';

test('the table of hosts shows what the hosts’ capabilities say', () => {
  const tool = fileURLToPath(new URL('../../tools/hosts-table.mjs', import.meta.url));
  const { stderr, status } = spawnSync(process.execPath, [tool, '--check'], { encoding: 'utf8' });
  expect(stderr).toBe('');
  expect(status).toBe(0);
});
