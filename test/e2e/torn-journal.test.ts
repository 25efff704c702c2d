import { appendFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, expect, it } from 'vitest';
import { EDIT, eventsIn } from './events';
import { deniedBecause, makeRig, PLAN_CONFIG, type Rig } from './rig';

let rig: Rig;
afterEach(() => rig.remove());

const idIn = (reason: string): string => /holdpoint why (\w+)/.exec(reason)?.[1] ?? '';

it('a decision behind half a line of a writer that died is found by its id, and listed', () => {
  rig = makeRig(PLAN_CONFIG, '.holdpoint/config.yaml');
  const on = eventsIn(rig);
  const first = idIn(deniedBecause(rig.hook(on.pre('Edit', EDIT))));
  appendFileSync(join(rig.repo, '.git/holdpoint/journal.jsonl'), '{"half":');
  const glued = idIn(deniedBecause(rig.hook(on.pre('Edit', EDIT))));
  const last = idIn(deniedBecause(rig.hook(on.pre('Write', EDIT))));
  const why = rig.holdpoint(['why', glued]);
  expect(why).toMatchObject({ exitCode: 0, stderr: '' });
  expect(why.stdout).toContain('commit_plan');
  const log = rig.holdpoint(['log']).stdout;
  expect([first, glued, last].map((id) => log.split(id).length - 1)).toEqual([1, 1, 1]);
  expect(rig.holdpoint(['status']).stdout).toContain(glued);
});
