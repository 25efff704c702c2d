import { availableParallelism } from 'node:os';

/** What the tests of the hook and of the hub have in common. */
export const shared = {
  // Many tests wait for processes, locks and deadlines, so there are more workers than cores.
  maxWorkers: availableParallelism() + 2,
  // A process for each file takes longer than most files do; helpers keep nothing that another file would trip over.
  isolate: false,
  testTimeout: 180_000,
  hookTimeout: 180_000,
  // A build machine does other things too. A test that needed its second try is named in the report.
  retry: process.env['CI'] === 'true' ? 1 : 0,
  // A machine that has much else to do takes long for what comes by itself.
  expect: { poll: { timeout: 30_000 } },
};
