import { join } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import type { TranscriptAsk, TranscriptFacts } from '../../src/core/guard';
import { NOTHING } from '../../src/core/verdict';
import { asked, said, words } from '../hosts/claude-code/transcript-lines';
import { makeRig, type Rig, type Scripted, scriptedChunks, stopEvent } from './rig';

let ask: TranscriptAsk;
let told: TranscriptFacts | undefined;
let rig: Rig;

const guard: Scripted = {
  name: 'loop',
  decide: (_event, _config, ctx) => {
    told = ctx.transcript(ask);
    return NOTHING;
  },
};

beforeEach(() => {
  told = undefined;
  rig = makeRig(scriptedChunks([guard]));
});
afterEach(() => rig.remove());

const LINES = asked('Go') + said('m1', [words('The end.')], { usage: { input_tokens: 3, output_tokens: 4 } });
const UNTIL = Buffer.byteLength(LINES);

test.each<[string, TranscriptAsk, TranscriptFacts]>([
  ['the last words alone', { lastText: true }, { lastText: { kind: 'text', text: 'The end.' } }],
  ['the tokens alone', { tokensFrom: 0 }, { tokens: { used: 7, until: UNTIL } }],
  [
    'both at once',
    { lastText: true, tokensFrom: UNTIL },
    { lastText: { kind: 'text', text: 'The end.' }, tokens: { used: 0, until: UNTIL } },
  ],
])('what the transcript tells: %s', async (_, wanted, expected) => {
  ask = wanted;
  await rig.send(stopEvent({ transcript_path: rig.write('t.jsonl', LINES) }));
  expect(told).toEqual(expected);
});

test('a transcript that no event names is unread, and its tokens are gone on with where they were', async () => {
  ask = { lastText: true, tokensFrom: 12 };
  await rig.send(stopEvent());
  expect(told).toEqual({
    lastText: { kind: 'unread', why: expect.stringContaining('not named') },
    tokens: { used: 0, until: 12 },
  });
});

test('one that is not there is unread', async () => {
  ask = { lastText: true };
  await rig.send(stopEvent({ transcript_path: join(rig.dir, 'nowhere') }));
  expect(told).toEqual({ lastText: { kind: 'unread', why: 'cannot be read (ENOENT)' } });
});
