// Everything that a run needs on disk, in one temporary directory: a home and a root for every place, so
// that what one keeps is in nobody else's way.
import { spawnSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, realpathSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';

const IDENTITY = ['-c', 'user.name=a', '-c', 'user.email=a@example.invalid'];
/** Many new objects would have git tidy up behind our back, in the middle of the rounds. */
const UNTIDIED = ['-c', 'gc.auto=0', '-c', 'maintenance.auto=false'];

export function openStage(dist) {
  const dir = realpathSync(mkdtempSync(join(tmpdir(), 'holdpoint-bench-')));
  const path = (name) => join(dir, name);
  const environment = (home) => ({
    PATH: process.env.PATH,
    HOME: home,
    TMPDIR: dir,
    GIT_CONFIG_NOSYSTEM: '1',
  });
  const run = ({ home, root }, [program, ...args], input = '') =>
    spawnSync(program, args, { cwd: root, env: environment(home), input, encoding: 'utf8' });

  /** Runs what has to succeed for the figures to mean anything. */
  const must = (place, command) => {
    const { status, stderr } = run(place, command);
    if (status !== 0) throw new Error(`${command.join(' ')} in ${place.root}: ${stderr.trim()}`);
  };
  const git = (place, ...args) => must(place, ['git', ...IDENTITY, ...UNTIDIED, ...args]);

  /** A directory that is no repository, with a home beside it. */
  const bare = (name) => {
    const place = { home: path(`${name}-home`), root: path(`${name}-root`) };
    for (const each of Object.values(place)) mkdirSync(each);
    return place;
  };

  /** A repository with one commit of the given files, by path. */
  const repository = (name, { branch = 'feature/bench', files = {} } = {}) => {
    const place = bare(name);
    for (const [file, text] of Object.entries(files)) write(join(place.root, file), text);
    git(place, 'init', '--quiet', '-b', branch);
    git(place, 'add', '.');
    git(place, 'commit', '--quiet', '--allow-empty', '-m', 'first');
    return place;
  };

  const endings = [];
  return {
    dir,
    dist,
    path,
    environment,
    run,
    git,
    bare,
    repository,
    /** One of the commands of the build that is measured. */
    product: (place, command, ...args) =>
      must(place, [process.execPath, join(dist, `${command}.cjs`), ...args]),
    write: (name, text) => write(path(name), text),
    /** Has something done before everything goes, such as to end what was started. */
    atEnd: (work) => void endings.push(work),
    remove: () => {
      for (const work of endings.splice(0)) work();
      rmSync(dir, { recursive: true, force: true, maxRetries: 3 });
    },
  };
}

/** Writes a file with the directories above it and tells its name. */
export function write(file, text) {
  mkdirSync(dirname(file), { recursive: true });
  writeFileSync(file, text);
  return file;
}
