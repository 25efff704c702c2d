// A scratch repository with three requirements, a home of its own, and one session that has met them.
import { spawnSync } from 'node:child_process';
import { closeSync, existsSync, mkdirSync, openSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';

const REQUIREMENTS = ['commit_plan', 'adr_reviewed', 'tests_planned'];

export const SESSIONS = {
  denied: '11111111-1111-4111-8111-111111111111',
  satisfied: '22222222-2222-4222-8222-222222222222',
  quiet: '33333333-3333-4333-8333-333333333333',
};

export function makeScene(dir, req) {
  const [home, repo, nowhere] = ['home', 'repo', 'nowhere'].map((name) => join(dir, name));
  for (const each of [home, join(repo, '.claude'), nowhere]) mkdirSync(each, { recursive: true });
  writeFileSync(join(repo, '.claude', 'requirements.yaml'), config());
  const env = { PATH: process.env.PATH, HOME: home, GIT_CONFIG_NOSYSTEM: '1' };
  const call = (command, args, stdio) =>
    spawnSync(command, args, { cwd: repo, env, stdio, encoding: 'utf8' });

  call('git', ['init', '--quiet', '-b', 'feature/bench']);
  call('git', [
    '-c',
    'user.name=a',
    '-c',
    'user.email=a@b',
    'commit',
    '--quiet',
    '--allow-empty',
    '-m',
    'first',
  ]);

  return {
    env,
    repo,
    nowhere,
    troubles: satisfyAll(call, req),
    write(name, text) {
      const file = join(dir, name);
      writeFileSync(file, text);
      return file;
    },
    /** One event, for its answer and not for its time. */
    run(hook, input) {
      const stdin = openSync(input, 'r');
      const { stdout, stderr, status } = call(process.execPath, [hook], [stdin, 'pipe', 'pipe']);
      closeSync(stdin);
      return { stdout, stderr, status };
    },
  };
}

function config() {
  const rules = REQUIREMENTS.map((name) => `  ${name}:\n    enabled: true\n    scope: session\n`);
  return `version: "1.0"\ninherit: false\nrequirements:\n${rules.join('')}`;
}

function satisfyAll(call, req) {
  if (!existsSync(req)) return [`${req} is not there, so no session has met its requirements`];
  return REQUIREMENTS.flatMap((name) => {
    const { status, stderr } = call(process.execPath, [
      req,
      'satisfy',
      name,
      '--session',
      SESSIONS.satisfied,
    ]);
    return status === 0 ? [] : [`req satisfy ${name} failed: ${stderr.trim()}`];
  });
}
