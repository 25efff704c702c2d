import { existsSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, describe, expect, test } from 'vitest';
import type { Json, JsonObject } from '../../src/core/json';
import {
  endEvent,
  makeRig,
  type Rig,
  type Scripted,
  SESSION,
  SILENT,
  scriptedChunks,
  startEvent,
} from './rig';

let rig: Rig;
afterEach(() => rig.remove());
const play = (...guards: Scripted[]): Rig => {
  rig = makeRig(scriptedChunks(guards));
  return rig;
};

const quiet: Scripted = { name: 'gates', interests: [{ kind: 'turn.stop' }] };
const KEY = '0a1b2c3d';
const registry = (): JsonObject => {
  const file = join(rig.home, '.claude/sessions.json');
  return existsSync(file) ? JSON.parse(readFileSync(file, 'utf8')).sessions : {};
};
const records = (): string => join(rig.layout.own, 'sessions');
const plant = (name: string, content: unknown): void => {
  mkdirSync(records(), { recursive: true });
  writeFileSync(join(records(), name), typeof content === 'string' ? content : JSON.stringify(content));
};
const mark = (code: string) => ({ at: 1000, code, detail: 'd', told: false });

describe('the start of a session', () => {
  test('is registered, though no guard watches it', async () => {
    const answer = await play(quiet).send(startEvent(), { env: { CLAUDE_PID: String(process.pid) } });
    expect(answer).toMatchObject(SILENT);
    expect(registry()).toMatchObject({
      [KEY]: { session_id: SESSION, project_dir: rig.root, branch: 'main', ppid: process.pid },
    });
  });

  test('tells of the trouble of every session, and of one that begins again too', async () => {
    play(quiet);
    plant('aaaa.json', { session_id: 'aaaa', degraded: [mark('guard.threw'), mark('lock.timeout')] });
    plant('bbbb.json', {
      session_id: 'bbbb',
      degraded: [{ ...mark('heard-of'), told: true }, mark('deadline.passed')],
    });
    const { stdout } = await rig.send({ ...startEvent('resume'), session_id: 'aaaa' });
    for (const code of ['guard.threw', 'lock.timeout', 'deadline.passed']) expect(stdout).toContain(code);
    expect(stdout).not.toContain('heard-of');
    expect(await rig.send(startEvent())).toMatchObject(SILENT);
  });

  test('keeps the counts of a session of whose trouble it tells', async () => {
    play(quiet);
    const stops = {
      chain: 'prompt p1',
      in_row: 3,
      by_guard: { gates: 3 },
      last: { key: '', guards: [] },
      held_at: 5,
    };
    plant('aaaa.json', { session_id: 'aaaa', stops, degraded: [mark('guard.threw')] });
    await rig.send(startEvent());
    expect(rig.record('aaaa')).toMatchObject({ stops: { in_row: 3 }, degraded: [{ told: true }] });
  });

  test('passes over records that are rubbish', async () => {
    play(quiet);
    plant('rubbish.json', '{"degraded": [');
    plant('list.json', '[]');
    plant('odd name.json', { degraded: [mark('x')] });
    plant('notes.txt', 'x');
    mkdirSync(join(records(), 'directory.json'));
    expect(await rig.send(startEvent())).toMatchObject(SILENT);
  });

  test('does not lose trouble that comes while it tells of other trouble', async () => {
    play(quiet, {
      name: 'loop',
      interests: [{ kind: 'session.start' }],
      // The change is made under the lock, after the records were read and before they are marked.
      decide: (_event, _config, { change }) => {
        change({ document: NOTE, what: 'late', apply: addLateTrouble });
        return { kind: 'nothing' };
      },
    });
    plant('aaaa.json', { session_id: 'aaaa', degraded: [mark('guard.threw')] });
    expect((await rig.send(startEvent())).stdout).toContain('guard.threw');
    const { stdout } = await rig.send(startEvent());
    expect(stdout).toContain('lock.timeout');
    expect(stdout).not.toContain('guard.threw');
  });

  const NOTE = { base: 'git', path: 'note.json', format: 'json', durability: 'durable' } as const;
  const addLateTrouble = (current: Json | undefined): Json => {
    const marks = [mark('guard.threw'), { ...mark('lock.timeout'), at: 2000 }];
    if (current === undefined) plant('aaaa.json', { session_id: 'aaaa', degraded: marks });
    return 'noted';
  };
});

describe('the end of a session', () => {
  test('of which nothing was kept writes nothing', async () => {
    expect(await play(quiet).send(endEvent())).toMatchObject(SILENT);
    expect(rig.journal()).toEqual([]);
    expect(existsSync(join(rig.home, '.claude/sessions.json'))).toBe(false);
  });

  test('keeps what somebody still has to hear of, and nothing else', async () => {
    play(quiet);
    const stops = { chain: 'prompt p1', in_row: 3 };
    plant(`${SESSION.replaceAll('-', '')}.json`, {
      session_id: SESSION,
      stops,
      degraded: [mark('guard.threw')],
    });
    await rig.send(endEvent());
    expect(rig.record()).toEqual({ session_id: SESSION, degraded: [mark('guard.threw')] });
  });
});

describe('without a home directory', () => {
  test.each<[string, string | undefined]>([
    ['not set', undefined],
    ['empty', ''],
    ['relative', 'home'],
  ])('(HOME is %s) nothing is written where the hook happens to run', async (_, value) => {
    play(quiet);
    const elsewhere = join(rig.dir, 'elsewhere');
    mkdirSync(elsewhere);
    const before = process.cwd();
    process.chdir(elsewhere);
    try {
      expect(await rig.send(startEvent(), { env: { HOME: value } })).toMatchObject(SILENT);
    } finally {
      process.chdir(before);
    }
    expect(readdirSync(elsewhere)).toEqual([]);
    expect(existsSync(join(rig.layout.own, 'home/.claude/sessions.json'))).toBe(true);
  });
});
