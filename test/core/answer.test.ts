import { afterEach, expect, test } from 'vitest';
import type { JsonObject } from '../../src/core/json';
import { makeRig, preTool, type Rig, scriptedChunks } from './rig';

let rig: Rig;
afterEach(() => rig.remove());

test('an answer that the host would throw away is held back, said and journalled', async () => {
  const updatedInput = 'not an object' as unknown as JsonObject;
  rig = makeRig(
    scriptedChunks([{ name: 'workflow', decide: () => ({ kind: 'advise', updatedInput, grounds: [] }) }]),
  );
  const answer = await rig.send(preTool());
  expect(answer).toMatchObject({ stdout: '', exitCode: 0 });
  expect(answer.stderr).toMatch(
    /^holdpoint: an answer was dropped because the host would have rejected it \(.+\)\.\n$/,
  );
  expect(rig.journal()).toMatchObject([{ failures: [{ code: 'output.invalid' }] }]);
});
