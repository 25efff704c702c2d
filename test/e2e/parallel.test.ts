import { spawn } from 'node:child_process';
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, describe, expect, it } from 'vitest';
import { STRESS, times } from '../stress';
import { EDIT, eventsIn, KEY } from './events';
import { at, commandFile, deniedBecause, type HostDocument, heldBecause, makeRig, type Rig } from './rig';

const STATE = '.git/requirements/feature-auth.json';
let rig: Rig;

afterEach(() => rig.remove());

/** Every file that we write: those of the git directory that are ours, and all of the home. */
function ourFiles(): string[] {
  const dirs = [join(rig.repo, '.git/requirements'), join(rig.repo, '.git/holdpoint'), rig.home];
  return dirs.filter(existsSync).flatMap((dir) =>
    readdirSync(dir, { recursive: true, withFileTypes: true })
      .filter((entry) => entry.isFile())
      .map((entry) => join(entry.parentPath, entry.name)),
  );
}

/** Fails with the file's name when a document, or a line of a journal, is not whole. */
function expectWhole(files: readonly string[]): void {
  for (const file of files.filter((name) => /\.jsonl?$/.test(name))) {
    const text = readFileSync(file, 'utf8');
    const documents = file.endsWith('l') ? text.split('\n').slice(0, -1) : [text];
    for (const document of documents)
      expect(() => JSON.parse(document), `${file}: ${document}`).not.toThrow();
    if (file.endsWith('l')) expect(text.endsWith('\n'), file).toBe(true);
  }
  expect(files.filter((name) => name.includes('.corrupt-'))).toEqual([]);
}

describe('many processes at once', () => {
  it('decide mixed events rightly, and leave every file whole', async () => {
    rig = makeRig(
      '{inherit: false, requirements: {plan: {enabled: true, trigger_tools: [Edit]}, notes: {enabled: true, stop_only: true, trigger_tools: [Write]}}}',
    );
    const on = eventsIn(rig);
    const session = (index: number) => ({ session_id: `${index.toString().padStart(8, '0')}-0000` });
    const kinds: ((index: number) => HostDocument)[] = [
      (index) => on.pre('Edit', EDIT, session(index)),
      (index) => on.pre('Write', EDIT, session(index)),
      (index) => on.start('startup', session(index)),
      (index) => on.end(session(index)),
      (index) => on.pre('Read', EDIT, session(index)),
    ];
    const COUNT = times(15, 50);
    const events = Array.from({ length: COUNT }, (_, index) => (kinds[index % 5] ?? on.stop)(index as never));
    const ended = await Promise.all(events.map((event) => rig.startHook(event)));
    for (const [index, one] of ended.entries()) {
      expect(one.exitCode).toBe(0);
      if (index % 5 === 0) deniedBecause(one);
      if (index % 5 === 1 || index % 5 >= 3) expect(one.stdout).toBe('');
      if (index % 5 === 2) expect(one.stdout).toContain('Requirements');
    }
    const writers = events.map((_, index) => index).filter((index) => index % 5 === 1);
    const notes = at(rig.readJson(STATE), 'requirements', 'notes', 'sessions') as Record<string, unknown>;
    expect(Object.keys(notes).sort()).toEqual(writers.map((index) => session(index).session_id.slice(0, 8)));
    const stops = await Promise.all(writers.map((index) => rig.startHook(on.stop(false, session(index)))));
    for (const stop of stops) heldBecause(stop);
    expectWhole(ourFiles());
  });
});

describe('hooks that are killed at any moment', () => {
  const ROUNDS = times(5, 60);

  it('leave every file whole, and the next one decides rightly', async () => {
    rig = makeRig(
      '{inherit: false, requirements: {plan: {enabled: true, trigger_tools: [Edit]}, notes: {enabled: true, stop_only: true, scope: session, trigger_tools: [Write]}}}',
    );
    const on = eventsIn(rig);
    // The first one compiles, and the machine may do something else meanwhile.
    let usual = Number.POSITIVE_INFINITY;
    for (let round = 0; round < 4; round++) {
      const began = Date.now();
      await rig.startHook(on.pre('Edit', EDIT, { session_id: 'ffffffff-0000' }));
      usual = Math.min(usual, Date.now() - began);
    }
    const moment = (part: number): number => usual * (0.3 + 0.8 * part);
    let killed = 0;
    for (let round = 0; round < ROUNDS; round++) {
      const session_id = `${round.toString(16).padStart(8, '0')}-0000`;
      const ends = await Promise.all([
        killedHook(on.pre('Write', EDIT, { session_id }), moment(round / ROUNDS)),
        killedHook(on.pre('Edit', EDIT, { session_id }), moment(((round * 7) % ROUNDS) / ROUNDS)),
        killedHook(on.start('startup', { session_id }), moment(((round * 13) % ROUNDS) / ROUNDS)),
      ]);
      killed += ends.filter((signal) => signal === 'SIGKILL').length;
      expectWhole(ourFiles());
      if (round % 5 === 4) {
        deniedBecause(rig.hook(on.pre('Edit', EDIT, { session_id })));
        expect(rig.hook(on.pre('Write', EDIT, { session_id })).stdout).toBe('');
        heldBecause(rig.hook(on.stop(false, { session_id })));
      }
    }
    // In a few rounds it is luck how many are struck before they end.
    if (STRESS) expect(killed).toBeGreaterThan(ROUNDS / 2);
    expect(ourFiles().some((file) => file.endsWith('journal.jsonl'))).toBe(true);
    expect(rig.req(['satisfy', 'plan', '--session', KEY]).exitCode).toBe(0);
    expect(rig.hook(on.pre('Edit', EDIT)).stdout).toBe('');
  });

  /** A hook that is killed so many milliseconds after its event was sent, unless it was faster. */
  function killedHook(event: HostDocument, afterMs: number): Promise<NodeJS.Signals | null> {
    const child = spawn(process.execPath, [commandFile('hook')], {
      cwd: rig.dir,
      env: rig.environment(),
      stdio: ['pipe', 'ignore', 'ignore'],
    });
    child.stdin.on('error', () => undefined);
    child.stdin.end(JSON.stringify(event));
    const timer = setTimeout(() => child.kill('SIGKILL'), afterMs);
    return new Promise((resolve) =>
      child.on('exit', (_code, signal) => {
        clearTimeout(timer);
        resolve(signal);
      }),
    );
  }
});

describe('a payload of 20 MB', () => {
  const fields = times(1, 3) === 1 ? ['content'] : ['content', 'command', 'old_string'];
  it.each(fields)('is decided rightly: %s', (field) => {
    rig = makeRig();
    const on = eventsIn(rig);
    const input = { file_path: 'a', [field]: 'x'.repeat(20 * 1024 * 1024) };
    deniedBecause(rig.hook(on.pre('Write', input)));
    expect(rig.hook(on.pre('Read', input)).stdout).toBe('');
    rig.req(['satisfy', 'commit_plan', '--session', KEY]);
    expect(rig.hook(on.pre('Write', input))).toMatchObject({ stdout: '', stderr: '', exitCode: 0 });
  });
});
