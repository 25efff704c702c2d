import { existsSync, rmSync, symlinkSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, describe, expect, it } from 'vitest';
import { eventsIn, OTHER_SESSION } from './events';
import { codex } from './host-documents';
import { at, deniedBecause, type HostDocument, heldBecause } from './rig';
import { isSilent, type RulesRig, rulesRig, ruleText, saidTo } from './rules-project';

let rig: RulesRig;
afterEach(() => rig.remove());

const HOLD = (name: string, reason: string): string => ruleText(name, 'edit', `return hold('${reason}');`);

const ALLOW = 'Allow it only if';

describe('where rules stand and how they are written', () => {
  it.each([
    ['no-a.ts', HOLD('no-a', 'No a.')],
    ['no-a.mts', HOLD('no-a', 'No a.')],
    [
      'no-a.mjs',
      "import { defineRule, hold } from 'holdpoint';\nexport default defineRule({ name: 'no-a', on: ['edit'], decide: () => hold('No a.') });\n",
    ],
    [
      'no-a.js',
      "const { defineRule, hold } = require('holdpoint');\nmodule.exports = defineRule({ name: 'no-a', on: 'edit', decide: async () => hold('No a.') });\n",
    ],
    [
      'two.ts',
      "import { defineRule, hold } from 'holdpoint';\nexport default [defineRule({ name: 'no-b', on: 'push', decide: () => hold('No b.') }), defineRule({ name: 'no-a', on: 'edit', decide: () => hold('No a.') })];\n",
    ],
    [
      'plain.js',
      "export default { name: 'no-a', on: 'edit', decide() { return { kind: 'hold', reason: 'No a.' } } };\n",
    ],
  ])('%s', (file, text) => {
    rig = rulesRig();
    rig.rule(file, text);
    const reason = deniedBecause(rig.edit());
    expect(reason).toContain('Held by rule `no-a`: No a.');
    expect(reason).toContain('holdpoint why');
  });

  it('a hold says that nothing satisfies it, and another one is no repetition of it', () => {
    rig = rulesRig();
    rig.rule('no-a.ts', HOLD('no-a', 'No a.'));
    rig.edit();
    rig.edit();
    expect(rig.holdpoint(['why']).stdout).toMatch(/^outcome +nothing to satisfy/m);
    expect(at(rig.holdpoint(['stats', '--json']).json, 'rules')).toMatchObject([{ held: 2, repeated: 0 }]);
  });

  it('types, enums, imports with and without ending, JSON and Node modules', () => {
    rig = rulesRig();
    rig.rule(
      'typed.ts',
      `import { basename } from 'node:path';
import { defineRule, hold, type Event, type Outcome, type RuleContext } from 'holdpoint';
import { words } from './_words';
import { LIMIT } from './_deep/limit.ts';
import settings from './_settings.json';
import type { Word } from './_words.js';
import { upper } from './_upper.js';

enum Kind { Bad = 'bad', Good = 'good' }
interface Options<T> { readonly value: T }
const options: Options<Kind> = { value: Kind.Bad };
abstract class Base { constructor(protected readonly word: Word) {} }
class Found extends Base { text(): string { return this.word as string; } }

export default defineRule({
  name: 'typed',
  on: 'edit',
  decide(event: Event, ctx: RuleContext): Outcome | undefined {
    const text = (event.kind === 'tool.before' ? event.call.newText : undefined)!;
    const found = words.find((one) => text.includes(one)) satisfies string | undefined;
    if (found === undefined) return;
    return hold([upper(new Found(found).text()), LIMIT, settings.why, options.value, basename(ctx.paths[0]!)].join(' '));
  },
});
`,
    );
    rig.rule('_words.ts', "export type Word = string;\nexport const words: Word[] = ['fixme'];\n");
    rig.rule('_deep/limit.ts', "export { LIMIT } from '../_limit';\n");
    rig.rule('_limit.ts', 'export const LIMIT: number = 3;\n');
    rig.rule('_upper.ts', 'export function upper(text: string): string { return text.toUpperCase(); }\n');
    rig.rule('_settings.json', '{"why": "because"}');
    expect(isSilent(rig.edit('src/a.ts', 'fine'))).toBe(true);
    expect(deniedBecause(rig.edit('src/a.ts', 'a fixme'))).toContain('FIXME 3 because bad a.ts');
    // What a rule imports belongs to it.
    rig.rule('_words.ts', "export type Word = string;\nexport const words: Word[] = ['todo'];\n");
    expect(isSilent(rig.edit('src/a.ts', 'a fixme'))).toBe(true);
    expect(deniedBecause(rig.edit('src/a.ts', 'a todo'))).toContain('TODO');
  });

  it('tests, declarations and hidden files beside rules are none', () => {
    rig = rulesRig();
    rig.rule('no-a.ts', HOLD('no-a', 'No a.'));
    for (const name of ['no-a.test.ts', 'no-a.spec.ts', 'types.d.ts', '_part.ts', '.x.ts', 'README.md'])
      rig.rule(name, 'nonsense (');
    expect(rig.edit().stderr).toBe('');
  });

  const ESM = `{"name": "@acme/rules", "type": "module", "exports": {".": {"import": "./lib/index.js", "require": "./no.cjs"}}}`;
  const INDEX = `import { defineRule, hold } from 'holdpoint';
import { words } from './words.js';
export default [defineRule({ name: 'acme', on: 'edit', decide: () => hold('Acme says ' + words) })];
`;

  it.each(["rules: ['@acme/rules']\n", 'rules: {packages: ["@acme/rules"], acme: {mode: hold}}\n'])(
    'an ESM package with an exports map: %s',
    (config) => {
      rig = rulesRig(config);
      rig.write('node_modules/@acme/rules/package.json', ESM);
      rig.write('node_modules/@acme/rules/lib/index.js', INDEX);
      rig.write('node_modules/@acme/rules/lib/words.js', "export const words = 'no';\n");
      expect(deniedBecause(rig.edit())).toContain('Acme says no');
    },
  );

  it('a CommonJS package, one without `main`, and a rule that imports a package', () => {
    rig = rulesRig("rules: ['plain-rules', 'old-rules']\n");
    rig.write('node_modules/plain-rules/package.json', '{"name": "plain-rules", "main": "lib/main.cjs"}');
    rig.write(
      'node_modules/plain-rules/lib/main.cjs',
      "const { hold } = require('holdpoint');\nmodule.exports = { name: 'plain', on: 'push', decide: () => hold('No push.') };\n",
    );
    rig.write('node_modules/old-rules/package.json', '{"name": "old-rules"}');
    rig.write(
      'node_modules/old-rules/index.js',
      "const { hold } = require('holdpoint');\nexports.default = { name: 'old', on: 'commit', decide: () => hold('No commit.') };\n",
    );
    rig.write('node_modules/left/package.json', '{"name": "left", "main": "i.js"}');
    rig.write('node_modules/left/i.js', "module.exports = { word: 'left' };\n");
    rig.rule(
      'uses.ts',
      ruleText('uses', 'edit', 'return hold(word);').replace(
        'import type',
        "import { word } from 'left';\nimport type",
      ),
    );
    expect(deniedBecause(rig.bash('git push'))).toContain('No push.');
    expect(deniedBecause(rig.bash('git commit -m x'))).toContain('No commit.');
    expect(deniedBecause(rig.edit())).toContain('Held by rule `uses`: left');
  });

  it('a rule can find files beside its own', () => {
    rig = rulesRig();
    rig.rule('words.txt', 'forbidden');
    const text = ruleText(
      'a',
      'edit',
      "return hold(readFileSync(new URL('words.txt', import.meta.url), 'utf8'));",
    );
    rig.rule('a.ts', `import { readFileSync } from 'node:fs';\n${text}`);
    rig.rule(
      'b.js',
      "const { hold } = require('holdpoint');\nmodule.exports = { name: 'b', on: 'edit', decide: () => hold(__dirname) };\n",
    );
    const told = deniedBecause(rig.edit());
    expect(told).toContain('Held by rule `a`: forbidden');
    expect(told).toContain(`Held by rule \`b\`: ${rig.repo}/.holdpoint/rules`);
  });

  it('a `require` in a comment or a text is no import', () => {
    rig = rulesRig();
    rig.rule(
      'texts.ts',
      ruleText(
        'texts',
        'edit',
        `// Not require('./gone').\n    return hold("No require('left-pad') here.");`,
      ),
    );
    expect(deniedBecause(rig.edit())).toContain("No require('left-pad') here.");
  });

  it('a misspelt built-in rule is not taken for a package to install', () => {
    rig = rulesRig('version: 1\nrules: [no-secret]\n');
    const { stderr } = rig.holdpoint(['config']);
    expect(stderr).toContain('hint: did you mean `no-secrets`?');
    expect(stderr).not.toContain('npm install');
  });

  it('what is missing or wrong is named with its line, and the rest holds', () => {
    rig = rulesRig("version: 1\nrules:\n  packages: ['@acme/gone']\n  nobody: {mode: warn}\n  no-a: {}\n");
    rig.rule('no-a.ts', HOLD('no-a', 'No a.'));
    rig.rule('other.ts', HOLD('no-a', 'Again.'));
    rig.rule('odd.ts', ruleText('odd', 'edits', "return hold('x');"));
    rig.rule('asks.ts', `import x from 'not-there';\n${ruleText('asks', 'edit', 'return hold(x);')}`);
    rig.rule('far.ts', `import x from './nowhere';\n${ruleText('far', 'edit', 'return hold(x);')}`);
    const { stdout } = rig.edit();
    expect(stdout).toContain('Held by rule `no-a`');
    expect(stdout).not.toContain('Again.');
    const told = () => saidTo(rig.start()).text;
    expect(told()).toMatch(
      /rules\/odd\.ts:6:1: error: the rule `odd` is off: `on: edits` is unknown; did you mean `edit`\?/,
    );
    expect(told()).toMatch(/rules\/asks\.ts:1:16: error: .*`not-there`, which is not installed/);
    expect(told()).toMatch(/rules\/far\.ts:1:16: error: .*`\.\/nowhere`, which is not there/);
    expect(told()).toMatch(/config\.yaml:3:14: error: the rule package `@acme\/gone` is not installed/);
    for (const name of ['odd', 'asks', 'far']) rig.rule(`${name}.ts`, HOLD(name, 'x'));
    expect(told()).toMatch(/config\.yaml:4:3: error: there is no rule `nobody`/);
    expect(told()).toMatch(/rules\/other\.ts:1:1: error: .*\.holdpoint\/rules\/no-a\.ts has the same name/);
  });
});

