import { branchFile } from './growth/branch-file.mjs';
import { config } from './growth/config.mjs';
import { journal } from './growth/journal.mjs';
import { loopLog } from './growth/loop-log.mjs';
import { metrics } from './growth/metrics.mjs';
import { registry } from './growth/registry.mjs';
import { repository } from './growth/repository.mjs';
import { transcript } from './growth/transcript.mjs';
import { gates } from './scenes/gates.mjs';
import { installed } from './scenes/installed.mjs';
import { loop } from './scenes/loop.mjs';
import { noGuard } from './scenes/no-guard.mjs';
import { nodeAlone } from './scenes/node-alone.mjs';
import { peers } from './scenes/peers.mjs';
import { requirements } from './scenes/requirements.mjs';
import { resident } from './scenes/resident.mjs';
import { stopHook } from './scenes/stop-hook.mjs';
import { workflow } from './scenes/workflow.mjs';

const SCENES = [
  ...noGuard,
  ...requirements,
  ...loop,
  ...workflow,
  ...gates,
  ...stopHook,
  ...installed,
  ...resident,
  ...peers,
];
const GROWTH = [
  ...registry,
  ...metrics,
  ...journal,
  ...config,
  ...branchFile,
  ...loopLog,
  ...transcript,
  ...repository,
];

/** The rows of a run, node alone first: everything is held against it. A row brings its smallest sibling along. */
export function rowsFor(withGrowth, pattern) {
  const all = withGrowth ? [...SCENES, ...GROWTH] : SCENES;
  const chosen = all.filter(({ name }) => pattern.test(name));
  const smallest = new Set(chosen.map((row) => row.smallest));
  return [...nodeAlone, ...all.filter((row) => chosen.includes(row) || smallest.has(row.name))];
}
