import { execFileSync } from 'node:child_process';
import { mkdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { bash, call, say, write } from '../scripted-model';
import { inClaudeCode, makeProject } from './rig';

const PACKAGE = JSON.stringify({ type: 'module', scripts: { test: 'node --test' } });
const TEST = `import { strictEqual } from 'node:assert';
import { test } from 'node:test';
import { slug } from './index.js';
test('blanks become dashes', () => strictEqual(slug('a b'), 'a-b'));
`;

inClaudeCode('after holdpoint init', () => {
  it('a new session in a clone is held at its first edit, and by the tests at the end of its turn', async () => {
    const project = makeProject('');
    project.write('package.json', PACKAGE);
    project.write('index.test.js', TEST);
    project.git('add', '.');
    project.git('commit', '--quiet', '-m', 'tests');
    const upstream = join(project.dir, 'upstream');
    mkdirSync(upstream);
    execFileSync('git', ['clone', '--quiet', '--bare', project.repo, upstream], {
      env: project.environment(),
    });
    project.git('remote', 'add', 'origin', upstream);
    project.git('fetch', '--quiet', 'origin');
    project.git('remote', 'set-head', 'origin', 'feature/auth');
    expect(project.holdpoint(['init', '--yes', '--host', 'claude-code']).exitCode).toBe(0);

    const broken = write('index.js', 'export const slug = (text) => text;\n');
    const right = write('index.js', "export const slug = (text) => text.replace(' ', '-');\n");
    const played = await project.play([
      call(broken),
      call(bash('git switch -c slug')),
      call(bash('req satisfy commit_plan')),
      call(broken),
      say('Done.'),
      call(right),
      say('Mended.'),
    ]);
    expect(played.news(1)).toContain('Branch feature/auth is protected. Switch to another branch');
    expect(played.news(1)).toContain('`req satisfy commit_plan --session ');
    expect(played.news(3)).toContain("Satisfied 'commit_plan' for session ");
    expect(played.news(5)).toContain('check:.:test');
    expect(played.asked).toHaveLength(7);
    expect(readFileSync(join(project.repo, 'index.js'), 'utf8')).toContain("'-'");
    const state = readFileSync(join(project.repo, '.holdpoint/logs/.execution_state'), 'utf8');
    expect(JSON.parse(state)).toMatchObject({ last_status: 'passed' });
  });
});
