// A scratch repository with four requirements, a home of its own, and one session that has met them;
// a second one, whose branch has seen a thousand sessions; and a third one
// without config, in which a loop goes on.
import { spawnSync } from 'node:child_process';
import { closeSync, existsSync, mkdirSync, openSync, readFileSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';

const REQUIREMENTS = ['commit_plan', 'adr_reviewed', 'tests_planned', 'docs_planned'];
const SESSIONS_SEEN = 1000;

export const SESSIONS = {
  denied: '11111111-1111-4111-8111-111111111111',
  satisfied: '22222222-2222-4222-8222-222222222222',
  quiet: '33333333-3333-4333-8333-333333333333',
  looping: '44444444-4444-4444-8444-444444444444',
};

export function makeScene(dir, req) {
  const [home, repo, crowded, looping, nowhere] = ['home', 'repo', 'crowded', 'looping', 'nowhere'].map(
    (name) => join(dir, name),
  );
  const env = { PATH: process.env.PATH, HOME: home, GIT_CONFIG_NOSYSTEM: '1' };
  const call = (command, args, { cwd = repo, stdio } = {}) =>
    spawnSync(command, args, { cwd, env, stdio, encoding: 'utf8' });

  for (const each of [home, nowhere]) mkdirSync(each, { recursive: true });
  const troubles = [repo, crowded].flatMap((root) => makeRepository(root, call, req));
  troubles.push(...crowd(crowded), ...startLoop(looping, call, join(dirname(req), 'holdpoint.cjs')));

  return {
    env,
    repo,
    crowded,
    looping,
    nowhere,
    troubles,
    write(name, text) {
      const file = join(dir, name);
      writeFileSync(file, text);
      return file;
    },
    git: (root, ...args) => call('git', args, { cwd: root }),
    /** One event, for its answer and not for its time. */
    run([program, ...args], cwd, input) {
      const stdin = openSync(input, 'r');
      const { stdout, stderr, status } = call(program, args, { cwd, stdio: [stdin, 'pipe', 'pipe'] });
      closeSync(stdin);
      return { stdout, stderr, status };
    },
  };
}

function makeRepository(root, call, req) {
  mkdirSync(join(root, '.claude'), { recursive: true });
  writeFileSync(join(root, '.claude', 'requirements.yaml'), config());
  initRepository(root, call);
  return satisfyAll((args) => call(process.execPath, [req, ...args], { cwd: root }), req);
}

function initRepository(root, call) {
  const git = (...args) => call('git', args, { cwd: root });
  git('init', '--quiet', '-b', 'feature/bench');
  git('-c', 'user.name=a', '-c', 'user.email=a@b', 'commit', '--quiet', '--allow-empty', '-m', 'first');
}

function config() {
  const rules = REQUIREMENTS.map((name) => `  ${name}:\n    enabled: true\n    scope: session\n`);
  return `version: "1.0"\ninherit: false\nrequirements:\n${rules.join('')}`;
}

function satisfyAll(run, req) {
  if (!existsSync(req)) return [`${req} is not there, so no session has met its requirements`];
  return REQUIREMENTS.flatMap((name) => {
    const { status, stderr } = run(['satisfy', name, '--session', SESSIONS.satisfied]);
    return status === 0 ? [] : [`req satisfy ${name} failed: ${stderr.trim()}`];
  });
}

/** Gives every requirement what a thousand other sessions leave, spaced as older programs wrote it. */
function crowd(root) {
  const file = join(root, '.git', 'requirements', 'feature-bench.json');
  if (!existsSync(file)) return [`${file} is not there, so nobody crowds the branch`];
  const state = JSON.parse(readFileSync(file, 'utf8'));
  for (const { sessions } of Object.values(state.requirements)) {
    const [own] = Object.values(sessions);
    for (let count = 1; count <= SESSIONS_SEEN; count++) {
      // Spread like the beginnings of random ids: a run of plain numbers would be stored in another way.
      const key = (Math.imul(count, 0x9e3779b1) >>> 0).toString(16).padStart(8, '0');
      sessions[key] = { ...own, session_id: `${key}-1111-4111-8111-111111111111` };
    }
  }
  writeFileSync(file, `${JSON.stringify(state, null, 2)}\n`);
  return [];
}

/** A loop that no number of rounds brings to its end. */
function startLoop(root, call, holdpoint) {
  mkdirSync(root);
  initRepository(root, call);
  const args = ['loop', 'start', '--session', SESSIONS.looping, '--max', '1000000', 'Make the tests pass'];
  const { status, stderr } = call(process.execPath, [holdpoint, ...args], { cwd: root });
  return status === 0 ? [] : [`holdpoint loop start failed: ${stderr.trim()}`];
}
