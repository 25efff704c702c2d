import {
  existsSync,
  mkdirSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
  symlinkSync,
  utimesSync,
  writeFileSync,
} from 'node:fs';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { compileProject } from '../../src/core/compile-config';
import { cacheFile, findProject } from '../../src/core/project';
import { makeRig, partsWith, preTool, type Rig, realChunks, type Sending } from './rig';

let rig: Rig;
let compiled = 0;
beforeEach(() => {
  compiled = 0;
  rig = makeRig({
    ...realChunks,
    part: partsWith({
      compileProject: (...args) => {
        compiled++;
        return compileProject(...args);
      },
    }),
  });
  rig.write('.holdpoint/config.yaml', configFor('Edit'));
});
afterEach(() => rig.remove());

function configFor(tool: string): string {
  return `requirements:\n  plan:\n    enabled: true\n    trigger_tools: [${tool}]\n    message: Plan first.\n`;
}
const cacheOf = (root: string): string => {
  const project = findProject(root, { HOME: rig.home });
  if (project?.layout === undefined) throw new Error('no project');
  return cacheFile(project, project.layout.own);
};
const denied = async (tool: string, cwd = rig.root, sending: Sending = {}): Promise<boolean> =>
  (await rig.send({ ...preTool(tool), cwd }, sending)).stdout.includes('"deny"');

/** How often the config is compiled while `work` is done. */
async function compilations(work: () => Promise<unknown>): Promise<number> {
  const before = compiled;
  await work();
  return compiled - before;
}

describe('a compiled config', () => {
  test('is used again as long as nothing has changed', async () => {
    expect(await compilations(() => denied('Edit'))).toBe(1);
    expect(await compilations(() => denied('Edit'))).toBe(0);
    expect(await compilations(() => rig.send(preTool('Bash')))).toBe(0);
    expect(await denied('Edit')).toBe(true);
    expect(await denied('Read')).toBe(false);
  });

  test('is private to its owner', async () => {
    await denied('Edit');
    expect(statSync(cacheOf(rig.root)).mode & 0o777).toBe(0o600);
  });
});

describe('a link that leads nowhere', () => {
  const local = () => join(rig.root, '.holdpoint/config.local.yaml');

  test.each<[string, () => void]>([
    ['out of the project', () => symlinkSync('/nonexist', local())],
    ['in a circle', () => symlinkSync(local(), local())],
  ])('%s is compiled once, and so is its end', async (_, make) => {
    await denied('Edit');
    make();
    expect(await compilations(() => denied('Edit'))).toBe(1);
    expect(await compilations(() => denied('Edit'))).toBe(0);
    rmSync(local());
    expect(await compilations(() => denied('Edit'))).toBe(1);
    expect(await compilations(() => denied('Edit'))).toBe(0);
  });

  test('below something that is no directory nothing is looked for again and again', async () => {
    rig.write('.claude', 'a file');
    expect(await denied('Edit')).toBe(true);
    expect(await compilations(() => denied('Edit'))).toBe(0);
  });
});

