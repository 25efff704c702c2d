import { execFileSync } from 'node:child_process';
import {
  chmodSync,
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { dirname, join } from 'node:path';
import type { GatesConfig, ReviewGate } from '../../../../src/guards/gates/config';
import type { RunRequest } from '../../../../src/guards/gates/run/run';
import type { RunResult } from '../../../../src/guards/gates/run-result';
import { entry, gates, review } from '../configs';
import { type GatesProject, makeGatesProject } from '../run/gates-project';

/** What a reviewer was called with. */
export interface Call {
  readonly args: readonly string[];
  readonly prompt: string;
  readonly env: Readonly<Record<string, string>>;
}

/** A project with reviewers that are scripts, on a PATH that has no others. */
export interface ReviewProject extends GatesProject {
  readonly path: string;
  /** Puts a program of that name on the PATH; `script` is what it does after its input is noted. */
  reviewer(program: string, script: string): void;
  /** The same, printing one answer. */
  answers(program: string, answer: unknown): void;
  calls(program: string): readonly Call[];
  /** A review's file, by name. */
  file(name: string): ReviewFile;
  /** Marks the violations of a review's file as the agent would. */
  mark(name: string, mark: (violation: Entry, at: number) => Entry): void;
  reviewRun(
    parts?: Partial<ReviewGate>,
    config?: Partial<GatesConfig>,
    more?: Partial<RunRequest>,
  ): Promise<RunResult>;
}

export type Entry = Readonly<Record<string, unknown>>;
export interface ReviewFile {
  readonly adapter: string;
  readonly timestamp: string;
  readonly status: string;
  readonly rawOutput: string;
  readonly violations: readonly Entry[];
  readonly passIteration?: number;
}

const TOOLS = ['git', 'sh', 'cat', 'env', 'sleep', 'ls', 'wc', 'mkdir'];

export const PASS = { status: 'pass', message: 'fine' };

export function fail(...violations: readonly Entry[]): Entry {
  return { status: 'fail', violations };
}

/** An objection to the first line of the file that the project has changed. */
export function violation(parts: Entry = {}): Entry {
  return {
    file: 'src/a.txt',
    line: 1,
    issue: 'Two is too much',
    fix: 'Say one',
    priority: 'high',
    status: 'new',
    ...parts,
  };
}

export function makeReviewProject(): ReviewProject {
  const project = makeGatesProject();
  const bin = join(dirname(project.root), 'bin');
  const notes = join(dirname(project.root), 'notes');
  for (const dir of [bin, notes]) mkdirSync(dir);
  for (const tool of TOOLS) symlinkSync(whereIs(tool), join(bin, tool));
  const env = { ...project.env, PATH: bin };
  const reviewer = (program: string, script: string): void => {
    const dir = join(notes, program);
    const lines = [
      '#!/bin/sh',
      `mkdir -p '${dir}'; n=1; while ! mkdir '${dir}'/$n 2>/dev/null; do n=$((n + 1)); done`,
      `for one; do printf '%s\\n' "$one"; done > '${dir}'/$n/args`,
      `env > '${dir}'/$n/env; cat > '${dir}'/$n/prompt`,
      script,
    ];
    writeFileSync(join(bin, program), `${lines.join('\n')}\n`);
    chmodSync(join(bin, program), 0o755);
  };
  const noted = (program: string, call: string, what: string): string =>
    readFileSync(join(notes, program, call, what), 'utf8');
  const fileOf = (name: string): string => join(project.logDir, name);
  return {
    ...project,
    path: bin,
    env,
    reviewer,
    answers: (program, answer) => {
      const text = typeof answer === 'string' ? answer : JSON.stringify(answer);
      const file = join(bin, `${program}.answer`);
      writeFileSync(file, text);
      reviewer(program, `cat '${file}'`);
    },
    calls: (program) =>
      (existsSync(join(notes, program)) ? readdirSync(join(notes, program)) : [])
        .sort((a, b) => Number(a) - Number(b))
        .map((call) => ({
          args: noted(program, call, 'args').split('\n').slice(0, -1),
          prompt: noted(program, call, 'prompt'),
          env: Object.fromEntries(
            noted(program, call, 'env')
              .split('\n')
              .map((line) => [line.slice(0, line.indexOf('=')), line.slice(line.indexOf('=') + 1)]),
          ),
        })),
    file: (name) => JSON.parse(readFileSync(fileOf(name), 'utf8')),
    mark: (name, mark) => {
      const content = JSON.parse(readFileSync(fileOf(name), 'utf8'));
      const violations = content.violations.map(mark);
      writeFileSync(fileOf(name), JSON.stringify({ ...content, violations }));
    },
    reviewRun: (parts = {}, config = {}, more = {}) =>
      project.run(
        gates({
          entryPoints: [entry({ path: 'src', reviews: ['q'] })],
          reviews: [review('q', { cache: false, ...parts })],
          ...config,
        }),
        { env, ...more },
      ),
  };
}

const places = new Map<string, string>();

function whereIs(tool: string): string {
  const known = places.get(tool);
  if (known !== undefined) return known;
  const found = execFileSync('/bin/sh', ['-c', `command -v ${tool}`], { encoding: 'utf8' }).trim();
  places.set(tool, found);
  return found;
}
