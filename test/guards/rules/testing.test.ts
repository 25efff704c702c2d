import { expect, it } from 'vitest';
import { defineRule, hold, type Moment } from '../../../src/api';
import { type TestEvent, testRule, type World } from '../../../src/api/testing';

const run = (command: string): TestEvent => ({ tool: 'Bash', input: { command } });
const FILES: World = { files: { 'src/a.ts': 'a' }, branch: 'main' };

/** What a rule is asked about, and what it sees; `undefined` if it is not asked. */
it.each<[on: Moment, event: TestEvent, seen: string | undefined]>([
  ['commit', run('npm test && git commit -m x'), 'commit main'],
  ['push', run('git push'), 'push main'],
  ['push', run('git push --force origin HEAD:release'), 'push release'],
  ['push', run('bash -c "git push origin main"'), 'push main'],
  ['push', run('git push --dry-run'), undefined],
  ['merge', run('git merge feature'), 'merge main'],
  ['pr', run('gh pr create'), 'pr'],
  ['network', run('curl https://example.org'), 'network'],
  ['edit', run('sed -i s/a/b/ src/a.ts'), 'edit /project/src/a.ts'],
  ['edit', { tool: 'mcp__fs__write_file', input: { path: 'b.ts' } }, 'edit /project/b.ts'],
  ['edit', run('cat src/a.ts'), undefined],
  ['delete', run('rm src/a.ts'), 'delete /project/src/a.ts'],
  ['delete', run('rm -rf src'), 'delete /project/src'],
  ['config', run('echo > .holdpoint/config.yaml'), 'config /project/.holdpoint/config.yaml'],
  ['pr', { tool: 'mcp__github__create_pull_request', input: { repo: 'a' } }, 'pr'],
  ['push', { kind: 'tool.before', call: { command: 'git push' } }, 'push main'],
])('testRule asks a rule on %s as the hook does: %j', async (on, event, seen) => {
  const rule = defineRule({
    name: 'tested',
    on,
    decide: (_event, { effects }) =>
      hold(
        effects
          .filter(({ kind }) => kind === on)
          .map(({ kind, ref, paths = [] }) => [kind, ...(ref === undefined ? [] : [ref]), ...paths].join(' '))
          .join(', '),
      ),
  });
  expect(await testRule(rule, event, FILES)).toEqual(
    seen === undefined ? { kind: 'nothing' } : { kind: 'hold', reason: seen },
  );
});
