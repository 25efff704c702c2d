import { spawnSync } from 'node:child_process';
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { dirname } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { OLD_PROJECTS, type OldProject } from './old-projects';
import { at, type Ended, type HostDocument, makeRig, type Rig } from './rig';

let rig: Rig;
beforeEach(() => {
  rig = makeRig('');
});
afterEach(() => rig.remove());

function setUp(project: OldProject): string {
  const file = project.file(rig);
  mkdirSync(dirname(file), { recursive: true });
  writeFileSync(file, project.settings);
  project.prepare(rig);
  return file;
}

function install(project: OldProject, ...flags: string[]): Ended {
  return rig.holdpoint(['install', '--host', 'claude-code', ...project.scope, ...flags]);
}

/** Every line that the file has for an event. */
function linesIn(file: string, event: string): string[] {
  const groups = at(JSON.parse(readFileSync(file, 'utf8')), 'hooks', event) as {
    hooks: { command: string }[];
  }[];
  return (groups ?? []).flatMap(({ hooks }) => hooks.map(({ command }) => command));
}

/** What the lines that are installed for an event answer, run as the host does. */
function answerOf(file: string, event: HostDocument): Ended {
  const [line = '', ...more] = linesIn(file, String(event['hook_event_name'])).filter((each) =>
    each.includes('holdpoint'),
  );
  expect(more).toEqual([]);
  const { stdout, stderr, status } = spawnSync('/bin/sh', ['-c', line], {
    cwd: rig.repo,
    env: rig.environment(),
    input: JSON.stringify(event),
    encoding: 'utf8',
  });
  return { stdout, stderr, exitCode: status, json: stdout === '' ? undefined : JSON.parse(stdout) };
}

describe.each(OLD_PROJECTS)('a project of $program', (project) => {
  it('is told of its old lines, which stay without --replace', () => {
    const file = setUp(project);
    const told = install(project);
    expect(told.exitCode, told.stderr).toBe(0);
    expect(told.stdout + told.stderr).toContain(project.program);
    expect(told.stdout + told.stderr).toContain('--replace');
    expect(readFileSync(file, 'utf8')).toContain(project.mark);
  });

  it('goes on where it was with one line of ours, and back to the same bytes', () => {
    const file = setUp(project);
    const done = install(project, '--replace');
    expect(done.exitCode, done.stderr).toBe(0);
    const settings = readFileSync(file, 'utf8');
    expect(settings).not.toContain(project.mark);
    expect(linesIn(file, 'PreToolUse')).toContain('~/bin/my-own-hook');
    project.expected(answerOf(file, project.event(rig)));
    const back = rig.holdpoint(['uninstall', '--host', 'claude-code', ...project.scope]);
    expect(back.exitCode, back.stderr).toBe(0);
    expect(readFileSync(file, 'utf8')).toBe(project.settings);
  });
});
