// Other programs of the same trade, where this machine has them. What they answer is theirs: only that they
// end, and do not fail to start, is asked of them.
import { spawnSync } from 'node:child_process';
import { existsSync, readFileSync, realpathSync } from 'node:fs';
import { homedir } from 'node:os';
import { delimiter, dirname, join } from 'node:path';
import { edit, stop } from '../events.mjs';
import { projectWith } from './four-requirements.mjs';
import { gatedProject } from './gated-project.mjs';

const NO_GAUNTLET = 'agent-gauntlet: none on the PATH but ours.';
const DIRS = (process.env.PATH ?? '').split(delimiter).filter((dir) => dir !== '');
/** Where the hooks of claude-requirements-framework are put. */
const HOOK_DIRS = [join(homedir(), '.claude', 'hooks'), ...DIRS];

const firstIn = (dirs, name, fits = () => true) =>
  dirs.map((dir) => join(dir, name)).find((file) => existsSync(file) && fits(file));

/** Our own package installs a command of that name too. */
function isForeign(file) {
  for (let dir = dirname(realpathSync(file)); dir !== dirname(dir); dir = dirname(dir)) {
    const manifest = join(dir, 'package.json');
    if (existsSync(manifest)) return JSON.parse(readFileSync(manifest, 'utf8')).name !== 'holdpoint';
  }
  return true;
}

const gauntlet = firstIn(DIRS, 'agent-gauntlet', isForeign);
const hookCalled = (name) => firstIn(HOOK_DIRS, name);

/** Python itself: what stands on the PATH may be a script that looks for it in the home. */
function python() {
  const { stdout } = spawnSync('python3', ['-c', 'import sys; print(sys.executable)'], { encoding: 'utf8' });
  return stdout?.trim() || 'python3';
}

const orMissing = (program, missing, make) => (stage) => (program === undefined ? { missing } : make(stage));
const gated = (name, options) =>
  orMissing(gauntlet, NO_GAUNTLET, (stage) => gatedProject(stage, name, options));
const required = (name) =>
  orMissing(hookCalled(name), `Python hook ${name}: not found.`, (stage) =>
    projectWith(stage, `peer-${name}`),
  );

const ends = ({ status }) => status < 126;
const gauntletRow = (name, place) => ({
  name: `agent-gauntlet (not ours): ${name}`,
  place,
  command: () => [gauntlet, 'stop-hook'],
  event: stop,
  expects: ends,
});
const pythonRow = (name, event) => ({
  name: `python: ${name}`,
  place: required(name),
  command: () => [python(), hookCalled(name)],
  event,
  expects: ends,
});

export const peers = [
  gauntletRow('in the interval', gated('peer-resting', { interval: 600, cache: true })),
  gauntletRow('one check runs', gated('peer-working', { interval: 0, cache: false })),
  pythonRow('check-requirements.py', edit),
  pythonRow('handle-stop.py', stop),
];
