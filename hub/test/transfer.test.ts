import { readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { runHub, sql } from './processes.mjs';
import {
  approvalRequest,
  codeIn,
  decision,
  newRig,
  Person,
  personByCode,
  type Rig,
  STORAGES,
} from './rig.js';

const command = (rig: Rig, args: string[]) => runHub([...args, ...rig.where], { home: rig.home });

/** Something in every table that a move has to bring along. */
async function fill(rig: Rig): Promise<void> {
  await rig.start();
  rig.admin = await personByCode(rig.url, codeIn(rig.hub.setup ?? ''), 'ada');
  const machine = await rig.machine();
  const at = '2026-02-03T04:05:06.789Z';
  const lines = Array.from({ length: 40 }, (_, n) =>
    decision({ note: 'ü 日本 "\\ \n', at, n, odd: [null, { n }] }),
  );
  await machine.post('decisions', { decisions: lines });
  const changes = { files: 1, added: 2, removed: 3, names: ['a b.ts'] };
  const first = (await machine.post('requests', approvalRequest({ changes, plan: 'p', ttl: 5 }))).body.id;
  await rig.admin.post(`requests/${first}`, { answer: 'reject', note: 'no' });
  await machine.post('requests', approvalRequest());
  await rig.admin.post(`decisions/${machine.id}/${lines[0]?.['id']}/mark`, { mark: 'false-alarm' });
  await rig.person('viewer');
  await rig.admin.send('PUT', 'settings/reach', {
    webhook: { url: 'http://127.0.0.1:9/x', secret: 'hook-secret-1234' },
    ntfy: null,
  });
}

function rows(file: string): string[] {
  return readFileSync(file, 'utf8')
    .split('\n')
    .filter(Boolean)
    .filter((line) => !/"(export|exported_at|exportedAt|version)"/.test(line.slice(0, 60)))
    .toSorted();
}

const pairs = STORAGES.flatMap((from) => STORAGES.filter((to) => to !== from).map((to) => ({ from, to })));

describe.each(pairs)('export from $from, import into $to', ({ from, to }) => {
  test('equal rows, nothing twice, no key', async () => {
    const [a, b] = [await newRig(from), await newRig(to, { fresh: true })];
    try {
      await fill(a.rig);
      const machine = await a.rig.machine();
      const file = join(a.rig.data, '../export.jsonl');
      const running = await command(a.rig, ['export', file]);
      expect([running.stderr, running.code]).toEqual([running.stderr, 0]);
      const whileRunning = rows(file);
      await a.rig.hub.stop();
      expect((await command(a.rig, ['export', file])).code).toBe(0);
      const exported = rows(file);
      expect(exported.length).toBeGreaterThan(45);
      // What only lives for a moment may differ; what was decided may not.
      const lasting = (lines: string[]) =>
        lines.filter((line) => !/last_seen|attempts|challenges/.test(line));
      expect(lasting(whileRunning)).toEqual(lasting(exported));
      for (const line of exported) expect(() => JSON.parse(line)).not.toThrow();
      const secret = readFileSync(join(a.rig.data, 'hub.key'), 'utf8').split('\n')[1] ?? '';
      expect(exported.join('\n')).not.toContain(secret);

      for (let turn = 0; turn < 2; turn++) {
        const { code, stderr } = await command(b.rig, ['import', file]);
        expect([stderr, code]).toEqual([stderr, 0]);
      }
      const back = join(b.rig.data, '../back.jsonl');
      expect((await command(b.rig, ['export', back])).code).toBe(0);
      const imported = rows(back);
      expect(lasting(imported)).toEqual(lasting(exported));

      // With the key beside it, the other hub goes on where the first one stopped.
      await b.rig.start({ args: ['--key', join(a.rig.data, 'hub.key')] });
      expect(b.rig.hub.setup ?? null).toBeNull();
      const admin = new Person(b.rig.url, 'ada', a.rig.admin.signIn);
      const again = b.rig.again(machine);
      expect((await again.post('decisions', { decisions: [decision()] })).body).toMatchObject({
        accepted: 1,
      });
      const keys = (await again.get('keys')).body;
      expect(keys.key).toBe(machine.key);
      if ((await admin.get('me')).status === 200) {
        expect((await admin.get('decisions?limit=100')).body.items).toHaveLength(41);
        expect((await admin.get('waiting')).body.items).toHaveLength(1);
      }
    } finally {
      await a.remove();
      await b.remove();
    }
  });

  test('no hub is made of a file that is none', async () => {
    const { rig, remove } = await newRig(to, { fresh: true });
    try {
      const none = join(rig.data, '../none');
      for (const file of [none, rig.data]) {
        const { code, stderr } = await command(rig, ['import', file]);
        expect([stderr, code]).toEqual([expect.stringContaining(file), 1]);
      }
      expect(readdirSync(rig.data)).toEqual([]);
      if (rig.database !== undefined) {
        const [found] = await sql(rig.database, "select to_regclass('machines') as found");
        expect(found).toEqual({ found: null });
      }
    } finally {
      await remove();
    }
  });

  test('a file that is none, or of a later version, changes nothing', async () => {
    const { rig, remove } = await newRig(to);
    try {
      await rig.start();
      await rig.hub.stop();
      const file = join(rig.data, '../wrong.jsonl');
      for (const text of [
        '',
        'not json\n',
        '{"table":"decisions"}\n',
        '{"v":99,"kind":"holdpoint-hub-export"}\n',
      ]) {
        writeFileSync(file, text);
        const { code, stderr } = await command(rig, ['import', file]);
        expect([text, code]).toEqual([text, 1]);
        expect(stderr.trim().length).toBeGreaterThan(10);
      }
    } finally {
      await remove();
    }
  });
});
