import { expect, it } from 'vitest';
import { SESSION } from './events';
import { loopProject, STORE_LOG, storeLines } from './loop-project';

const frame = (iter: number, max: number, more = {}) => ({
  id: `f${iter}`,
  mode: 'loop',
  iter,
  max,
  ...more,
});
const RESUME = { on_child_done: 'resume' };

it.each([
  ['that waits for the next turn', [frame(2, 9), frame(1, 5)]],
  ['that goes on at once', [frame(2, 9, RESUME), frame(1, 5)]],
  ['behind one that is exhausted', [frame(2, 9, RESUME), frame(5, 5, RESUME), frame(1, 5)]],
])('a consumed signal is recorded when an outer loop becomes active, one %s', (_what, stack) => {
  const { rig, newest } = loopProject();
  const state = { schema: 1, event: 'STATE', run_id: 'r', updated_at: new Date().toISOString(), stack };
  rig.write(STORE_LOG, storeLines([state], Date.now()));
  const stop = {
    session_id: SESSION,
    hook_event_name: 'Stop',
    stop_hook_active: false,
    cwd: rig.repo,
    prompt_id: 'p1',
    last_assistant_message: 'all done\n<loop-done>COMPLETE</loop-done>',
  };
  rig.hook(stop);
  expect(newest(STORE_LOG)).toMatchObject({
    event: 'STATE',
    stack: [{ id: 'f2' }],
    last_signal: { hash: expect.any(String), prompt_id: 'p1' },
  });
  // The same words once more end nothing else.
  expect(rig.hook(stop).exitCode).toBe(2);
  expect(newest(STORE_LOG)).toMatchObject({ event: 'STATE', stack: [{ id: 'f2' }] });
  rig.remove();
});
