import { execFileSync } from 'node:child_process';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { EDIT, eventsIn, KEY } from '../e2e/events';
import { makeRig, type Rig } from '../e2e/rig';

const root = join(import.meta.dirname, '../..');
let rig: Rig;
let known: RegExp[];

beforeAll(() => {
  rig = makeRig(
    'requirements:\n  commit_plan: {enabled: true}\n  odd: {scope: brnch}\n',
    '.holdpoint/config.yaml',
  );
  const listed = execFileSync(process.execPath, [join(root, 'tools/messages.mjs')], {
    encoding: 'utf8',
    maxBuffer: 16_000_000,
    stdio: ['ignore', 'pipe', 'ignore'],
  });
  const texts = listed.split('\n').flatMap((line) => (line.split('\t')[2] ?? '').split('\\n'));
  known = texts.flatMap((text) => {
    // What has few letters of its own would match anything.
    if (text.replaceAll(/\{[^}]*\}/g, '').replaceAll(/\W/g, '').length < 8) return [];
    const pattern = text.trim().replaceAll(/[.*+?^$()|[\]\\]/g, '\\$&');
    return [new RegExp(pattern.replaceAll(/\{[^{}]*\}/g, '.*?'))];
  });
});
afterAll(() => rig.remove());

it('the list of messages has what the commands and the hook print', () => {
  const on = eventsIn(rig);
  const ended = [
    rig.hookText(''),
    rig.hookText('[]'),
    rig.hookText('{}'),
    rig.hook(on.pre('Edit', EDIT, { session_id: undefined })),
    rig.hook(on.start('startup')),
    rig.hook(on.pre('Edit', EDIT)),
    rig.hook(on.pre('Edit', EDIT), { args: ['--host', 'gemin', '--only', 'requirments'] }),
    ...[
      ['nothing'],
      ['log', '--since', 'x'],
      ['log', '--session', 'nobody'],
      ['log', '--rule', 'comit_plan'],
      ['why', 'x'],
      ['why'],
      ['status'],
      ['doctor'],
      ['config'],
      ['explain', 'nowhere.json'],
      ['init'],
      ['install', '--host', 'nobody'],
      ['gates', 'run'],
      ['gates', 'list'],
      ['flow', 'status'],
      ['flow', 'advance'],
      ['flow', 'start', 'nothing'],
      ['loop', 'status'],
      ['loop', 'cancel'],
      ['loop', 'start', '--max', '0', 'x'],
      ['serve', '--status'],
      ['completion', 'x'],
      ['req', 'satisfy', 'unknown'],
      ['req', 'satisfy', 'commit_plan', '--ttl', 'x'],
      ['req', 'satisfy', 'commit_plan', '--session', KEY],
      ['req', 'clear'],
      ['req', 'status'],
      ['req', 'messages', 'x'],
    ].map((args) => rig.holdpoint(args)),
  ];
  const lines = ended
    .flatMap(({ stdout, stderr }) => [stdout, stderr])
    .flatMap((text) => text.replaceAll('\\n', '\n').split('\n'))
    .filter((line) => /\p{L}{3,} \p{L}{2,} \p{L}/u.test(line));
  expect(new Set(lines).size).toBeGreaterThan(30);
  expect(lines.filter((line) => !known.some((pattern) => pattern.test(line)))).toEqual([]);
});