it('a broken package is shown under its name, with the line that asks for it and the reason', () => {
  rig = rulesRig('rules:\n  packages:\n    - bad1\n    - bad2\n    - bad3\n    - bad4\n');
  const add = (name: string, text: string): void => {
    rig.write(`node_modules/${name}/package.json`, `{"name": "${name}", "main": "i.js"}`);
    rig.write(`node_modules/${name}/${name === 'bad3' ? 'other' : 'i'}.js`, text);
  };
  add('bad1', "throw new Error('oh no');\n");
  add('bad2', 'module.exports = 5;\n');
  add('bad3', '');
  add('bad4', "module.exports = [{ name: 'acme', on: 'push', decide() {} }, { name: 'no' }];\n");
  const { rules } = rig.holdpoint(['rules', '--json']).json as { rules: HostDocument[] };
  const file = '.holdpoint/config.yaml';
  const why = (text: string): unknown => expect.stringContaining(text);
  expect(rules).toMatchObject([
    { name: 'bad1', state: 'broken', file, why: why('node_modules/bad1/i.js:1:1: oh no') },
    { name: 'bad2', state: 'broken', file, why: why('node_modules/bad2/i.js:1:1: it exports no rule') },
    { name: 'bad3', state: 'broken', file, why: why('node_modules/bad3/i.js:1:1: there is no such file') },
    { name: 'acme', state: 'on' },
    { name: 'bad4', state: 'broken', file, why: why('rule 2 of 2: it exports no rule') },
  ]);
  const { stdout } = rig.holdpoint(['rules'], { env: { COLUMNS: '200' } });
  expect(stdout).toMatch(/^acme .* node_modules\/bad4\/i\.js:1$/m);
  const places = [1, 2, 3, 4].map((number) => stdout.indexOf(`${file}:${number + 2}:7: error`));
  expect(places).toEqual(places.slice().sort((a, b) => a - b));
  for (const number of [1, 2, 3, 4])
    expect(stdout).toContain(`${file}:${number + 2}:7: error: the rule package \`bad${number}\` is broken:`);
});