describe('the config is compiled anew', () => {
  beforeEach(async () => {
    expect(await denied('Edit')).toBe(true);
  });
  const configPath = () => join(rig.root, '.holdpoint/config.yaml');

  test('after an edit', async () => {
    writeFileSync(configPath(), `${configFor('Read')}# longer\n`);
    expect([await denied('Edit'), await denied('Read')]).toEqual([false, true]);
  });

  test('after an edit that kept size and time but is another file', async () => {
    const { atime, mtime, size } = statSync(configPath());
    writeFileSync(`${configPath()}.new`, configFor('Read'));
    utimesSync(`${configPath()}.new`, atime, mtime);
    renameSync(`${configPath()}.new`, configPath());
    expect(statSync(configPath())).toMatchObject({ size, mtime });
    expect([await denied('Edit'), await denied('Read')]).toEqual([false, true]);
  });

  test.each<[string, () => void]>([
    ['.holdpoint/config.local.yaml', () => void rig.write('.holdpoint/config.local.yaml', configFor('Read'))],
    [
      '~/.config/holdpoint/config.yaml',
      () => {
        mkdirSync(join(rig.home, '.config/holdpoint'), { recursive: true });
        const off = 'requirements:\n  other:\n    enabled: true\n    trigger_tools: [Read]\n';
        writeFileSync(join(rig.home, '.config/holdpoint/config.yaml'), off);
      },
    ],
  ])('when %s appears', async (_, write) => {
    expect(await denied('Read')).toBe(false);
    write();
    expect(await denied('Read')).toBe(true);
  });

  test('when a file goes', async () => {
    rmSync(configPath());
    expect(await denied('Edit')).toBe(false);
  });

  test.each<[string, (lines: string[]) => string]>([
    ['empty', () => ''],
    ['cut in its first line', ([head = '']) => head.slice(0, 40)],
    ['cut after its first line', ([head]) => `${head}\n`],
    ['cut in its last line', (lines) => lines.join('\n').slice(0, -20)],
    ['not ours', () => 'hello\nworld\n'],
    ['a list', () => '[]\n'],
    ['damaged in the part of a guard', ([head]) => `${head}\n{"enabled": tr\0\0\0\n`],
    ['filled with zeros', (lines) => '\0'.repeat(lines.join('\n').length)],
    [
      'of another version',
      ([head = '', ...rest]) => [head.replace('0.0.0-test', '0.0.1'), ...rest].join('\n'),
    ],
    [
      'of another home',
      ([head = '', ...rest]) => [head.replaceAll(rig.home, '/home/other'), ...rest].join('\n'),
    ],
    [
      'of another root',
      ([head = '', ...rest]) => [head.replaceAll(`"${rig.root}"`, '"/other"'), ...rest].join('\n'),
    ],
    [
      'without its stamps',
      ([head = '', ...rest]) => [JSON.stringify({ ...JSON.parse(head), stamps: 1 }), ...rest].join('\n'),
    ],
    [
      'without its guards',
      ([head = '', ...rest]) => [JSON.stringify({ ...JSON.parse(head), guards: 1 }), ...rest].join('\n'),
    ],
  ])('when its cache is %s, and the event is decided as ever', async (_, damage) => {
    const file = cacheOf(rig.root);
    const whole = readFileSync(file, 'utf8');
    const damaged = damage(whole.split('\n'));
    expect(damaged).not.toBe(whole);
    writeFileSync(file, damaged);
    const answer = await rig.send(preTool('Edit'));
    expect(answer).toMatchObject({ stdout: expect.stringContaining('"deny"'), stderr: '' });
    expect(readFileSync(file, 'utf8')).toBe(whole);
    expect(await compilations(() => denied('Edit'))).toBe(0);
  });

  test('when the home is another one', async () => {
    const home = join(rig.dir, 'other-home');
    mkdirSync(home);
    expect(await compilations(() => denied('Edit', rig.root, { env: { HOME: home } }))).toBe(1);
  });
});

describe('work trees', () => {
  const addTree = (name: string): string => {
    const tree = join(rig.dir, name);
    rig.git(rig.root, 'worktree', 'add', '--quiet', '-b', 'other', tree);
    mkdirSync(join(tree, '.holdpoint'));
    writeFileSync(join(tree, '.holdpoint/config.yaml'), configFor('Read'));
    return tree;
  };

  test.each(['tree', 'main'])(
    'each have a config and a cache of their own, even one called %s',
    async (name) => {
      const parent = name === 'main' ? 'trees/main' : name;
      mkdirSync(join(rig.dir, 'trees'));
      const tree = addTree(parent);
      expect([await denied('Edit'), await denied('Read')]).toEqual([true, false]);
      expect([await denied('Edit', tree), await denied('Read', tree)]).toEqual([false, true]);
      expect(await compilations(() => denied('Edit'))).toBe(0);
      expect(await compilations(() => denied('Read', tree))).toBe(0);
    },
  );
});

describe('odd places', () => {
  test.each<[string, () => void]>([
    ['.claude is a plain file', () => void rig.write('.claude', 'x')],
    ['~/.config is a plain file', () => writeFileSync(join(rig.home, '.config'), 'x')],
  ])('what can be read is enforced though %s', async (_, make) => {
    make();
    const answer = await rig.send(preTool('Edit'));
    expect(answer).toMatchObject({ stdout: expect.stringContaining('"deny"'), stderr: '' });
    expect(await compilations(() => denied('Edit'))).toBe(0);
  });

  test('what can be read is enforced though another file leads in a circle, of which is told', async () => {
    symlinkSync('.claude', join(rig.root, '.claude'));
    const answer = await rig.send(preTool('Edit'));
    expect(answer.stdout).toContain('"deny"');
    expect(answer.stderr).toMatch(/the config could not be read \(\.claude\/requirements/);
  });

  test('no cache is written through a link that leads out of the repository', async () => {
    const outside = join(rig.dir, 'outside');
    mkdirSync(outside);
    symlinkSync(outside, rig.layout.own);
    expect(await denied('Edit')).toBe(true);
    expect(existsSync(join(outside, cacheOf(rig.root).slice(rig.layout.own.length + 1)))).toBe(false);
  });

  test('a cache that cannot be written costs nothing but time', async () => {
    writeFileSync(rig.layout.own, 'in the way');
    expect(await denied('Edit')).toBe(true);
  });
});
