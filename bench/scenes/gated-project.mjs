import { join } from 'node:path';
import { write } from '../stage.mjs';

/**
 * A project with one check that passes at once and a change that it has to look at. `interval` is for how many
 * minutes the gates rest after a run, `cache` whether a check that has passed runs again on the same files.
 */
export function gatedProject(stage, name, { interval, cache, files = {} }) {
  const config =
    `cli: { default_preference: [claude] }\nstop_hook: { run_interval_minutes: ${interval} }\n` +
    'base_branch: main\nentry_points: [{ path: src, checks: [c] }]\n';
  const place = stage.repository(name, {
    branch: 'main',
    files: {
      '.gitignore': 'gauntlet_logs\n',
      'src/a.txt': 'one\n',
      '.gauntlet/config.yml': config,
      '.gauntlet/checks/c.yml': `command: "true"\ncache: ${cache}\n`,
      ...files,
    },
  });
  stage.git(place, 'checkout', '--quiet', '-b', 'feat');
  write(join(place.root, 'src/a.txt'), 'two\n');
  return place;
}
