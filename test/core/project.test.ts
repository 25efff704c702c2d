import { existsSync, mkdirSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { findProject, presenceStamp } from '../../src/core/project';
import { makeRig, preTool, type Rig, realChunks, startEvent } from './rig';

let rig: Rig;
beforeEach(() => {
  rig = makeRig(realChunks);
  rmSync(join(rig.root, '.holdpoint'), { recursive: true });
});
afterEach(() => rig.remove());

const PLAN =
  'requirements:\n  plan:\n    enabled: true\n    trigger_tools: [Edit]\n    message: Plan first.\n';

function make(file: string, text = ''): void {
  mkdirSync(dirname(file), { recursive: true });
  writeFileSync(file, text);
}
const find = (cwd: string, env: Record<string, string> = {}) => findProject(cwd, { HOME: rig.home, ...env });
const isDenied = async (cwd: string, env: Record<string, string> = {}): Promise<boolean> =>
  (await rig.send({ ...preTool('Edit'), cwd }, { env })).stdout.includes('"deny"');

describe('the project of an event', () => {
  test('is the repository around its directory', () => {
    make(join(rig.root, '.holdpoint/config.yaml'));
    make(join(rig.root, 'deep/er/file'));
    expect(find(join(rig.root, 'deep/er'))).toMatchObject({
      root: rig.root,
      configured: true,
      layout: rig.layout,
    });
  });

  test.each([
    '.holdpoint/config.yaml',
    '.claude/requirements.yaml',
    '.claude/requirements.local.yaml',
    '.gauntlet/config.yml',
    '.isdlc/state.json',
  ])('is configured by %s', (file) => {
    expect(find(rig.root)).toMatchObject({ root: rig.root, configured: false });
    make(join(rig.root, file));
    expect(find(rig.root)).toMatchObject({ root: rig.root, configured: true });
  });

  test.each(['.config/holdpoint/config.yaml', '.claude/requirements.yaml'])(
    'is configured by ~/%s',
    (file) => {
      make(join(rig.home, file));
      expect(find(rig.root)).toMatchObject({ root: rig.root, configured: true });
    },
  );

  test('is not configured by a .claude that has nothing of ours', () => {
    make(join(rig.root, '.claude/settings.json'));
    expect(find(rig.root)).toMatchObject({ configured: false });
  });

  test('around a nested repository without config is the configured one', () => {
    make(join(rig.root, '.holdpoint/config.yaml'));
    rig.repo('project/vendor/nested');
    expect(find(join(rig.root, 'vendor/nested'))).toMatchObject({ root: rig.root, configured: true });
  });

  test('is the nested repository where it has a config of its own', () => {
    make(join(rig.root, '.holdpoint/config.yaml'));
    const nested = rig.repo('project/vendor/nested');
    make(join(nested, '.holdpoint/config.yaml'));
    expect(find(nested)).toMatchObject({ root: nested });
  });

  test('is the nearest one where nobody has a config', () => {
    const nested = rig.repo('project/vendor/nested');
    expect(find(nested)).toMatchObject({ root: nested, configured: false });
  });

  test('is found from a directory that is gone', () => {
    make(join(rig.root, '.holdpoint/config.yaml'));
    expect(find(join(rig.root, 'gone/long/ago'))).toMatchObject({ root: rig.root });
  });

  test('is what the host names, where the directory is outside of any', () => {
    make(join(rig.root, '.holdpoint/config.yaml'));
    expect(find(rig.home)).toBeUndefined();
    expect(find(rig.home, { CLAUDE_PROJECT_DIR: rig.root })).toMatchObject({ root: rig.root });
    expect(find('', { CLAUDE_PROJECT_DIR: rig.root })).toMatchObject({ root: rig.root });
  });

  test('is not looked for in a relative directory: who knows relative to what', () => {
    expect(find('.')).toBeUndefined();
    expect(find('', { CLAUDE_PROJECT_DIR: '.' })).toBeUndefined();
  });

  test('is found through a link', () => {
    make(join(rig.root, 'src/file'));
    symlinkSync(join(rig.root, 'src'), join(rig.dir, 'link'));
    expect(find(join(rig.dir, 'link'))).toMatchObject({ root: rig.root });
  });

  test('in a linked work tree is that tree, with the state of the repository', () => {
    const tree = join(rig.dir, 'tree');
    rig.git(rig.root, 'worktree', 'add', '--quiet', tree);
    expect(find(tree)).toMatchObject({
      root: tree,
      git: { worktree: 'tree' },
      layout: { root: tree, git: rig.layout.git, own: rig.layout.own },
    });
  });
});

describe('without git', () => {
  test('a directory of ours makes the project', () => {
    const root = join(rig.dir, 'plain');
    make(join(root, '.holdpoint/config.yaml'));
    make(join(root, 'a/b/file'));
    expect(find(join(root, 'a/b'))).toMatchObject({
      root,
      git: undefined,
      configured: true,
      layout: { git: join(root, '.holdpoint'), own: join(root, '.holdpoint/state') },
    });
  });

  test('it is enforced there too', async () => {
    const root = join(rig.dir, 'plain');
    make(join(root, '.holdpoint/config.yaml'), PLAN);
    expect(await isDenied(root)).toBe(true);
    expect(existsSync(join(root, '.holdpoint/state'))).toBe(true);
  });

  test('nothing else makes one', () => {
    const root = join(rig.dir, 'plain');
    make(join(root, '.claude/requirements.yaml'));
    expect(find(root)).toBeUndefined();
  });
});

describe('a home that is a repository itself', () => {
  beforeEach(() => {
    rig.git(rig.home, 'init', '--quiet');
    make(join(rig.home, '.claude/requirements.yaml'), PLAN);
    make(join(rig.home, 'notes/file'));
  });

  test('does not become the project of a repository inside it', () => {
    const inner = join(rig.home, 'inner');
    mkdirSync(inner);
    rig.git(inner, 'init', '--quiet');
    expect(find(inner)).toMatchObject({ root: inner });
  });

  test.each<[string, () => Record<string, string>]>([
    ['plainly', () => ({})],
    [
      'through a link',
      () => {
        symlinkSync(rig.home, join(rig.dir, 'home-link'));
        return { HOME: join(rig.dir, 'home-link') };
      },
    ],
  ])('has a global config, not one of a project: nothing is enforced there (%s)', async (_, env) => {
    expect(await isDenied(join(rig.home, 'notes'), env())).toBe(false);
  });

  test('enforces where the global config says everywhere', async () => {
    make(join(rig.home, '.claude/requirements.yaml'), `enforce_everywhere: true\n${PLAN}`);
    expect(await isDenied(join(rig.home, 'notes'))).toBe(true);
  });
});

describe('a repository without config', () => {
  test('is told of once, at the start of a session, and nothing is kept', async () => {
    expect((await rig.send(startEvent())).stdout).toMatch(/systemMessage.*Holdpoint is /);
    expect((await rig.send(startEvent('resume'))).stdout).toBe('');
    expect(await isDenied(rig.root)).toBe(false);
    expect(existsSync(rig.layout.own)).toBe(false);
  });
});

test('a file that gets shorter as fast as it gets newer looks different every time', () => {
  const file = join(rig.dir, 'shrinking');
  const [first, most] = [Date.now(), 5000];
  const stamps = new Map<number, string>();
  for (let size = most; stamps.size < 20; size = most - (Date.now() - first)) {
    writeFileSync(file, 'x'.repeat(size));
    stamps.set(size, presenceStamp(file));
  }
  expect(new Set(stamps.values()).size).toBe(stamps.size);
});