it('warns of files that look like rules and are not read', () => {
  rig = rulesRig();
  rig.rule(
    'a.ts',
    ruleText('a', 'edit', 'return hold(word);').replace(
      'import type',
      "import { word } from './lib/word';\nimport type",
    ),
  );
  rig.rule('lib/word.ts', "export const word = 'x';\n");
  for (const name of ['lib/a.test.ts', '_parts/b.ts', 'lib/_c.ts', 'README.md', 'LICENSE'])
    rig.rule(name, '');
  expect(rig.holdpoint(['rules']).stdout).not.toContain('Config problems');
  rig.rule('d.cjs', '');
  rig.rule('lib/e.ts', '');
  const { stdout } = rig.holdpoint(['rules']);
  for (const name of ['d.cjs', 'lib/e.ts'])
    expect(stdout).toContain(`.holdpoint/rules/${name}:1:1: warning: this is not read as a rule`);
  expect(stdout.match(/warning/g)).toHaveLength(2);
});

it('`rules new` refuses the names of built-in rules', () => {
  rig = rulesRig();
  for (const name of ['no-secrets', 'small-commits'])
    expect(rig.holdpoint(['rules', 'new', name])).toMatchObject({
      exitCode: 1,
      stderr: expect.stringContaining(`${name} is a built-in rule. Switch it on with`),
    });
  expect(rig.holdpoint(['rules', '--json']).json).toEqual({ rules: [] });
  expect(rig.holdpoint(['rules', 'new', 'no-fixme']).exitCode).toBe(0);
});

