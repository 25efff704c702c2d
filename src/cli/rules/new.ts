import { spawnSync } from 'node:child_process';
import { existsSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { guardConfig, loadConfig } from '../../core/project';
import { BUILT_IN } from '../../guards/rules/built-in';
import { RULES_DIR } from '../../guards/rules/compile';
import type { RulesConfig } from '../../guards/rules/config';
import {
  type Context,
  cannotRun,
  type ExitCode,
  type Options,
  Refusal,
  refusingWith,
  report,
} from '../context';
import { writeNewFiles } from '../gates/init-files';
import { requireProject } from '../project';
import { printJson } from '../ui/output';

/** `holdpoint rules new NAME`: a commented rule and its test. */
export function newRule(context: Context, _options: Options, [name]: readonly string[]): ExitCode {
  if (name === undefined) throw cannotRun('holdpoint rules new: give the rule a name, such as no-fixme.');
  if (!/^[a-z0-9][a-z0-9-]*$/.test(name) || name === 'packages')
    throw cannotRun(
      `holdpoint rules new: '${name}' is not a valid rule name; use lower-case letters, digits and dashes.`,
    );
  if (BUILT_IN.some((rule) => rule.name === name))
    throw new Refusal(
      `holdpoint rules new: ${name} is a built-in rule. Switch it on with \`rules: {${name}: {}}\` in .holdpoint/config.yaml, or choose another name.`,
    );
  const project = requireProject(context);
  const known = guardConfig(loadConfig(project, context.chunks), 'rules') as RulesConfig | undefined;
  const taken = known?.rules.find((rule) => rule.name === name);
  const files = { rule: `${RULES_DIR}/${name}.ts`, test: `${RULES_DIR}/${name}.test.ts` };
  const there = Object.values(files).find((file) => existsSync(join(project.root, file))) ?? taken?.file;
  if (there !== undefined)
    throw new Refusal(`holdpoint rules new: there is a rule ${name} already (${there}).`);
  refusingWith('holdpoint rules new: ', () =>
    writeNewFiles(project.root, [
      { path: files.rule, text: ruleText(name) },
      { path: files.test, text: testText(name) },
    ]),
  );
  return report(context, files, [
    `Written: ${files.rule}`,
    `         ${files.test}`,
    'The rule counts from the next event on. Edit it, and run its test with `holdpoint rules test`.',
  ]);
}

function ruleText(name: string): string {
  return `import { defineRule, hold } from 'holdpoint';

export default defineRule({
  name: '${name}',
  // When it is asked: an effect of a call (edit, commit, push, merge, pr, delete, network, config),
  // or an event (tool.before, tool.after, prompt.submit, turn.stop, session.start, …). One or a list.
  on: 'edit',
  description: 'No FIXME in what is written.',
  // 'shadow' only records, 'warn' tells the agent, 'hold' holds.
  mode: 'hold',
  // ctx has: commands, effects, paths, branch, root, history, read(path), state, projectState.
  decide(event, ctx) {
    if (event.kind !== 'tool.before') return;
    if (!event.call.newText?.includes('FIXME')) return;
    // The agent reads this: say what is wrong and what to do.
    return hold(\`\${ctx.paths.join(', ')} would get a FIXME. Finish it now, or tell the user what is open.\`);
  },
});
`;
}

function testText(name: string): string {
  return `import assert from 'node:assert/strict';
import { test } from 'node:test';
import { testRule } from 'holdpoint/testing';
import rule from './${name}.ts';

const write = (content: string) => ({ tool: 'Write', input: { file_path: 'src/a.ts', content } });

test('a FIXME is held', async () => {
  const { kind, reason } = await testRule(rule, write('// FIXME later'));
  assert.equal(kind, 'hold');
  assert.match(reason ?? '', /FIXME/);
});

test('anything else passes', async () => {
  assert.deepEqual(await testRule(rule, write('const a = 1;')), { kind: 'nothing' });
});
`;
}

const TEST_FILE = /^(.*)\.(?:test|spec)\.m?[jt]s$/;

/** `holdpoint rules test [NAME...]`: runs the tests of the project's rules with Node's own test runner. */
export function testRules(context: Context, _options: Options, names: readonly string[]): ExitCode {
  const { root } = requireProject(context);
  const dir = join(root, RULES_DIR);
  const files = (existsSync(dir) ? readdirSync(dir) : []).filter((file) => TEST_FILE.test(file)).sort();
  const nameOf = (file: string): string => TEST_FILE.exec(file)?.[1] ?? '';
  const missing = names.find((name) => !files.some((file) => nameOf(file) === name));
  if (missing !== undefined)
    throw new Refusal(`holdpoint rules test: ${RULES_DIR} has no test of ${missing}.`);
  if (files.length === 0)
    throw new Refusal(
      `holdpoint rules test: ${RULES_DIR} has no tests. \`holdpoint rules new NAME\` writes a rule with one.`,
    );
  const chosen = files.filter((file) => names.length === 0 || names.includes(nameOf(file)));
  const setup = fileURLToPath(new URL('../api/test-setup.mjs', import.meta.url));
  const tests = chosen.map((file) => {
    const args = ['--no-warnings', '--import', setup, '--test-reporter', 'spec', join(dir, file)];
    const stdio = context.json ? 'ignore' : 'inherit';
    const { status } = spawnSync(process.execPath, args, { cwd: root, stdio, env: { ...context.env } });
    return { file: `${RULES_DIR}/${file}`, passed: status === 0 };
  });
  if (context.json) printJson({ tests });
  return tests.every(({ passed }) => passed) ? 0 : 1;
}
