import { randomBytes, type ScryptOptions, scrypt, timingSafeEqual } from 'node:crypto';
import * as v from 'valibot';
import { ApiError } from '../http/errors.js';

const cost = { N: 2 ** 15, r: 8, p: 1 } as const;
const length = 32;

/** A passphrase that may be set. */
export const passphraseSchema = v.pipe(
  v.string('A passphrase is text.'),
  v.check((text) => [...text].length >= 8, 'A passphrase needs at least eight characters.'),
  v.maxLength(1024, 'A passphrase has at most 1,024 characters.'),
);

/** `scrypt$N$r$p$salt$hash`, with a random salt. */
export async function hashPassphrase(passphrase: string): Promise<string> {
  const salt = randomBytes(16);
  const hash = await derive(passphrase, salt, cost);
  return ['scrypt', cost.N, cost.r, cost.p, salt.toString('base64url'), hash.toString('base64url')].join('$');
}

/** Whether it is the stored passphrase. Takes just as long if there is none. */
export async function isPassphrase(passphrase: string, stored: string | null): Promise<boolean> {
  const [kind, N, r, p, salt, hash] = (stored ?? '').split('$');
  if (kind !== 'scrypt' || !salt || !hash) {
    await derive(passphrase, randomBytes(16), cost);
    return false;
  }
  const options = { N: Number(N), r: Number(r), p: Number(p) };
  const found = await derive(passphrase, Buffer.from(salt, 'base64url'), options);
  return timingSafeEqual(found, Buffer.from(hash, 'base64url'));
}

/** How many may wait for their turn; further callers are told to try again. */
const mostWaiting = 20;
let waiting = 0;
let last: Promise<unknown> = Promise.resolve();

/** One at a time: a flood of sign-ins with invented names must not use up the CPU. */
async function derive(passphrase: string, salt: Buffer, options: ScryptOptions): Promise<Buffer> {
  if (waiting >= mostWaiting)
    throw new ApiError(429, 'busy', 'Too many people sign in at this moment. Try again in a few seconds.', {
      'retry-after': '5',
    });
  waiting++;
  const turn = last.then(() => deriveNow(passphrase, salt, options)).finally(() => waiting--);
  last = turn.catch(() => {});
  return turn;
}

function deriveNow(passphrase: string, salt: Buffer, options: ScryptOptions): Promise<Buffer> {
  // Keyboards may send the same letter composed or decomposed.
  const text = passphrase.normalize('NFKC');
  return new Promise((resolve, reject) => {
    scrypt(text, salt, length, { ...options, maxmem: 128 * 1024 * 1024 }, (error, key) =>
      error ? reject(error) : resolve(key),
    );
  });
}
