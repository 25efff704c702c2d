import {
  createHash,
  createPrivateKey,
  createPublicKey,
  generateKeyPairSync,
  type KeyObject,
  sign,
} from 'node:crypto';
import { chmodSync, existsSync, readFileSync, renameSync, writeFileSync } from 'node:fs';
import { dirname } from 'node:path';
import type { Database, Queries } from '../db/database.js';
import { sync } from '../db/sync.js';
import { notify } from '../stream/fanout.js';

/** A handover from one key to the next: what the older key signed, and its signature. */
export interface KeyLink {
  readonly statement: string;
  readonly signature: string;
}

/** The hub's signing key and its history. */
export interface Keys {
  /** `sha256:` and the hex digest of the public key. */
  readonly id: string;
  /** SPKI DER in base64. */
  readonly publicKey: string;
  /** Ed25519 signature in base64. */
  sign(text: string): string;
  /** All handovers, oldest first. A machine follows them from the key that it has pinned. */
  readonly chain: readonly KeyLink[];
  /** Creates a new key, signs it with the old one, and notifies all machines. */
  rotate(): Promise<void>;
  /** Reads file and table again, because another process may have rotated the key. */
  refresh(): Promise<void>;
  /** A sentence for the log, if opening had to start a new chain. */
  readonly notice: string | null;
}

export interface KeySource {
  /** PKCS8 PEM, created with mode 0600 if it is missing. */
  readonly file: string;
  /** PKCS8 PEM from the environment; wins over the file. */
  readonly env?: string | undefined;
  /** Only the key that the hub signs with already; by default a new one starts a new chain. */
  readonly isCurrent?: boolean;
}

interface KeyRow {
  readonly id: string;
  readonly public_key: string;
  readonly created_at: Date;
  readonly retired_at: Date | null;
  readonly signature: string | null;
}

interface Held {
  readonly id: string;
  readonly publicKey: string;
  readonly secret: KeyObject;
}

class KeyError extends Error {}

/** Opens the key, or creates one for a new hub. Refuses a key that was rotated away. */
export async function openKeys(db: Database, source: KeySource): Promise<Keys> {
  let notice: string | null = null;
  let { held, rows } = await db.tx(async (queries) => {
    await queries.query('lock table keys in exclusive mode');
    const known = await readRows(queries);
    if (source.isCurrent) checkCurrent(source, known);
    const opened = readOrCreate(source, known);
    const row = known.find(({ id }) => id === opened.id);
    if (row?.retired_at) throw new KeyError(retiredMessage(source, opened.id));
    if (row) return { held: opened, rows: known };
    if (known.some(({ retired_at }) => retired_at === null)) {
      notice = 'The hub has a new key that the old one did not sign: machines have to join again.';
      await queries.query('update keys set retired_at = now() where retired_at is null');
    }
    await queries.query('insert into keys (id, public_key, created_at) values ($1, $2, $3)', [
      opened.id,
      opened.publicKey,
      new Date(),
    ]);
    return { held: opened, rows: await readRows(queries) };
  });

  async function refresh(): Promise<void> {
    const fresh = await readRows(db);
    const opened = readOrCreate(source, fresh);
    rows = fresh;
    if (fresh.some(({ id, retired_at }) => id === opened.id && retired_at === null)) held = opened;
  }

  return {
    get id() {
      return held.id;
    },
    get publicKey() {
      return held.publicKey;
    },
    get chain() {
      return links(rows);
    },
    notice,
    sign: (text) => sign(null, Buffer.from(text), held.secret).toString('base64'),
    rotate: () => rotate(db, source, held).then(refresh),
    refresh,
  };
}

function keyId(publicKey: string): string {
  return `sha256:${createHash('sha256').update(Buffer.from(publicKey, 'base64')).digest('hex')}`;
}

async function rotate(db: Database, source: KeySource, old: Held): Promise<void> {
  if (source.env)
    throw new KeyError(
      'The key comes from HOLDPOINT_HUB_KEY, so it cannot be replaced here. ' +
        'Put it into a file, start the hub with --key FILE, and rotate again.',
    );
  const next = newKey();
  await db.tx(async (queries) => {
    await queries.query('lock table keys in exclusive mode');
    const [current] = await queries.query<KeyRow>('select id from keys where retired_at is null');
    if (current?.id !== old.id)
      throw new KeyError('The key was rotated by another process at the same time.');
    // Only now: machines refuse what the old key signs later than this, and answers may have held the lock.
    const at = new Date();
    const signature = sign(null, Buffer.from(handOver(next.publicKey, at)), old.secret).toString('base64');
    // The new key is on disk before the table names it, and replaces the old file after the commit.
    writeKey(nextFile(source), next.secret);
    await queries.query('update keys set retired_at = $2 where id = $1', [old.id, at]);
    await queries.query(
      'insert into keys (id, public_key, created_at, signed_by, signature) values ($1, $2, $3, $4, $5)',
      [next.id, next.publicKey, at, old.id, signature],
    );
    await notify(queries, { kind: 'key', id: next.id });
  });
  finishRotation(source, [{ id: next.id, retired_at: null }]);
}

