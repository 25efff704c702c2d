import { spawnSync } from 'node:child_process';
import { existsSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { RULES_DIR } from '../../guards/rules/compile';
import type { Context, ExitCode } from '../context';
import { openProjectOrRefuse } from '../project';
import type { Options } from '../req/context';
import { Refusal } from '../ui/refusal';

const TEST_FILE = /^(.*)\.(?:test|spec)\.m?[jt]s$/;

/** `holdpoint rules test [NAME...]`: runs the tests of the project's rules with Node's own test runner. */
export function testRules(context: Context, { json }: Options, names: readonly string[]): ExitCode {
  const { root } = openProjectOrRefuse(context);
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
    const stdio = json ? 'ignore' : 'inherit';
    const { status } = spawnSync(process.execPath, args, { cwd: root, stdio, env: { ...context.env } });
    return { file: `${RULES_DIR}/${file}`, passed: status === 0 };
  });
  if (json) context.out.json({ tests });
  return tests.every(({ passed }) => passed) ? 0 : 1;
}
