import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { expect, it } from 'vitest';
import { call, say, write } from '../scripted-model';
import { inClaudeCode, makeProject } from './rig';
import { install } from './wire';

const PAGE = readFileSync(fileURLToPath(new URL('../../../docs/rules.md', import.meta.url)), 'utf8');

/** The code that the page has for a file. */
function codeFor(file: string): string {
  const [, code = ''] =
    new RegExp(`\`\`\`ts\n// ${file.replaceAll('.', '\\.')}\n(.*?)\`\`\``, 's').exec(PAGE) ?? [];
  expect(code, file).not.toBe('');
  return code;
}

inClaudeCode('rules of one’s own in Claude Code', () => {
  it('hold, are tested and played back as the page says', async () => {
    const project = makeProject('');
    install(project);
    expect(project.holdpoint(['rules', 'new', 'no-fixme'])).toMatchObject({ exitCode: 0 });
    for (const file of ['.holdpoint/rules/no-fixme.ts', '.holdpoint/rules/no-fixme.test.ts'])
      project.write(file, codeFor(file));
    expect(project.holdpoint(['rules', 'test', '--json']).stdout).toContain('"passed":true');
    const played = await project.play([
      call(write('a.js', '// FIXME: later\n')),
      call(write('a.js', '// done\n')),
      say('Done.'),
    ]);
    expect(played.news(1)).toContain('Held by rule `no-fixme`: Fix it now, or open an issue and link it.');
    expect(existsSync(join(project.repo, 'a.js'))).toBe(true);
    expect(readFileSync(join(project.repo, 'a.js'), 'utf8')).toBe('// done\n');
    const backtest = JSON.parse(project.holdpoint(['backtest', '--json']).stdout);
    expect(backtest).toMatchObject({
      sessions: 1,
      calls: 2,
      rules: [
        {
          rule: 'no-fixme',
          mode: 'hold',
          would_hold: 1,
          unknown: 0,
          examples: [{ tool: 'Write', what: 'a.js' }],
        },
      ],
    });
  });
});
