import { randomBytes, timingSafeEqual } from 'node:crypto';
import { lstatSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { detailOf, fail, type Result, succeed } from '../core/failure';
import { noToken } from './messages';

/** Below the home: what a client has to show. */
export function tokenFile(home: string): string {
  return join(home, '.config/holdpoint/http-token');
}

/** The token in the file, made where there is none. A file that others can read is no secret any more. */
export function readToken(file: string, uid: number): Result<string, string> {
  try {
    mkdirSync(dirname(file), { recursive: true, mode: 0o700 });
    const found = lstatSync(file, { throwIfNoEntry: false });
    if (found === undefined)
      writeFileSync(file, `${randomBytes(24).toString('hex')}\n`, { mode: 0o600, flag: 'wx' });
    else if (!found.isFile() || found.uid !== uid || (found.mode & 0o077) !== 0) {
      return fail(noToken(file, 'it must be a file of yours with mode 600'));
    }
    const token = readFileSync(file, 'utf8').trim();
    return token.length >= 16 ? succeed(token) : fail(noToken(file, 'it holds no token'));
  } catch (error) {
    return fail(noToken(file, detailOf(error)));
  }
}

/** Takes as long for a wrong token as for the right one. */
export function showsToken(header: string | undefined, token: string): boolean {
  const shown = Buffer.from(header ?? '');
  const wanted = Buffer.from(`Bearer ${token}`);
  return shown.length === wanted.length && timingSafeEqual(shown, wanted);
}
