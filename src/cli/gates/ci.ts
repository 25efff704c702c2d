import { existsSync, readdirSync, readFileSync, statSync } from 'node:fs';
import { join, posix } from 'node:path';
import * as v from 'valibot';
import { asBlock } from '../../config/edit-yaml';
import { readConfig } from '../../config/read-config';
import { name, section } from '../../config/section';
import { attempt } from '../../core/failure';
import type { Json, JsonObject } from '../../core/json';
import { sentenceOf } from '../../core/messages';
import { isGlob } from '../../core/text';
import type { EntryPoint, GatesConfig } from '../../guards/gates/config';
import { childrenOf } from '../../guards/gates/detect';
import { type Context, cannotRun, type ExitCode, report } from '../context';
import { writeConfigFile } from '../req/config-file';
import { printError, printJson } from '../ui/output';
import { type ConfiguredGates, requireGates, showDiagnostics } from './project';

const json: v.GenericSchema<Json> = v.any();
const names = v.nullish(v.array(name));
const step = v.strictObject({
  name,
  run: name,
  working_directory: v.optional(name),
  // Accepted in files written for agent-gauntlet, which ignored it too.
  if: v.optional(v.union([v.string(), v.boolean()])),
});
const check = v.strictObject({
  name,
  requires_runtimes: names,
  requires_services: names,
  setup: v.nullish(v.array(step)),
});
const ciSchema = v.strictObject({
  runtimes: v.nullish(v.record(v.string(), json)),
  services: v.nullish(v.record(v.string(), json)),
  setup: v.nullish(v.array(step)),
  checks: v.nullish(v.array(check)),
});

type CiConfig = NonNullable<ReturnType<typeof readCi>['ci']>;

/** Reads `ci.yml` beside the gates' config. Only commands need it, so it is not in the compiled config. */
export function readCi({ root, config }: ConfiguredGates) {
  const file = `${config.home}/ci.yml`;
  if (!existsSync(join(root, file))) return { file, ci: undefined, diagnostics: [], hasErrors: false };
  const ciSection = section({
    guard: 'gates',
    keys: { ci: ciSchema },
    legacyOnly: ['ci'],
    files: [{ layer: 'project', base: 'project', path: file, yaml: '1.2', mount: (key) => ['ci', key] }],
    units: ['ci/checks/*', 'ci/setup/*'],
    tolerated: [],
    compile: () => undefined,
  });
  // No user config applies here, so pass a home that contains no files.
  const read = readConfig({ root, home: join(root, file), sections: [ciSection] });
  const diagnostics = read.diagnostics.filter(({ place }) => place.file === file);
  const { runtimes, services, setup, checks } = (read.valid['ci'] ?? {}) as v.InferOutput<typeof ciSchema>;
  const ci = { runtimes: runtimes ?? {}, services: services ?? {}, setup: setup ?? [], checks: checks ?? [] };
  return { file, ci, diagnostics, hasErrors: diagnostics.some(({ severity }) => severity === 'error') };
}

export function listJobs(context: Context): ExitCode {
  // Always prints JSON, with or without --json.
  const here = requireGates(context);
  const { root, config, errors } = here;
  const { file, ci, diagnostics, hasErrors } = readCi(here);
  if (ci === undefined)
    throw cannotRun(`${file} does not exist. Run \`holdpoint gates ci init\` to create it.`);
  showDiagnostics([...errors, ...diagnostics]);
  const unknown = ci.checks.filter((wanted) => config.checks.every((known) => known.name !== wanted.name));
  for (const wanted of unknown) printError(`${file}: error: unknown check "${wanted.name}"`);
  if (errors.length > 0 || hasErrors || unknown.length > 0) return 2;
  const steps = [...ci.setup, ...ci.checks.flatMap(({ setup }) => setup ?? [])];
  if (steps.some((one) => one.if !== undefined))
    printError(`Warning: \`if\` in a step of ${file} is ignored: the step always runs.`);
  printJson({ matrix: ciJobs(root, config, ci), services: ci.services, runtimes: ci.runtimes });
  return 0;
}

