import { afterEach, beforeEach, expect, it } from 'vitest';
import { type GatesRig, makeGatesRig } from './gates-project';

let rig: GatesRig;
beforeEach(() => {
  rig = makeGatesRig();
});
afterEach(() => rig.remove());

const gatesIn = (): unknown => JSON.parse(rig.holdpoint(['status', '--json']).stdout).gates;

it('a project without gates has none in its status', () => {
  expect(gatesIn()).toBeNull();
  expect(rig.holdpoint(['status']).stdout).not.toContain('Gates');
});

it('gates that have never run are told as such', () => {
  rig.gates({ c: 'command: "true"\n' });
  expect(gatesIn()).toMatchObject({
    gates: 1,
    at_stops: true,
    last_status: null,
    failing: [],
    running: false,
  });
  expect(rig.holdpoint(['status']).stdout).toMatch(/Gates\n +1 gate +never run/);
});

it('what fails is named, with the command that tries again', () => {
  rig.gates({ c: 'command: exit 3\n' });
  rig.gauntlet(['run']);
  expect(gatesIn()).toMatchObject({ last_status: 'failed', failing: ['check:src:c'] });
  expect(rig.holdpoint(['status']).stdout).toContain('failing: check:src:c; `holdpoint gates run` shows why');
});

it('gates that do not run at the end of turns are shown as disabled', () => {
  rig.gates({ c: 'command: "true"\n' }, 'stop_hook: { enabled: false }');
  expect(rig.holdpoint(['status']).stdout).toContain('gates are disabled by `stop_hook.enabled`');
});
