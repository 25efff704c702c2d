import { readdirSync, readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { availableParallelism } from 'node:os';
import { dirname, join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { succeed } from '../../src/core/failure';
import { answerHook } from '../../src/core/hook';
import { EDIT, eventsIn } from '../e2e/events';
import { commandFile, deniedBecause, type Ended, runLater } from '../e2e/rig';
import { times } from '../stress';
import { type Case, fixedCases, randomCase } from './documents';
import { seededRandom } from './random';
import { makeSandbox, type Sandbox } from './sandbox';

const SEED = Number(process.env['FUZZ_SEED'] ?? 20_251_115);
/** So many have a process of their own; the others share this one. */
const PROCESSES = times(25, 2100);
const CASES = times(400, 4000);
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
    [stderr.includes('internal error'), 'something threw'],
  ];
  return faults.filter(([wrong]) => wrong).map(([, fault]) => fault);
}

/** Of the cases of each kind every so-and-so-many-th, the first always. */
function ofEachKind(cases: readonly Case[], step: number): Case[] {
  const seen = new Map<string, number>();
  return cases.filter(({ what }) => {
    const before = seen.get(what) ?? 0;
    seen.set(what, before + 1);
    return before % step === 0;
  });
}

type Answer = (input: Case['input']) => Promise<Ended>;

const load = createRequire(import.meta.url);

/** The same function that a process calls, with the built chunks. */
async function answerHere(input: Case['input']): Promise<Ended> {
  const text = Buffer.from(input).toString('utf8');
  const { stdout, stderr, exitCode } = await answerHook({
    args: [],
    read: () => succeed(text),
    load: (chunk) => load(`${dirname(commandFile('hook'))}/${chunk}.cjs`),
    env: sandbox.environment(),
    now: Date.now(),
  });
  return { stdout, stderr, exitCode, json: stdout === '' ? undefined : JSON.parse(stdout) };
}

async function runAll(cases: readonly Case[], answer: Answer): Promise<string[]> {
  const failures: string[] = [];
  const queue = cases.entries();
  const work = async (): Promise<void> => {
    for (const [index, { what, input }] of queue) {
      const ended = await answer(input);
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
    const cases = ofEachKind(fixedCases(sandbox), times(5, 1));
    while (cases.length < CASES) cases.push(randomCase(sandbox, random));
    const before = sandbox.surroundings();
    const options = { cwd: sandbox.stand, env: sandbox.environment(), timeout: LONGEST_MS };
    const start: Answer = (input) => runLater('hook', [], input, options);
    // Every kind of case is among those that have a process, whatever their number.
    const step = Math.ceil(cases.length / PROCESSES);
    expect(
      await runAll(
        cases.filter((_, index) => index % step === 0),
        start,
      ),
    ).toEqual([]);
    expect(
      await runAll(
        cases.filter((_, index) => index % step !== 0),
        answerHere,
      ),
    ).toEqual([]);
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