/** Each check of `ci.yml` at each entry point that has it; the same check in a directory is one job. */
function ciJobs(root: string, config: GatesConfig, ci: CiConfig) {
  const jobs = config.entryPoints.flatMap((entryPoint) =>
    pathsOf(root, entryPoint).flatMap((path) =>
      ci.checks.flatMap((wanted) => {
        const known = config.checks.find((one) => one.name === wanted.name);
        if (!known?.runInCi || !entryPoint.checks.includes(known.name)) return [];
        const job = {
          id: `${known.name}-${path.replaceAll('/', '-')}`,
          name: known.name,
          entry_point: path,
          working_directory: known.workingDirectory ?? directoryOf(root, path),
          command: known.command,
          runtimes: wanted.requires_runtimes ?? [],
          services: wanted.requires_services ?? [],
          setup: setupScript(wanted.setup ?? []),
          global_setup: setupScript(ci.setup),
        };
        return [job];
      }),
    ),
  );
  const keyOf = ({ name, working_directory: place }: (typeof jobs)[number]): string => `${name}:${place}`;
  return jobs.filter((job, at) => jobs.findIndex((other) => keyOf(other) === keyOf(job)) === at);
}

/** Expands a glob like `packages/*` to the directories there, without hidden ones and node_modules. */
function pathsOf(root: string, { path }: EntryPoint): string[] {
  const childOf = childrenOf(path);
  if (childOf === undefined) return [path];
  const parent = path.slice(0, path.lastIndexOf('/') + 1);
  const entries = attempt(() => readdirSync(join(root, parent), { withFileTypes: true })) ?? [];
  return entries
    .filter((entry) => entry.isDirectory() && !/^\.|^node_modules$/.test(entry.name))
    .flatMap(({ name }) => childOf(parent + name) ?? [])
    .sort();
}

/** Where a check without `working_directory` runs: in a file's directory, and for a glob at the root. */
function directoryOf(root: string, path: string): string {
  const stat = statSync(join(root, path), { throwIfNoEntry: false });
  if (stat?.isDirectory() === true) return path;
  if (isGlob(path)) return '.';
  return stat?.isFile() === true ? posix.dirname(path) : path;
}

/** The steps as one shell script, each a collapsible group in the CI log. */
function setupScript(steps: readonly v.InferOutput<typeof step>[]): string {
  return steps
    .map(({ name: title, run, working_directory: directory }) => {
      const lines = run.trimEnd();
      // Group several lines, or those after the first would run even if `cd` fails.
      const body = lines.includes('\n') ? `{\n${lines}\n}` : lines;
      const line = directory === undefined ? lines : `(cd ${quoted(directory)} && ${body})`;
      return `echo ${quoted(`::group::${title}`)}\n${line}\necho "::endgroup::"`;
    })
    .join('\n');
}

function quoted(text: string): string {
  return `"${text.replace(/[\\"$`]/g, '\\$&')}"`;
}

const WORKFLOW = '.github/workflows/gauntlet.yml';
/** GitHub ignores this file, since it reads only names that end in yml or yaml. */
const KEPT = `${WORKFLOW}.before`;

export function init(context: Context): ExitCode {
  const here = requireGates(context);
  const { file, ci, diagnostics, hasErrors } = readCi(here);
  showDiagnostics(diagnostics);
  if (hasErrors) return 2;
  const files = [
    ...(ci === undefined ? [{ path: file, text: firstCiFile(here.config) }] : []),
    ...workflowFiles(here.root, workflowText(ci?.services ?? {}, __VERSION__)),
  ];
  for (const { path, text } of files) {
    const written = writeConfigFile({ base: here.root, path, yaml: '1.2' }, text);
    if (!written.ok) throw cannotRun(`Error: ${sentenceOf(written.failure)}`);
  }
  const written = files.map(({ path }) => path);
  const lines = written.map((path) => `Wrote ${path}`);
  return report(context, { written }, lines);
}

/** A workflow written by someone else is kept beside the new one. */
function workflowFiles(root: string, text: string): { readonly path: string; readonly text: string }[] {
  const path = join(root, WORKFLOW);
  const before = existsSync(path) ? readFileSync(path, 'utf8') : undefined;
  if (before === text) return [];
  const isForeign = before !== undefined && !before.startsWith(WORKFLOW_MARK);
  return [...(isForeign ? [{ path: KEPT, text: before }] : []), { path: WORKFLOW, text }];
}

