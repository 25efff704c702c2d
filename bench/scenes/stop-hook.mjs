import { join } from 'node:path';
import { reports } from '../answers.mjs';
import { stop } from '../events.mjs';
import { gatedProject } from './gated-project.mjs';

const nowhere = (stage) => stage.repository('stop-hook-none');
const resting = (stage) => gatedProject(stage, 'stop-hook-resting', { interval: 600, cache: true });
const working = (stage) => gatedProject(stage, 'stop-hook-working', { interval: 0, cache: false });
const unchanged = (stage) => gatedProject(stage, 'stop-hook-unchanged', { interval: 0, cache: true });

const command = ({ stage }) => [process.execPath, join(stage.dist, 'agent-gauntlet.cjs'), 'stop-hook'];
const continued = (scene) => ({ ...stop(scene), stop_hook_active: true });
const row = (name, place, event, status) => ({ name, place, command, event, expects: reports(status) });

/** The gates' own command, as older entries call it. */
export const stopHook = [
  row('stop-hook: no config', nowhere, stop, 'no_config'),
  row('stop-hook: active already', resting, continued, 'stop_hook_active'),
  row('stop-hook: in the interval', resting, stop, 'interval_not_elapsed'),
  row('stop-hook: one check runs', working, stop, 'passed'),
  row('stop-hook: nothing has changed', unchanged, stop, 'passed'),
];
