import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { fail, type Result, succeed } from '../../core/failure';
import { sentenceOf } from '../../core/messages';
import type { GatesConfig } from '../../guards/gates/config';
import { writeConfigFile } from '../req/config-file';
import type { ExitCode, Verb } from '../verb';
import { readCi } from './ci-config';
import { WORKFLOW_MARK, workflowText } from './ci-workflow';
import * as say from './messages';
import { requireGates, showDiagnostics } from './project';

const WORKFLOW = '.github/workflows/gauntlet.yml';
/** GitHub reads only names that end in yml or yaml, so this one does nothing. */
const KEPT = `${WORKFLOW}.before`;

export const verb: Verb = {
  usage: 'holdpoint gates ci init [--json]',
  run(args, context): ExitCode {
    const { values } = parseArgs({
      args: [...args],
      options: { json: { type: 'boolean', default: false } },
    });
    const here = requireGates(context);
    if (here === undefined) return 2;
    const { file, ci, diagnostics } = readCi(here);
    showDiagnostics(diagnostics, context);
    if (diagnostics.some(({ severity }) => severity === 'error')) return 2;
    const plan = [
      ...(ci === undefined ? [{ path: file, text: firstCiFile(here.config) }] : []),
      ...workflowFiles(here.root, workflowText(ci?.services ?? {}, __VERSION__)),
    ];
    const written = writeAll(here.root, plan);
    if (!written.ok) {
      context.out.error(say.errorLine(written.failure));
      return 2;
    }
    if (values.json) context.out.json({ written: written.value });
    else for (const path of written.value) context.out.line(say.written(path));
    return 0;
  },
};

interface NewText {
  readonly path: string;
  readonly text: string;
}

/** A workflow that somebody else has written is kept beside the new one. */
function workflowFiles(root: string, text: string): NewText[] {
  const path = join(root, WORKFLOW);
  const before = existsSync(path) ? readFileSync(path, 'utf8') : undefined;
  if (before === text) return [];
  const isForeign = before !== undefined && !before.startsWith(WORKFLOW_MARK);
  return [...(isForeign ? [{ path: KEPT, text: before }] : []), { path: WORKFLOW, text }];
}

function writeAll(root: string, plan: readonly NewText[]): Result<readonly string[], string> {
  for (const { path, text } of plan) {
    const written = writeConfigFile({ base: root, path, yaml: '1.2' }, text);
    if (!written.ok) return fail(sentenceOf(written.failure));
  }
  return succeed(plan.map(({ path }) => path));
}

/** All checks that may run there, and a place for each thing that they may need. */
function firstCiFile({ checks }: GatesConfig): string {
  const names = checks.filter(({ runInCi }) => runInCi).map(({ name }) => name);
  return [
    '# What the checks need on a build server. `agent-gauntlet ci init` writes the workflow anew after a change',
    '# of services; everything else is read at every build.',
    '',
    'runtimes:',
    '  # node: { version: "22" }',
    '  # ruby: { version: "3.4", bundler_cache: true }',
    '',
    'services:',
    '  # postgres: { image: "postgres:17", ports: ["5432:5432"] }',
    '',
    '# Steps before every check.',
    'setup:',
    '  # - { name: Install, run: npm ci }',
    '',
    'checks:',
    ...names.flatMap((name) => [
      `  - name: ${JSON.stringify(name)}`,
      '    # requires_runtimes: [node]',
      '    # requires_services: [postgres]',
      '    # setup: [{ name: Prepare, run: ./prepare.sh }]',
    ]),
    '',
  ].join('\n');
}
