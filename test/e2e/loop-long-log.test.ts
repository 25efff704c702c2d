import { spawnSync } from 'node:child_process';
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { eventsIn } from './events';
import { type LoopProject, loopProject, OWN_LOG } from './loop-project';
import { commandFile } from './rig';

/* A loop may go on for days; what a stop costs must not grow with it. */

/** The kernel counts what a shell's children have read, once they have ended. */
const COUNTING = '"$0" "$1"; cat /proc/$$/io >&2';
/** Far less than the log has, and room for what differs otherwise. */
const LEEWAY_BYTES = 300_000;

let project: LoopProject;

beforeEach(() => {
  project = loopProject();
});
afterEach(() => project.rig.remove());

/** The bytes that one stop has read. */
function bytesRead(round: string): number {
  const { rig } = project;
  const event = eventsIn(rig).stop(false, { last_assistant_message: round, prompt_id: round });
  const { stderr } = spawnSync('bash', ['-c', COUNTING, process.execPath, commandFile('hook')], {
    cwd: rig.dir,
    env: rig.environment(),
    input: JSON.stringify(event),
    encoding: 'utf8',
  });
  expect(stderr).toContain('[ITERATION');
  return Number(/^rchar: (\d+)$/m.exec(stderr)?.[1]);
}

test.skipIf(!existsSync('/proc/self/io'))('a stop reads as little of a long log as of a short one', () => {
  const { rig } = project;
  expect(project.loop(['start', '--max', '100000', 'x']).exitCode).toBe(0);
  for (const round of ['a', 'b', 'c', 'd', 'e', 'f']) bytesRead(`warm ${round}`);
  const short = bytesRead('short');
  const log = (): string => readFileSync(join(rig.repo, OWN_LOG), 'utf8');
  const [record, ...messages] = log().trimEnd().split('\n');
  const newest = messages.at(-1) ?? '';
  const older = Array.from({ length: 2000 }, () => messages[0]);
  rig.write(OWN_LOG, `${[record, ...older, newest].join('\n')}\n`);
  expect(log().length).toBeGreaterThan(4 * LEEWAY_BYTES);
  const { stack } = project.newest();
  expect(bytesRead('long')).toBeLessThan(short + LEEWAY_BYTES);
  expect(project.newest().stack[0]).toMatchObject({ iter: Number(stack[0]?.['iter']) + 1 });
});