function nextFile({ file }: KeySource): string {
  return `${file}.next`;
}

/** Replaces the old key file once the table names the new key, even after a kill or in another process. */
function finishRotation(source: KeySource, rows: readonly Pick<KeyRow, 'id' | 'retired_at'>[]): void {
  const next = nextFile(source);
  try {
    const { id } = parseKey(readFileSync(next, 'utf8'), next);
    if (rows.some((row) => row.id === id && row.retired_at === null)) renameSync(next, source.file);
  } catch (error) {
    // There is none, or a process that heard of the rotation was faster. Half a file was never in use.
    if (error instanceof KeyError || (error instanceof Error && 'code' in error && error.code === 'ENOENT'))
      return;
    throw error;
  }
}

function readRows(queries: Queries): Promise<KeyRow[]> {
  return queries.query<KeyRow>(
    'select id, public_key, created_at, retired_at, signature from keys order by created_at, id',
  );
}

function readOrCreate(source: KeySource, rows: readonly KeyRow[]): Held {
  if (source.env) return parseKey(source.env, 'HOLDPOINT_HUB_KEY');
  const { file } = source;
  try {
    finishRotation(source, rows);
    if (existsSync(file)) {
      chmodSync(file, 0o600);
      return parseKey(readFileSync(file, 'utf8'), file);
    }
    const made = newKey();
    writeKey(file, made.secret);
    return made;
  } catch (error) {
    if (error instanceof KeyError || !(error instanceof Error)) throw error;
    throw new KeyError(
      `Cannot use ${file} for the hub's key: ${error.message}. Give another file with --key.`,
    );
  }
}

/** Refuses a missing or foreign key where the hub has one. */
function checkCurrent(source: KeySource, rows: readonly KeyRow[]): void {
  const current = rows.find(({ retired_at }) => retired_at === null);
  if (!current) return;
  if (!source.env) finishRotation(source, rows);
  const isThere = source.env || existsSync(source.file);
  if (isThere && readOrCreate(source, rows).id === current.id) return;
  const from = source.env ? 'HOLDPOINT_HUB_KEY' : source.file;
  throw new KeyError(`${from} is not the hub's key ${current.id}. Give the file of that key with --key.`);
}

function parseKey(pem: string, from: string): Held {
  let secret: KeyObject;
  try {
    secret = createPrivateKey(pem);
  } catch {
    throw new KeyError(`${from} is not a private key in PKCS8 PEM.`);
  }
  if (secret.asymmetricKeyType !== 'ed25519') throw new KeyError(`${from} is not an Ed25519 key.`);
  return holdKey(secret);
}

function newKey(): Held {
  return holdKey(generateKeyPairSync('ed25519').privateKey);
}

function holdKey(secret: KeyObject): Held {
  const publicKey = createPublicKey(secret).export({ format: 'der', type: 'spki' }).toString('base64');
  return { id: keyId(publicKey), publicKey, secret };
}

/** Syncs the file and its directory: the table must not name a key that a power cut destroys. */
function writeKey(file: string, secret: KeyObject): void {
  writeFileSync(file, secret.export({ format: 'pem', type: 'pkcs8' }), { mode: 0o600 });
  chmodSync(file, 0o600);
  sync(file);
  sync(dirname(file));
}

function handOver(publicKey: string, at: Date): string {
  return JSON.stringify({ v: 1, kind: 'key', key: publicKey, at: at.toISOString() });
}

function links(rows: readonly KeyRow[]): KeyLink[] {
  return rows.flatMap(({ public_key, created_at, signature }) =>
    signature ? [{ statement: handOver(public_key, created_at), signature }] : [],
  );
}

function retiredMessage(source: KeySource, id: string): string {
  const from = source.env ? 'HOLDPOINT_HUB_KEY' : source.file;
  return `${from} holds the key ${id}, which was rotated away. Put the hub's current key there.`;
}
