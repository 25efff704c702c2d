import { readdirSync, readFileSync } from 'node:fs';
import { availableParallelism } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { EDIT, eventsIn } from '../e2e/events';
import { deniedBecause, type Ended, runLater } from '../e2e/rig';
import { type Case, fixedCases, randomCase } from './documents';
import { seededRandom } from './random';
import { makeSandbox, type Sandbox } from './sandbox';

const SEED = Number(process.env['FUZZ_SEED'] ?? 20_251_115);
const CASES = 2100;
const LONGEST_MS = 10_000;

let sandbox: Sandbox;
beforeAll(() => {
  sandbox = makeSandbox();
});
afterAll(() => sandbox.remove());

/** What is wrong with an answer; nothing when all is well. */
function faultsOf({ stdout, stderr, exitCode, json }: Ended): string[] {
  const isObject = typeof json === 'object' && json !== null && !Array.isArray(json);
  const faults: [boolean, string][] = [
    [exitCode !== 0 && exitCode !== 2, `exit code ${exitCode}`],
    [stdout !== '' && !isObject, 'stdout is no JSON object'],
    [stdout !== '' && stdout.indexOf('\n') !== stdout.length - 1, 'stdout is not one line'],
    [stderr.includes('\n    at '), 'a stack trace on stderr'],
    [stderr.split('\n').length > 11, 'more than ten lines on stderr'],
    [stderr.includes('mistake of ours'), 'something threw'],
  ];
  return faults.filter(([wrong]) => wrong).map(([, fault]) => fault);
}

async function runAll(cases: readonly Case[]): Promise<string[]> {
  const options = { cwd: sandbox.stand, env: sandbox.environment(), timeout: LONGEST_MS };
  const failures: string[] = [];
  const queue = cases.entries();
  const work = async (): Promise<void> => {
    for (const [index, { what, input }] of queue) {
      const ended = await runLater('hook', [], input, options);
      const shown = `case ${index}, ${what}: ${Buffer.from(input).toString('utf8').slice(0, 400)}`;
      for (const fault of faultsOf(ended))
        failures.push(`${fault} | ${shown} | ${ended.stderr.slice(0, 400)}`);
    }
  };
  await Promise.all(Array.from({ length: 2 * availableParallelism() }, work));
  return failures;
}

describe('whatever comes on standard input', () => {
  it(`is answered properly, and nothing else is touched (FUZZ_SEED=${SEED})`, {
    timeout: 300_000,
  }, async () => {
    const random = seededRandom(SEED);
    const cases = fixedCases(sandbox);
    while (cases.length < CASES) cases.push(randomCase(sandbox, random));
    const before = sandbox.surroundings();
    expect(await runAll(cases)).toEqual([]);
    expect(sandbox.surroundings()).toEqual(before);
    expect(readdirSync(join(sandbox.home, '.claude'))).toEqual(['sessions.json']);
    expect(() => JSON.parse(readFileSync(join(sandbox.home, '.claude/sessions.json'), 'utf8'))).not.toThrow();
  });

  it('leaves a hook that decides as before', () => {
    const session = { session_id: 'fffffff1-after' };
    const edit = eventsIn(sandbox).pre('Edit', EDIT, session);
    deniedBecause(sandbox.hook(edit));
    expect(sandbox.req(['satisfy', 'plan', '--session', session.session_id]).exitCode).toBe(0);
    expect(sandbox.hook(edit)).toMatchObject({ stdout: '', stderr: '', exitCode: 0 });
    deniedBecause(sandbox.hook(eventsIn(sandbox).pre('Edit', EDIT, { session_id: 'fffffff2-after' })));
  });
});
