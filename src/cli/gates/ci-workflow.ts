import { asBlock } from '../../config/edit-yaml';
import type { JsonObject } from '../../core/json';

/** What the first line of a workflow of ours begins with: such a file may be written anew. */
export const WORKFLOW_MARK = '# Written by `agent-gauntlet ci init`';

/**
 * The workflow for GitHub Actions. Commands travel in variables, never inside a script, so that no sign in
 * them can mean anything to the shell that starts them.
 */
export function workflowText(services: JsonObject, version: string): string {
  return [
    `${WORKFLOW_MARK}, which writes it anew; what differs from project to project stands in ci.yml.`,
    ...HEAD,
    ...discoverJob(version),
    ...CHECKS_JOB,
    ...servicesLines(services),
    ...CHECKS_STEPS,
    '',
  ].join('\n');
}

const HEAD = `name: gauntlet

on:
  pull_request:
  push:
    branches: [main, master]

permissions:
  contents: read

jobs:`.split('\n');

function discoverJob(version: string): string[] {
  return `  discover:
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
        run: |
          set -o pipefail
          npx --yes --package=holdpoint@${version} agent-gauntlet ci list-jobs > "$RUNNER_TEMP/jobs.json"
          echo "matrix=$(jq -c .matrix "$RUNNER_TEMP/jobs.json")" >> "$GITHUB_OUTPUT"
          echo "runtimes=$(jq -c .runtimes "$RUNNER_TEMP/jobs.json")" >> "$GITHUB_OUTPUT"
`.split('\n');
}

const CHECKS_JOB = `  checks:
    needs: discover
    if: needs.discover.outputs.matrix != '[]'
    name: \${{ matrix.job.id }}
    runs-on: ubuntu-latest
    strategy:
      fail-fast: false
      matrix:
        job: \${{ fromJson(needs.discover.outputs.matrix) }}`.split('\n');

/** GitHub starts services for a whole job, so each check has all of them. */
function servicesLines(services: JsonObject): string[] {
  if (Object.keys(services).length === 0) return [];
  return asBlock({ services }, '1.2').map((line) => `    ${line}`);
}

const CHECKS_STEPS = `    env:
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
        run: sh -c "$CHECK_COMMAND"`.split('\n');