it('`rules new` says so where it cannot write, and writes nothing outside the project', () => {
  rig = rulesRig();
  rig.write('.holdpoint/rules', '');
  expect(rig.holdpoint(['rules', 'new', 'no-fixme'])).toMatchObject({
    exitCode: 2,
    stderr: expect.stringMatching(
      /^holdpoint rules new: \.holdpoint\/rules\/no-fixme\.ts could not be written/,
    ),
  });
  rmSync(join(rig.repo, '.holdpoint/rules'));
  symlinkSync(rig.tmp, join(rig.repo, '.holdpoint/rules'));
  expect(rig.holdpoint(['rules', 'new', 'no-fixme'])).toMatchObject({
    exitCode: 2,
    stderr: expect.stringContaining('a symlink leads outside the project'),
  });
  expect(existsSync(join(rig.tmp, 'no-fixme.ts'))).toBe(false);
});

describe('settings', () => {
  it('off, enabled: false, warn and shadow', () => {
    rig = rulesRig();
    rig.rule('no-a.ts', HOLD('no-a', 'No a.'));
    const answers = (config: string) => {
      rig.write('.holdpoint/config.yaml', config);
      return rig.edit();
    };
    expect(isSilent(answers('rules: {no-a: {enabled: false}}\n'))).toBe(true);
    const warned = answers('rules: {no-a: {mode: warn}}\n');
    expect(saidTo(warned)).toEqual({
      decision: undefined,
      text: expect.stringContaining('Rule `no-a`: No a.'),
    });
    expect(isSilent(answers('rules: {no-a: {mode: shadow}}\n'))).toBe(true);
    expect(deniedBecause(answers('rules: {no-a: {mode: hold}}\n'))).toContain('No a.');
  });

  it('a mode in the rule itself, which the config may change', () => {
    rig = rulesRig();
    rig.rule('quiet.ts', ruleText('quiet', 'edit', "return hold('Quiet.');", "  mode: 'shadow',\n"));
    expect(isSilent(rig.edit())).toBe(true);
    rig.write('.holdpoint/config.yaml', 'rules: {quiet: {mode: hold}}\n');
    expect(deniedBecause(rig.edit())).toContain('Quiet.');
  });

  it('built-in rules are off until they are named', () => {
    rig = rulesRig('requirements: {}\n');
    expect(isSilent(rig.bash('git commit -m "Update stuff"'))).toBe(true);
    rig.write('.holdpoint/config.yaml', "rules: ['conventional-commits']\n");
    expect(deniedBecause(rig.bash('git commit -m "Update stuff"'))).toContain('conventional-commits');
    const commit = eventsIn(rig).pre('Bash', { command: 'git commit -m "Update stuff"' });
    rig.write('event.json', JSON.stringify(commit));
    const explained = (): string => rig.holdpoint(['explain', 'event.json']).stdout;
    expect(explained()).toContain('conventional-commits (.holdpoint/config.yaml:1:9)');
    rig.write('.holdpoint/config.yaml', 'version: 1\nrules:\n  conventional-commits: {}\n');
    expect(explained()).toContain('conventional-commits (.holdpoint/config.yaml:3:3)');
    rig.write('.holdpoint/config.yaml', 'rules: {conventional-commits: {mode: warn}, no-secrets: {}}\n');
    expect(saidTo(rig.bash('git commit -m "Update stuff"')).decision).toBeUndefined();
  });
});

