import { mkdirSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { succeed } from '../../src/core/failure';
import { type Routed, routeEvent } from '../../src/core/hook';
import type { HostName } from '../../src/core/host-name';
import { host as codex } from '../../src/hosts/codex/index';
import { host as copilot } from '../../src/hosts/copilot/index';
import { host as cursor } from '../../src/hosts/cursor/index';
import { host as gemini } from '../../src/hosts/gemini/index';
import type { Host } from '../../src/hosts/host';
import { host as opencode } from '../../src/hosts/opencode/index';
import { makeRig, type Rig, realChunks } from './rig';

const EVENTS = join(import.meta.dirname, '../fixtures/events');
const CAPTURED_IN = '/home/dev/project';
const OTHERS: Readonly<Record<string, Host>> = { codex, copilot, cursor, gemini, opencode };
const captured = readdirSync(EVENTS).filter((name) => name.endsWith('.json'));

/** Nothing is written by a first look but the compiled config. */
let rig: Rig;
beforeAll(() => {
  rig = makeRig(realChunks);
  rig.write('.holdpoint/config.yaml', 'requirements: {plan: {enabled: true, trigger_tools: [Nobody]}}\n');
  mkdirSync(join(rig.dir, 'plain'));
});
afterAll(() => rig.remove());

/** The first look at a captured event, as if it had happened in that directory. */
function lookAt(name: string, cwd: string): Routed {
  const text = readFileSync(join(EVENTS, name), 'utf8').replaceAll(CAPTURED_IN, cwd);
  const sender = name.split('-')[0] ?? '';
  const host = (sender === 'claude' ? 'claude-code' : sender) as HostName;
  const chunks = { ...realChunks, host: (other: HostName) => OTHERS[other] as Host };
  return routeEvent(succeed(text), { host, only: [], env: { HOME: rig.home }, chunks, now: 0 })[0];
}

test('events of every host were captured', () => {
  expect(new Set(captured.map((name) => name.split('-')[0]))).toEqual(
    new Set(['claude', ...Object.keys(OTHERS)]),
  );
});

describe('what real hosts send lacks nothing', () => {
  test.each(captured)('%s, in a project', (name) => {
    const look = lookAt(name, rig.root);
    expect('failures' in look ? look.failures : []).toEqual([]);
    expect(look.kind).not.toBe('no-event');
  });

  test.each(captured)('%s, in a directory without one', (name) => {
    expect(lookAt(name, join(rig.dir, 'plain')).kind).toBe('unwatched');
  });
});
