import { spawn } from 'node:child_process';
import { appendFileSync, renameSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { EDIT, eventsIn, KEY, OTHER_SESSION } from './events';
import { commandFile, deniedBecause, type HostDocument, makeRig, type Rig } from './rig';

let rig: Rig;
let follower: Follower;

beforeEach(() => {
  rig = makeRig();
});
afterEach(async () => {
  await follower.end();
  rig.remove();
});

interface Follower {
  /** Resolves once its output contains this. */
  shows(text: string): Promise<void>;
  /** Closes our end of its output. */
  stopReading(): void;
  readonly closed: Promise<number | null>;
  shown(): string;
  end(): Promise<void>;
}

function follow(...args: string[]): Follower {
  const child = spawn(process.execPath, [commandFile('holdpoint'), 'log', '--follow', ...args], {
    cwd: rig.repo,
    env: rig.environment(),
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  let text = '';
  child.stdout.setEncoding('utf8');
  child.stdout.on('data', (data: string) => {
    text += data;
  });
  const closed = new Promise<number | null>((resolve) => child.on('exit', resolve));
  return {
    shows: (wanted) =>
      new Promise((resolve, reject) => {
        const look = (): void => {
          if (text.includes(wanted)) resolve();
        };
        look();
        child.stdout.on('data', look);
        child.on('exit', () => reject(new Error(`the follower ended without showing ${wanted}: ${text}`)));
      }),
    stopReading: () => child.stdout.destroy(),
    closed,
    shown: () => text,
    end: async () => {
      child.kill('SIGKILL');
      await closed;
    },
  };
}

function deny(more: HostDocument = {}): string {
  const reason = deniedBecause(rig.hook(eventsIn(rig).pre('Edit', EDIT, more)));
  return /why (\w+)/.exec(reason)?.[1] ?? '';
}

describe('holdpoint log --follow', () => {
  it('shows what was there and what comes, each once', async () => {
    const before = deny();
    follower = follow();
    await follower.shows(before);
    const ids = [deny(), deny(), deny()];
    for (const id of ids) await follower.shows(id);
    for (const id of [before, ...ids]) expect(follower.shown().split(id)).toHaveLength(2);
  });

  it('shows only what its filters let pass', async () => {
    const first = deny();
    follower = follow('--held', '--session', KEY);
    await follower.shows(first);
    const other = deny({ session_id: OTHER_SESSION });
    rig.req(['satisfy', 'other', '--force', '--session', KEY]);
    const last = deny();
    await follower.shows(last);
    expect(follower.shown()).not.toContain(other);
    expect(follower.shown()).not.toContain('req satisfy');
  });

  it('waits for a journal that is not there yet', async () => {
    follower = follow('--json');
    const ids: string[] = [];
    // The first of these may be written before the follower looks, and then stands in its tail.
    for (let count = 0; count < 3; count++) ids.push(deny());
    for (const id of ids) await follower.shows(id);
  });

  it('loses nothing when the journal is put away, not even the last line before', async () => {
    const journal = join(rig.repo, '.git/holdpoint/journal.jsonl');
    const first = deny();
    follower = follow();
    await follower.shows(first);
    const last = deny();
    renameSync(journal, join(rig.repo, '.git/holdpoint/journal.1.jsonl'));
    const next = deny();
    await follower.shows(next);
    expect(follower.shown()).toContain(last);
    renameSync(journal, join(rig.repo, '.git/holdpoint/journal.1.jsonl'));
    await follower.shows(deny());
  });

  it('shows what stands behind half a line of a writer that died', async () => {
    const first = deny();
    follower = follow();
    await follower.shows(first);
    appendFileSync(join(rig.repo, '.git/holdpoint/journal.jsonl'), '{"half":');
    await follower.shows(deny());
    await follower.shows(deny());
  });

  it('ends when nobody reads it any more', async () => {
    const first = deny();
    follower = follow();
    await follower.shows(first);
    follower.stopReading();
    deny();
    expect(await follower.closed).toBe(0);
  });
});