describe('when rules are asked', () => {
  it('on: edit, by any tool', () => {
    rig = rulesRig();
    rig.rule(
      'no-src.ts',
      ruleText(
        'no-src',
        'edit',
        "if (ctx.paths.some((path) => path.endsWith('/src/a.ts'))) return hold(ctx.effects.map(({ kind }) => kind).join());",
      ),
    );
    expect(deniedBecause(rig.edit())).toContain('edit');
    for (const command of [
      "sed -i 's/a/b/' src/a.ts",
      'echo x > src/a.ts',
      'rm src/a.ts',
      'cd src && tee a.ts',
    ])
      expect(deniedBecause(rig.bash(command))).toContain('edit');
    expect(deniedBecause(rig.mcp('mcp__fs__write_file', { path: 'src/a.ts', content: '' }))).toContain(
      'edit',
    );
    expect(isSilent(rig.edit('src/b.ts'))).toBe(true);
    expect(isSilent(rig.bash('cat src/a.ts'))).toBe(true);
    expect(isSilent(rig.edit('/tmp/elsewhere.ts'))).toBe(true);
  });

  it('on: commit and push, however they are written', () => {
    rig = rulesRig();
    rig.rule(
      'no-git.ts',
      ruleText(
        'no-git',
        "['commit', 'push']",
        "return hold(ctx.commands.map((one) => [one.program, ...one.arguments].join(' ')).join('; '));",
      ),
    );
    expect(deniedBecause(rig.bash('git commit -m x'))).toContain('git commit -m x');
    expect(deniedBecause(rig.bash('g""it -C . commit -m x'))).toContain('git commit -m x');
    expect(deniedBecause(rig.bash('npm test && git push origin main'))).toContain(
      'npm test; git push origin main',
    );
    expect(isSilent(rig.bash('git status'))).toBe(true);
    expect(isSilent(rig.bash('echo git commit'))).toBe(true);
  });

  it('on: kinds of events', () => {
    rig = rulesRig();
    rig.rule(
      'prompts.ts',
      ruleText(
        'prompts',
        'prompt.submit',
        "if (event.kind === 'prompt.submit' && event.text.includes('deploy')) return advise('Read deploy.md.');",
      ),
    );
    rig.rule(
      'ends.ts',
      ruleText(
        'ends',
        'turn.stop',
        "return event.kind === 'turn.stop' && event.lastMessage === 'unfinished' ? hold('Finish it.') : undefined;",
      ),
    );
    rig.rule(
      'after.ts',
      ruleText(
        'after',
        'tool.after',
        "if (event.kind === 'tool.after' && event.call.op === 'shell') return advise('It was ' + event.outcome);",
      ),
    );
    rig.rule('begins.ts', ruleText('begins', 'session.start', "return advise('Hello on ' + ctx.branch);"));
    rig.rule(
      'reads.ts',
      ruleText(
        'reads',
        'tool.before',
        "if (event.kind === 'tool.before' && event.call.op === 'read') return hold('Not this file.');",
      ),
    );
    expect(saidTo(rig.prompt('deploy it')).text).toContain('Read deploy.md.');
    expect(isSilent(rig.prompt('test it'))).toBe(true);
    expect(heldBecause(rig.stop({ last_assistant_message: 'unfinished' }))).toContain('Finish it.');
    expect(isSilent(rig.stop({ last_assistant_message: 'done' }))).toBe(true);
    expect(saidTo(rig.after('Bash', { command: 'ls' })).text).toContain('It was success');
    expect(
      saidTo(
        rig.hook({
          session_id: OTHER_SESSION,
          hook_event_name: 'SessionStart',
          source: 'startup',
          cwd: rig.repo,
        }),
      ).text,
    ).toContain('Hello on feature/auth');
    expect(deniedBecause(rig.mcp('Read', { file_path: `${rig.repo}/src/a.ts` }))).toContain('Not this file.');
  });

  it('where nobody is asked, the agent does not read what only the person can do', () => {
    rig = rulesRig();
    rig.rule('asks.ts', ruleText('asks', 'edit', "return ask('Really?');"));
    const askUser = 'Tell the user what you want to do; they can do it themselves.';
    const given = (path: string) =>
      codex.denied(rig.hook(codex.edit(rig.repo, path), { args: ['--host', 'codex'] }));
    expect(saidTo(rig.edit()).text).toContain(ALLOW);
    expect(given('src/a.ts')).toContain('Rule `asks` asks: Really?\nNothing was changed yet.\n');
    expect(given('src/a.ts')).toContain(askUser);
    expect(given('src/a.ts')).not.toContain(ALLOW);
    rig.rule('holds.ts', ruleText('holds', 'edit', "return hold('No.');"));
    const both = [given('.holdpoint/config.yaml'), deniedBecause(rig.edit('.holdpoint/config.yaml'))];
    for (const text of both) {
      expect(text).toContain('.holdpoint/config.yaml decides what Holdpoint holds');
      expect(text).not.toContain(ALLOW);
    }
  });

  it('ask, advise, nothing, and several at once', () => {
    rig = rulesRig();
    rig.rule(
      'asks.ts',
      ruleText('asks', 'edit', "if (ctx.paths[0]?.endsWith('a.ts')) return ask('Really?');"),
    );
    rig.rule('tells.ts', ruleText('tells', 'edit', "return advise('Mind the style.');"));
    rig.rule(
      'holds.ts',
      ruleText('holds', 'edit', "if (ctx.paths[0]?.endsWith('c.ts')) return hold('No.');"),
    );
    expect(saidTo(rig.edit('src/a.ts'))).toEqual({
      decision: 'ask',
      text: expect.stringContaining('Rule `asks` asks: Really?\nNothing was changed yet.'),
    });
    expect(saidTo(rig.edit('src/b.ts'))).toEqual({
      decision: undefined,
      text: expect.stringContaining('Mind the style.'),
    });
    const both = deniedBecause(rig.edit('src/c.ts'));
    expect(both).toContain('Held by rule `holds`: No.');
    expect(both).toContain('Mind the style.');
  });

  it('advice at the end of a turn reaches the person, since no host passes it on to the agent', () => {
    rig = rulesRig();
    rig.rule('tells.ts', ruleText('tells', 'turn.stop', "return advise('Mind the style.');"));
    const { json } = rig.stop();
    expect(json).toMatchObject({ systemMessage: 'Holdpoint: Rule `tells`: Mind the style.' });
    expect(json).not.toHaveProperty('decision');
  });

  it('the end of a turn is held three times a prompt at most', () => {
    rig = rulesRig();
    rig.rule('never.ts', ruleText('never', 'turn.stop', "return hold('Never content.');"));
    const held = (prompt: string) =>
      [1, 2, 3, 4, 5].map(() => saidTo(rig.stop({ prompt_id: prompt })).decision === 'block');
    rig.prompt('first');
    expect(held('p1')).toEqual([true, true, true, false, false]);
    rig.prompt('second');
    expect(held('p2')).toEqual([true, true, true, false, false]);
  });
});

