// The gates' own command: where there are no gates, while it is active already, while the gates rest after a
// run, with one check that has to run, and with one that has passed on the same files.
import { mkdirSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';

/** Variants as in variants.mjs. Each project has a check that passes at once. */
export function stopHookVariants(scene, dist, rounds) {
  const command = [process.execPath, join(dist, 'agent-gauntlet.cjs'), 'stop-hook'];
  const variant = (name, cwd, more, status) => {
    const body = { hook_event_name: 'Stop', stop_hook_active: false, cwd, ...more };
    const input = scene.write(`${name}.json`, JSON.stringify(body));
    const expects = ({ status: code, stdout }) => code === 0 && JSON.parse(stdout).status === status;
    return { name, command, cwd, inputs: Array.from({ length: rounds + 2 }, () => input), expects };
  };
  const resting = project(scene, 'resting', 60, true);
  const working = project(scene, 'working', 0, false);
  const unchanged = project(scene, 'unchanged', 0, true);
  const variants = [
    variant('stop-hook, no config', scene.nowhere, {}, 'no_config'),
    variant('stop-hook, active already', resting, { stop_hook_active: true }, 'stop_hook_active'),
    variant('stop-hook, in the interval', resting, {}, 'interval_not_elapsed'),
    variant('stop-hook, one check runs', working, {}, 'passed'),
    variant('stop-hook, nothing has changed', unchanged, {}, 'passed'),
  ];
  for (const { command: line, cwd, inputs } of variants) scene.run(line, cwd, inputs[0]);
  return variants;
}

function project(scene, name, interval, cache) {
  const root = join(dirname(scene.repo), name);
  const write = (path, text) => {
    mkdirSync(dirname(join(root, path)), { recursive: true });
    writeFileSync(join(root, path), text);
  };
  write('.gitignore', 'gauntlet_logs\n');
  write('src/a.txt', 'one\n');
  write(
    '.gauntlet/config.yml',
    `cli: { default_preference: [claude] }\nstop_hook: { run_interval_minutes: ${interval} }\n` +
      'base_branch: main\nentry_points: [{ path: src, checks: [c] }]\n',
  );
  write('.gauntlet/checks/c.yml', `command: "true"\ncache: ${cache}\n`);
  scene.git(root, 'init', '--quiet', '-b', 'main');
  scene.git(root, 'add', '.');
  scene.git(root, '-c', 'user.name=a', '-c', 'user.email=a@b', 'commit', '--quiet', '-m', 'first');
  scene.git(root, 'checkout', '--quiet', '-b', 'feat');
  write('src/a.txt', 'two\n');
  return root;
}