/** All checks that may run in CI, with commented examples of what they may need. */
function firstCiFile({ checks }: GatesConfig): string {
  const names = checks.filter(({ runInCi }) => runInCi).map(({ name }) => name);
  return [
    '# What the checks need in CI. Run `agent-gauntlet ci init` again after changing services; everything else is read',
    '# by every build.',
    '',
    'runtimes:',
    '  # node: { version: "22" }',
    '  # ruby: { version: "3.4", bundler_cache: true }',
    '',
    'services:',
    '  # postgres: { image: "postgres:17", ports: ["5432:5432"] }',
    '',
    '# Steps to run before every check.',
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

/** The first line of a generated workflow starts with this: such a file may be overwritten. */
const WORKFLOW_MARK = '# Written by `agent-gauntlet ci init`';

/**
 * The workflow for GitHub Actions. Commands are passed in environment variables, never inserted into a script, so
 * that the shell that starts them interprets no character in them.
 */
function workflowText(services: JsonObject, version: string): string {
  // GitHub starts services for a whole job, so each check has all of them.
  const serviceLines = Object.keys(services).length === 0 ? [] : asBlock({ services }, '1.2');
  return `${WORKFLOW_MARK}; do not edit. Project settings are in ci.yml.
name: gauntlet

on:
  pull_request:
  push:
    branches: [main, master]

permissions:
  contents: read

jobs:
  discover:
    runs-on: ubuntu-latest
    outputs:
      matrix: \${{ steps.jobs.outputs.matrix }}
      runtimes: \${{ steps.jobs.outputs.runtimes }}
    steps:
      - uses: actions/checkout@v4
      - uses: actions/setup-node@v4
        with:
          node-version: 22
      - id: jobs
        env:
          PACKAGE: \${{ vars.HOLDPOINT_PACKAGE || 'holdpoint@${version}' }}
        run: |
          set -o pipefail
          npx --yes --package="$PACKAGE" agent-gauntlet ci list-jobs > "$RUNNER_TEMP/jobs.json"
          echo "matrix=$(jq -c .matrix "$RUNNER_TEMP/jobs.json")" >> "$GITHUB_OUTPUT"
          echo "runtimes=$(jq -c .runtimes "$RUNNER_TEMP/jobs.json")" >> "$GITHUB_OUTPUT"

  checks:
    needs: discover
    if: needs.discover.outputs.matrix != '[]'
    name: \${{ matrix.job.id }}
    runs-on: ubuntu-latest
    strategy:
      fail-fast: false
      matrix:
        job: \${{ fromJson(needs.discover.outputs.matrix) }}
${serviceLines.map((line) => `    ${line}\n`).join('')}    env:
      GLOBAL_SETUP: \${{ matrix.job.global_setup }}
      CHECK_SETUP: \${{ matrix.job.setup }}
      CHECK_COMMAND: \${{ matrix.job.command }}
      BASE_BRANCH: origin/\${{ github.base_ref || github.event.repository.default_branch }}
    steps:
      - uses: actions/checkout@v4
        with:
          fetch-depth: 0
      - if: contains(matrix.job.runtimes, 'node')
        uses: actions/setup-node@v4
        with:
          node-version: \${{ fromJson(needs.discover.outputs.runtimes).node.version }}
      - if: contains(matrix.job.runtimes, 'ruby')
        uses: ruby/setup-ruby@v1
        with:
          ruby-version: \${{ fromJson(needs.discover.outputs.runtimes).ruby.version }}
          bundler-cache: \${{ fromJson(needs.discover.outputs.runtimes).ruby.bundler_cache || false }}
      - if: contains(matrix.job.runtimes, 'bun')
        uses: oven-sh/setup-bun@v2
        with:
          bun-version: \${{ fromJson(needs.discover.outputs.runtimes).bun.version }}
      - name: Set up the project
        if: matrix.job.global_setup != ''
        run: bash -euo pipefail -c "$GLOBAL_SETUP"
      - name: Set up the check
        if: matrix.job.setup != ''
        run: bash -euo pipefail -c "$CHECK_SETUP"
      - name: \${{ matrix.job.name }}
        working-directory: \${{ matrix.job.working_directory }}
        run: sh -c "$CHECK_COMMAND"
`;
}
