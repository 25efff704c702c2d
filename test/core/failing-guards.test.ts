import { afterEach, describe, expect, test } from 'vitest';
import type { Answer } from '../../src/core/verdict';
import {
  endEvent,
  makeRig,
  preTool,
  type Rig,
  type Scripted,
  SESSION,
  scriptedChunks,
  spoken,
  startEvent,
  stopEvent,
} from './rig';

let rig: Rig;
afterEach(() => rig.remove());
const play = (...guards: Scripted[]): Rig => {
  rig = makeRig(scriptedChunks(guards));
  return rig;
};

const boom = (): never => {
  throw new TypeError('boom\n    at somewhere');
};
const ground = [{ rule: 'r', fact: 'f' }];
const denies: Scripted = {
  name: 'workflow',
  decide: () => ({ kind: 'deny', reason: 'no', grounds: ground }),
};
/** Fails at tools only, so that the start of a session is quiet. */
const failsAtTools = { interests: [{ kind: 'tool.before' }] } as const;
const contextOf = (answer: Answer): unknown =>
  (spoken(answer) as { hookSpecificOutput?: { additionalContext?: string } }).hookSpecificOutput
    ?.additionalContext;

const part = { decide: boom };

describe('a guard that throws', () => {
  test('lets the event pass, with a line for people and one in the journal', async () => {
    const answer = await play({ name: 'gates', ...part }).send(preTool());
    expect(answer).toMatchObject({ stdout: '', exitCode: 0 });
    expect(answer.stderr).toBe('holdpoint: gates failed (boom); its rules were not checked.\n');
    expect(rig.journal()).toMatchObject([
      { decision: 'nothing', session: SESSION, event: 'PreToolUse', failures: [{ code: 'guard.threw' }] },
    ]);
  });

  test('marks the session, and the next session is told of it once', async () => {
    await play({ name: 'gates', ...failsAtTools, ...part }).send(preTool());
    expect(rig.record()?.degraded).toMatchObject([{ code: 'guard.threw', told: false }]);
    const next = { ...startEvent(), session_id: 'another-session' };
    const told = await rig.send(next);
    expect(contextOf(told)).toMatch(/failed in an earlier session .*guard\.threw gates boom/);
    expect(spoken(told)['systemMessage']).toMatch(/guard\.threw/);
    expect((await rig.send(next)).stdout).toBe('');
  });

  test('is told of again when it happens again', async () => {
    await play({ name: 'gates', ...failsAtTools, ...part }).send(preTool());
    await rig.send(startEvent());
    await rig.send(preTool());
    expect(contextOf(await rig.send(startEvent('resume')))).toMatch(/guard\.threw/);
  });

  test('is told of though its session has ended in between', async () => {
    await play({ name: 'gates', ...failsAtTools, ...part }).send(preTool());
    await rig.send(endEvent());
    expect(contextOf(await rig.send({ ...startEvent(), session_id: 'another' }))).toMatch(/guard\.threw/);
    expect(rig.record()).toBeUndefined();
  });

  test('does not keep the others from speaking', async () => {
    expect(spoken(await play({ name: 'requirements', ...part }, denies).send(preTool()))).toMatchObject({
      hookSpecificOutput: { permissionDecision: 'deny' },
    });
  });

  test('with `on_error: hold` denies a tool, and says what a person can do', async () => {
    const answer = await play({ name: 'gates', onError: 'hold', ...part }).send(preTool());
    expect(answer.stdout).toContain('"permissionDecision":"deny"');
    expect(answer.stdout).toContain('guards.gates.on_error: allow');
    expect(rig.record()?.degraded).toMatchObject([{ code: 'guard.threw' }]);
  });

  test('with `on_error: hold` holds a stop once a prompt', async () => {
    play({ name: 'gates', onError: 'hold', ...part });
    const decisions: unknown[] = [];
    for (const facts of [
      { prompt_id: 'p1' },
      { prompt_id: 'p1', stop_hook_active: true },
      { prompt_id: 'p1', stop_hook_active: true, last_assistant_message: 'other' },
      { prompt_id: 'p2' },
    ]) {
      decisions.push(spoken(await rig.send(stopEvent(facts)))['decision']);
    }
    expect(decisions).toEqual(['block', undefined, undefined, 'block']);
  });

  test('with `on_error: hold` holds no stop that nobody can count', async () => {
    const answer = await play({ name: 'gates', onError: 'hold', ...part }).send(
      stopEvent({ session_id: '' }),
    );
    expect(answer).toMatchObject({ stdout: '', exitCode: 0 });
    expect(answer.stderr).toContain('gates failed');
  });

  test('with `on_error: hold` holds nothing else', async () => {
    play({ name: 'gates', onError: 'hold', ...part });
    const answer = await rig.send({ hook_event_name: 'UserPromptSubmit', prompt: 'hello', prompt_id: 'p1' });
    expect(answer).toMatchObject({ stdout: '', exitCode: 0 });
  });
});

describe('a change that cannot be made', () => {
  const ref = (path: string) => ({ base: 'git', path, format: 'json', durability: 'durable' }) as const;
  const careless: Scripted = {
    name: 'requirements',
    decide: (_event, _config, { change }) => {
      change({ document: ref('a.json'), what: 'a', apply: boom });
      return { kind: 'nothing' };
    },
  };
  const careful: Scripted = {
    ...denies,
    decide: (_event, _config, { change }) => {
      change({ document: ref('b.json'), what: 'b', apply: () => 'b' });
      return { kind: 'deny', reason: 'no', grounds: ground };
    },
  };

  test('because it throws takes neither the deny of another guard with it nor its change', async () => {
    const answer = await play(careless, careful).send(preTool());
    expect(answer.stdout).toContain('"permissionDecision":"deny"');
    expect(answer.stderr).toMatch(/a\.json could not be written \(boom\)/);
    expect(rig.journal()).toMatchObject([{ decision: 'deny', written: [expect.stringMatching(/b\.json$/)] }]);
  });

  test('marks the session', async () => {
    await play(careless, careful).send(preTool());
    expect(rig.record()?.degraded).toMatchObject([{ code: 'state.write-failed', told: false }]);
  });
});

describe('a guard that is not there', () => {
  test('lets the event pass, loudly', async () => {
    const chunks = scriptedChunks([{ name: 'gates' }]);
    rig = makeRig({
      ...chunks,
      guard: () => {
        throw new Error("Cannot find module './guard-gates.cjs'");
      },
    });
    const answer = await rig.send(preTool());
    expect(answer).toMatchObject({ stdout: '', exitCode: 0 });
    expect(answer.stderr).toMatch(/gates could not be loaded .*Reinstall Holdpoint/);
    expect(rig.record()?.degraded).toMatchObject([{ code: 'guard.missing' }]);
  });
});
