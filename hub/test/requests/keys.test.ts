import { generateKeyPairSync } from 'node:crypto';
import { copyFileSync, existsSync, mkdtempSync, renameSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as wait } from 'node:timers/promises';
import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest';
import { openKeys } from '../../src/requests/keys.js';
import { type TestHub, testHub } from '../people/in-process.js';
import { keyId, signedBy } from '../rig.js';

let hub: TestHub;
let directory = '';
let file = '';
beforeAll(async () => {
  hub = await testHub();
});
beforeEach(async () => {
  await hub.db.query('delete from keys');
  directory = mkdtempSync(join(tmpdir(), 'hub-keys-'));
  file = join(directory, 'hub.key');
});
afterAll(() => hub.remove());

const open = () => openKeys(hub.db, { file });
const newPem = () =>
  generateKeyPairSync('ed25519').privateKey.export({ format: 'pem', type: 'pkcs8' }).toString();

test('a new hub makes its key, for its owner alone, and finds it again', async () => {
  const keys = await open();
  expect(statSync(file).mode & 0o777).toBe(0o600);
  expect(keys.id).toBe(keyId(keys.publicKey));
  expect(signedBy(keys.publicKey, 'text', keys.sign('text'))).toBe(true);
  expect(signedBy(keys.publicKey, 'other', keys.sign('text'))).toBe(false);
  expect(keys.chain).toEqual([]);
  expect((await open()).id).toBe(keys.id);
});

test('rotation: the old key signs the new one', async () => {
  const keys = await open();
  const first = { id: keys.id, publicKey: keys.publicKey };
  await keys.rotate();
  expect(keys.id).not.toBe(first.id);
  const [link] = keys.chain;
  expect(signedBy(first.publicKey, link?.statement ?? '', link?.signature ?? '')).toBe(true);
  expect(JSON.parse(link?.statement ?? '')).toEqual({
    v: 1,
    kind: 'key',
    key: keys.publicKey,
    at: expect.any(String),
  });
  const again = await open();
  expect([again.id, again.chain]).toEqual([keys.id, keys.chain]);
});

test('killed in the middle of a rotation: the key that the table names is the one in use', async () => {
  const keys = await open();
  copyFileSync(file, join(directory, 'old'));
  await keys.rotate();
  // After the commit, before the new key took its place.
  renameSync(file, `${file}.next`);
  copyFileSync(join(directory, 'old'), file);
  expect((await open()).id).toBe(keys.id);
  // Before the commit: the key beside it was never in use.
  writeFileSync(`${file}.next`, newPem());
  expect((await open()).id).toBe(keys.id);
  await keys.rotate();
  expect((await open()).id).toBe(keys.id);
});

test('two rotations at once: one is made, and its key is in the file', async () => {
  const [one, two] = [await open(), await open()];
  const results = await Promise.allSettled([one.rotate(), two.rotate()]);
  expect(results.map(({ status }) => status).sort()).toEqual(['fulfilled', 'rejected']);
  await Promise.all([one.refresh(), two.refresh()]);
  expect(one.id).toBe(two.id);
  expect((await open()).id).toBe(one.id);
  expect(one.chain).toHaveLength(1);
});

test('the new key takes over after the answers that the old one still signs', async () => {
  const keys = await open();
  let signedAt = Number.NaN;
  // What an answer does while somebody rotates the key.
  const answered = hub.db.tx(async (queries) => {
    await queries.query('select id from keys where id = $1 for share', [keys.id]);
    await wait(300);
    signedAt = Date.now();
  });
  await wait(100);
  await Promise.all([answered, keys.rotate()]);
  const { at } = JSON.parse(keys.chain.at(-1)?.statement ?? '{}');
  expect(Date.parse(at)).toBeGreaterThanOrEqual(signedAt);
});

test('a command that does not have the key of the hub does not replace it', async () => {
  const keys = await open();
  const elsewhere = { file: join(directory, 'other.key'), isCurrent: true };
  await expect(openKeys(hub.db, elsewhere)).rejects.toThrow(/is not the hub's key sha256:.* with --key/);
  expect(existsSync(elsewhere.file)).toBe(false);
  writeFileSync(elsewhere.file, newPem());
  await expect(openKeys(hub.db, elsewhere)).rejects.toThrow(/is not the hub's key/);
  expect((await openKeys(hub.db, { file, isCurrent: true })).id).toBe(keys.id);
});

test('a file that cannot be used is named, with what to do', async () => {
  const gone = join(directory, 'gone/hub.key');
  for (const bad of [gone, directory])
    await expect(openKeys(hub.db, { file: bad })).rejects.toThrow(`Cannot use ${bad} for the hub's key: E`);
});

test('a key that was rotated away is refused', async () => {
  const keys = await open();
  copyFileSync(file, join(directory, 'old'));
  await keys.rotate();
  renameSync(join(directory, 'old'), file);
  await expect(open()).rejects.toThrow(/rotated away/);
});

test('another key than the one that the database knows starts anew, and says so', async () => {
  const before = await open();
  rmSync(file);
  const after = await open();
  expect(after.id).not.toBe(before.id);
  expect(after.notice).toMatch(/join again/);
  expect(after.chain).toEqual([]);
  expect((await open()).notice).toBeNull();
});

test('a key from the environment', async () => {
  const env = newPem();
  const keys = await openKeys(hub.db, { file, env });
  expect((await openKeys(hub.db, { file, env })).id).toBe(keys.id);
  expect(() => statSync(file)).toThrow();
  await expect(keys.rotate()).rejects.toThrow(/HOLDPOINT_HUB_KEY/);
  await expect(openKeys(hub.db, { file, env: 'x' })).rejects.toThrow(/PKCS8/);
  const rsa = generateKeyPairSync('rsa', { modulusLength: 2048 }).privateKey;
  const wrong = rsa.export({ format: 'pem', type: 'pkcs8' }).toString();
  await expect(openKeys(hub.db, { file, env: wrong })).rejects.toThrow(/Ed25519/);
});
