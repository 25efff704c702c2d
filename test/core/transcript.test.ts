import { join } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { outcome } from '../../src/core/guard';
import type { Needs, TranscriptAsk, TranscriptFacts } from '../../src/core/snapshot';
import { NOTHING } from '../../src/core/verdict';
import { asked, said, words } from '../hosts/claude-code/transcript-lines';
import { makeRig, type Rig, type Scripted, scriptedChunks, stopEvent } from './rig';

let ask: readonly (TranscriptAsk | undefined)[];
let told: TranscriptFacts | undefined;
let rig: Rig;

/** Asks a question a round, as a guard does that learns from its state what it has to know. */
const guard: Scripted = {
  name: 'loop',
  needs: (_event, _config, known): Needs => {
    const round = Object.keys(known.env).length;
    const transcript = ask[round];
    return {
      env: Array.from({ length: Math.min(round + 1, ask.length - 1) }, (_, n) => `ROUND_${n}`),
      ...(transcript && { transcript }),
    };
  },
  decide: (_event, _config, snapshot) => {
    told = snapshot.transcript;
    return outcome(NOTHING);
  },
};

beforeEach(() => {
  told = undefined;
  rig = makeRig(scriptedChunks([guard]));
});
afterEach(() => rig.remove());

const LINES = asked('Go') + said('m1', [words('The end.')], { usage: { input_tokens: 3, output_tokens: 4 } });
const UNTIL = Buffer.byteLength(LINES);

const ASKS: Record<string, [ask: typeof ask, expected: TranscriptFacts | undefined]> = {
  'nothing is told to who asks nothing': [[undefined], undefined],
  'the last words alone': [[{ lastText: true }], { lastText: { kind: 'text', text: 'The end.' } }],
  'the tokens alone': [[{ tokensFrom: 0 }], { tokens: { used: 7, until: UNTIL } }],
  'both at once': [
    [{ lastText: true, tokensFrom: UNTIL }],
    { lastText: { kind: 'text', text: 'The end.' }, tokens: { used: 0, until: UNTIL } },
  ],
  'one after the other': [
    [{ lastText: true }, { lastText: true, tokensFrom: 0 }],
    { lastText: { kind: 'text', text: 'The end.' }, tokens: { used: 7, until: UNTIL } },
  ],
  'one that is asked late': [[undefined, { tokensFrom: 0 }], { tokens: { used: 7, until: UNTIL } }],
};

for (const [sentence, [asks, expected]] of Object.entries(ASKS)) {
  test(`what the transcript tells: ${sentence}`, async () => {
    ask = asks;
    await rig.send(stopEvent({ transcript_path: rig.write('t.jsonl', LINES) }));
    expect(told).toEqual(expected);
  });
}

test('a transcript that no event names is unread, and its tokens are gone on with where they were', async () => {
  ask = [{ lastText: true, tokensFrom: 12 }];
  await rig.send(stopEvent());
  expect(told).toEqual({
    lastText: { kind: 'unread', why: expect.stringContaining('not named') },
    tokens: { used: 0, until: 12 },
  });
});

test('one that is not there is unread', async () => {
  ask = [{ lastText: true }];
  await rig.send(stopEvent({ transcript_path: join(rig.dir, 'nowhere') }));
  expect(told).toEqual({ lastText: { kind: 'unread', why: 'cannot be read (ENOENT)' } });
});