describe('what rules see', () => {
  it('state is kept for the rule and the session, projectState for the project', () => {
    rig = rulesRig();
    const count = `const state = ctx.state as { n?: number }; const all = ctx.projectState as { n?: number };
    state.n = (state.n ?? 0) + 1; all.n = (all.n ?? 0) + 1;
    return advise(\`\${state.n}/\${all.n}\`);`;
    rig.rule('one.ts', ruleText('one', 'edit', count));
    rig.rule(
      'two.ts',
      ruleText('two', 'edit', 'return advise(JSON.stringify([ctx.state, ctx.projectState]));'),
    );
    const said = (more = {}) => saidTo(rig.edit('src/a.ts', 'x', more)).text;
    expect(said()).toContain('Rule `one`: 1/1');
    expect(said()).toContain('Rule `one`: 2/2');
    const other = said({ session_id: OTHER_SESSION });
    expect(other).toContain('Rule `one`: 1/3');
    expect(other).toContain('Rule `two`: [{},{}]');
  });

  it('earlier calls of the session', () => {
    rig = rulesRig();
    rig.rule(
      'tested.ts',
      ruleText(
        'tested',
        'commit',
        "return ctx.history.some((call) => call.outcome === 'success' && call.commands.some((one) => one.program === 'npm' && one.arguments[0] === 'test')) ? undefined : hold(JSON.stringify(ctx.history.map(({ tool, op, paths }) => [tool, op, paths.length])));",
      ),
    );
    expect(deniedBecause(rig.bash('git commit -m x'))).toContain('[]');
    rig.after('Edit', { file_path: `${rig.repo}/src/a.ts`, old_string: 'a', new_string: 'b' });
    rig.after('Bash', { command: "sed -i 's/a/b/' src/a.ts" });
    rig.after('Bash', { command: 'npm test' }, { session_id: OTHER_SESSION });
    expect(deniedBecause(rig.bash('git commit -m x'))).toContain('[["Edit","edit",1],["Bash","shell",1]]');
    rig.after('Bash', { command: 'CI=1 npm test 2>&1 | tail' });
    expect(isSilent(rig.bash('git commit -m x'))).toBe(true);
  });

  it('earlier commands with the directory they ran in', () => {
    rig = rulesRig();
    rig.write('docs/a.md', 'x');
    rig.rule(
      'where.ts',
      ruleText('where', 'edit', 'return hold(ctx.history.map((call) => call.commands[0]?.cwd).join());'),
    );
    rig.after('Bash', { command: 'git add .' }, { cwd: `${rig.repo}/docs` });
    rig.after('Bash', { command: 'git add .' });
    expect(deniedBecause(rig.edit())).toContain(`${rig.repo}/docs,${rig.repo}\n`);
  });

  it('files, the root and the branch; nothing of the event can be changed', () => {
    rig = rulesRig();
    rig.write('notes/plan.md', 'the plan');
    rig.rule(
      'a-bad.ts',
      ruleText('a-bad', 'edit', "try { (event as { cwd: string }).cwd = '/'; } catch { return; }"),
    );
    rig.rule(
      'reads.ts',
      ruleText(
        'reads',
        'edit',
        "return hold([ctx.read('notes/plan.md'), ctx.read(ctx.root + '/notes/plan.md'), ctx.read('none.md'), ctx.read('src'), ctx.branch, event.cwd === ctx.root].join('|'));",
      ),
    );
    expect(deniedBecause(rig.edit())).toContain('the plan|the plan|||feature/auth|true');
  });
});
