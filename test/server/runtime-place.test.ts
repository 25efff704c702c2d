import { chmodSync, mkdirSync, mkdtempSync, rmSync, statSync, symlinkSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { preparePlace, runtimePlace } from '../../src/server/runtime-place';

const UID = process.getuid?.() ?? 0;
let dir: string;

beforeEach(() => {
  dir = mkdtempSync(join(tmpdir(), 'holdpoint-place-'));
});
afterEach(() => rmSync(dir, { recursive: true, force: true }));

describe('the place of the socket', () => {
  it('is the directory that was named', () => {
    const env = { HOLDPOINT_RUNTIME_DIR: '/named', XDG_RUNTIME_DIR: dir };
    expect(runtimePlace(env, UID)).toEqual({ dir: '/named', socket: '/named/s', lock: '/named/lock' });
  });

  it("lies in the user's runtime directory", () => {
    expect(runtimePlace({ XDG_RUNTIME_DIR: dir }, UID).dir).toBe(join(dir, 'holdpoint'));
  });

  const NOT_OURS = ['', 'relative', '/does-not-exist'];
  it.each(NOT_OURS)('lies below /tmp where the runtime directory is %j', (runtime) => {
    expect(runtimePlace({ XDG_RUNTIME_DIR: runtime }, UID).dir).toBe(`/tmp/holdpoint-${UID}`);
  });

  it("lies below /tmp where the runtime directory is somebody else's", () => {
    expect(runtimePlace({ XDG_RUNTIME_DIR: dir }, UID + 1).dir).toBe(`/tmp/holdpoint-${UID + 1}`);
  });
});

describe('a place', () => {
  const placeIn = (name: string) => runtimePlace({ HOLDPOINT_RUNTIME_DIR: join(dir, name) }, UID);

  it('is made for the user alone', () => {
    expect(preparePlace(placeIn('new'), UID)).toMatchObject({ ok: true });
    expect(statSync(join(dir, 'new')).mode & 0o777).toBe(0o700);
    expect(preparePlace(placeIn('new'), UID)).toMatchObject({ ok: true });
  });

  it('that others may enter is refused', () => {
    mkdirSync(join(dir, 'open'));
    chmodSync(join(dir, 'open'), 0o750);
    expect(preparePlace(placeIn('open'), UID)).toMatchObject({
      failure: expect.stringContaining('chmod 700'),
    });
  });

  it('that is a link is refused, wherever it leads', () => {
    symlinkSync(dir, join(dir, 'link'));
    expect(preparePlace(placeIn('link'), UID)).toMatchObject({
      failure: expect.stringContaining('not a directory that you own'),
    });
  });

  it("that is somebody else's is refused", () => {
    mkdirSync(join(dir, 'theirs'), { mode: 0o700 });
    expect(preparePlace(placeIn('theirs'), UID + 1)).toMatchObject({ ok: false });
  });

  it('whose path is too long for a socket is refused', () => {
    const place = placeIn('x'.repeat(120));
    expect(preparePlace(place, UID)).toMatchObject({ failure: expect.stringContaining('too long') });
  });
});
