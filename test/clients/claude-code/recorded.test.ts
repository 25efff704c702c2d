import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { expect, it } from 'vitest';
import { RECORDED, type RecordedEvent } from '../../trust/recording';
import { bash, type Call, call, say, type Turn, write } from '../scripted-model';
import { inClaudeCode, makeProject, type Project } from './rig';
import { wireLine } from './wire';

const MODULES = ['slug', 'words', 'lines', 'range', 'clamp', 'chunk', 'unique', 'group'];

const read = (file: string): Call => ({ name: 'Read', input: { file_path: file } });
const edit = (file: string, old_string: string, new_string: string): Call => ({
  name: 'Edit',
  input: { file_path: file, old_string, new_string },
});

/** What it takes to add a module: look around, write it with a test, run that, document it, commit. */
function moduleTurns(name: string, { repo }: Project): Turn[] {
  const [source, test, readme] = [`src/${name}.js`, `test/${name}.test.js`, 'README.md'].map((file) =>
    join(repo, file),
  ) as [string, string, string];
  return [
    call(bash('git status --short --branch')),
    call(bash('ls src test && sed -n "1,40p" README.md')),
    call(write(source, `exports.${name} = (value) => value;\n`)),
    call(
      write(
        test,
        `const { test } = require('node:test');\nconst assert = require('node:assert');\ntest('${name}', () => assert.equal(require('../src/${name}.js').${name}(1), 1));\n`,
      ),
    ),
    call(bash(`node --test test/${name}.test.js 2>&1 | tail -n 8`)),
    call(read(source)),
    call(edit(source, 'exports', `/** Gives the value back. */\nexports`)),
    call(bash(`grep -rn "exports\\.${name}" src | head -n 5`)),
    call(read(readme)),
    call(edit(readme, '## Functions\n', `## Functions\n\n- ${name}\n`)),
    call(bash('npm test --silent 2>&1 | tail -n 8')),
    call(bash(`git add -A && git commit -q -m "Add ${name}"`)),
    call(bash('git log --oneline -n 3')),
  ];
}

const AROUND: readonly Call[] = [
  bash('git switch -q -c feature/functions'),
  bash('cat package.json | head -n 20; node --version'),
  bash("find . -name '*.js' -not -path './.git/*' | sort"),
  bash("sed -i 's/value/input/g' src/slug.js && git diff --stat"),
  bash(
    'cp src/slug.js src/kebab.js && git mv src/words.js src/tokens.js && git mv src/tokens.js src/words.js',
  ),
  bash("cat > src/index.js <<'EOF'\nexports.slug = require('./slug.js').slug;\nEOF"),
  bash(
    'mkdir -p docs scripts && printf "#!/bin/sh\\nnpm test\\n" > scripts/check.sh && chmod +x scripts/check.sh',
  ),
  bash('echo coverage/ >> .gitignore && git diff .gitignore'),
  bash('node -e "console.log(Object.keys(require(\'./src/index.js\')))"'),
  bash('./scripts/check.sh 2>&1 | tail -n 5'),
  bash('git stash list; git branch -vv; git remote -v'),
  bash('rm -f src/kebab.js && rm -rf coverage dist'),
  bash('git add -A && git commit -q -m "Add an index" && git push -q -u origin HEAD'),
  bash('test -e missing.txt'),
];

function recordedIn(file: string): RecordedEvent[] {
  return readFileSync(file, 'utf8')
    .split('\n')
    .filter((line) => line !== '')
    .map((line) => JSON.parse(line) as RecordedEvent);
}

inClaudeCode('an ordinary session in Claude Code', () => {
  it('has a hundred calls, which `npm test` plays from the fixture that HOLDPOINT_RECORD=1 writes', async () => {
    const project = makeProject('');
    const events = join(project.dir, 'events.jsonl');
    wireLine(project, `{ cat; echo; } >> '${events}'`);
    project.write('package.json', '{"name": "functions", "scripts": {"test": "node --test"}}\n');
    project.write('README.md', '# Functions of all kinds\n\n## Functions\n');
    project.write('.gitignore', 'node_modules/\n');
    for (const dir of ['src', 'test']) project.write(`${dir}/.keep`, '');
    const origin = join(project.dir, 'origin');
    project.git('init', '--quiet', '--bare', origin);
    project.git('remote', 'add', 'origin', origin);
    project.git('add', '-A');
    project.git('commit', '-qm', 'start');
    const [first, ...rest] = AROUND;
    const turns = [
      ...(first === undefined ? [] : [call(first)]),
      ...MODULES.flatMap((name) => moduleTurns(name, project)),
      ...rest.map((one) => call(one)),
    ];
    const played = await project.play([...turns, say('Done.')], { deadline: 500_000 });
    expect(played.asked.length).toBe(turns.length + 1);
    const recorded = recordedIn(events);
    const calls = recorded.filter(({ hook_event_name: name }) => name === 'PreToolUse');
    expect(calls.length).toBeGreaterThanOrEqual(100);
    expect(new Set(calls.map(({ tool_name: tool }) => tool))).toEqual(
      new Set(['Bash', 'Read', 'Write', 'Edit']),
    );
    expect(project.git('rev-list', '--count', 'HEAD')).toBe(String(MODULES.length + 3));
    if (process.env['HOLDPOINT_RECORD'] !== '1') return;
    const neutral = recorded.map((one) =>
      JSON.stringify(withShortAnswer(one))
        .replaceAll(project.repo, '$PROJECT')
        .replaceAll(project.repo.replaceAll('/', '-'), '-project')
        .replaceAll(project.home, '$HOME')
        .replaceAll(project.dir, '$DIR')
        .replaceAll(played.sessionId, '$SESSION'),
    );
    mkdirSync(dirname(RECORDED), { recursive: true });
    writeFileSync(RECORDED, `${neutral.join('\n')}\n`);
  });
});

/** Long texts in what tools answered are cut, and nothing is decided by them. */
function withShortAnswer(event: RecordedEvent): RecordedEvent {
  const short = JSON.parse(
    JSON.stringify(event.tool_response ?? null, (_, value) =>
      typeof value === 'string' ? value.slice(0, 120) : value,
    ),
  );
  return event.tool_response === undefined ? event : { ...event, tool_response: short };
}
