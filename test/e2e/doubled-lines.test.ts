import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, describe, expect, it } from 'vitest';
import { times } from '../stress';
import { EDIT, eventsIn, KEY } from './events';
import { loopProject, STORE_LOG, storeLines } from './loop-project';
import { at, commandFile, deniedBecause, type Ended, type HostDocument, makeRig, type Rig } from './rig';

let rig: Rig | undefined;
afterEach(() => rig?.remove());

/** What a host does that knows us by two lines which differ, as from a plugin and from its settings. */
function twice(where: Rig, event: HostDocument): Promise<[Ended, Ended]> {
  return Promise.all([where.startHook(event), where.startHook(event)]);
}

function iterationsIn(answers: readonly Ended[]): string[] {
  return answers.flatMap(({ stdout }) => /\[ITERATION \d+\/\d+\]/.exec(stdout) ?? []);
}

function holdsIn(answers: readonly Ended[]): number {
  return answers.filter(({ json }) => at(json, 'decision') === 'block').length;
}

const WORDS = { prompt_id: 'p', last_assistant_message: 'Done.' };

describe('one event that two lines bring to us', () => {
  it('is one iteration of a loop', async () => {
    const project = loopProject();
    rig = project.rig;
    const { stop } = eventsIn(rig);
    project.loop(['start', '--max', '5', 'Work']);
    expect(iterationsIn(await twice(rig, stop(false, WORDS)))).toEqual(['[ITERATION 2/5]']);
    expect(iterationsIn(await twice(rig, stop(true, WORDS)))).toEqual(['[ITERATION 3/5]']);
    // The same words once more, but from a turn that went on after the last answer.
    expect(iterationsIn(await twice(rig, stop(true, WORDS)))).toEqual(['[ITERATION 4/5]']);
    expect(project.newest().stack[0]?.['iter']).toBe(4);
  });

  it('ends one loop that is inside another, and the other one waits', async () => {
    const project = loopProject();
    rig = project.rig;
    const stack = [
      { mode: 'loop', iter: 1, max: 5 },
      { mode: 'loop', iter: 1, max: 10 },
    ];
    const done = { prompt_id: 'p', last_assistant_message: '<loop-done>COMPLETE</loop-done>' };
    for (let n = 0; n < times(3, 20); n += 1) {
      rig.write(STORE_LOG, storeLines([{ schema: 1, event: 'STATE', stack }]));
      expect(iterationsIn(await twice(rig, eventsIn(rig).stop(false, done)))).toEqual([]);
      expect(project.newest(STORE_LOG)).toMatchObject({ event: 'STATE', stack: [stack[0]] });
    }
  });

  it('is one denial, told in full by both', async () => {
    rig = makeRig();
    const denied = await twice(rig, eventsIn(rig).pre('Edit', EDIT, { tool_use_id: 'toolu_1' }));
    for (const one of denied) expect(deniedBecause(one)).toContain('**Action**: `req satisfy commit_plan');
    const metrics = rig.readJson(`.git/requirements/sessions/${KEY}.json`);
    expect(at(metrics, 'tools', 'Edit')).toMatchObject({ count: 1, blocked_count: 1 });
  });

  it('is one stop that requirements hold, and no override', async () => {
    rig = makeRig('{requirements: {log: {enabled: true, stop_only: true, trigger_tools: [Edit]}}}\n');
    const { pre, stop } = eventsIn(rig);
    rig.hook(pre('Edit', EDIT, { tool_use_id: 'toolu_1' }));
    expect(holdsIn(await twice(rig, stop(false, WORDS)))).toBe(1);
    const state = rig.readJson('.git/requirements/feature-auth.json');
    expect(at(state, 'requirements', 'log')).toBeDefined();
    expect(at(state, 'stop_overrides')).toBeUndefined();
  });

  it('is one stop also for a line that comes late, because it has done something else first', async () => {
    rig = makeRig('{requirements: {log: {enabled: true, stop_only: true, trigger_tools: [Edit]}}}\n');
    const { pre, stop } = eventsIn(rig);
    rig.hook(pre('Edit', EDIT, { tool_use_id: 'toolu_1' }));
    const line = `read -r go; exec '${process.execPath}' '${commandFile('hook')}' <event`;
    writeFileSync(join(rig.dir, 'event'), JSON.stringify(stop(false, WORDS)));
    const late = spawn('sh', ['-c', line], { cwd: rig.dir, env: rig.environment() });
    const said: Buffer[] = [];
    late.stdout.on('data', (piece: Buffer) => said.push(piece));
    await once(late, 'spawn');
    expect(holdsIn([await rig.startHook(stop(false, WORDS))])).toBe(1);
    late.stdin.end('go\n');
    expect(await once(late, 'close')).toEqual([0, null]);
    expect(Buffer.concat(said).toString()).toBe('');
    expect(at(rig.readJson('.git/requirements/feature-auth.json'), 'stop_overrides')).toBeUndefined();
  });

  it('is one retry of the gates', async () => {
    const check = 'sh -c "sleep 1; exit 1"';
    rig = makeRig(
      `gates: {base_branch: HEAD, entry_points: [{path: ., checks: [c]}], checks: {c: {command: '${check}'}}}\n`,
    );
    rig.write('new.txt', 'x');
    for (const left of ['3 retries left', '2 retries left'])
      for (const { json } of await twice(rig, eventsIn(rig).stop(left.startsWith('2'), WORDS)))
        expect(at(json, 'reason') ?? left).toContain(left);
  });

  it('is one run of the gates', async () => {
    rig = makeRig('');
    // It lasts as checks do, so that both processes come while it runs.
    rig.write('.gauntlet/checks/c.yml', 'command: sh -c "echo ran >> ../ran; sleep 1; exit 1"\n');
    const entries = 'entry_points: [{path: ".", checks: [c]}]';
    rig.write('.gauntlet/config.yml', `base_branch: HEAD\ncli: {default_preference: [claude]}\n${entries}\n`);
    expect(holdsIn(await twice(rig, eventsIn(rig).stop(false, WORDS)))).toBe(1);
    expect(readFileSync(join(rig.dir, 'ran'), 'utf8')).toBe('ran\n');
  });
});
