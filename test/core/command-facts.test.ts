import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, describe, expect, test } from 'vitest';
import type { Effects } from '../../src/core/command-effects';
import { NOTHING } from '../../src/core/verdict';
import { makeRig, type Rig, scriptedChunks } from './rig';

let rig: Rig | undefined;
afterEach(() => rig?.remove());

/** Sends a command past a guard that asks for its effects, and tells what the guard was given. */
async function seenFor(command: string, prepare: (rig: Rig) => string | undefined = () => undefined) {
  const seen: { effects: Effects; defaultBranch: string | undefined }[] = [];
  const current = makeRig(
    scriptedChunks([
      {
        name: 'workflow',
        decide: (_event, _config, ctx) => {
          const effects = ctx.effects({ command, testCommands: ['bin/check  all'] });
          seen.push({ effects, defaultBranch: ctx.defaultBranch() });
          return NOTHING;
        },
      },
    ]),
  );
  rig = current;
  const cwd = prepare(current) ?? current.root;
  await current.send({
    hook_event_name: 'PreToolUse',
    tool_name: 'Bash',
    tool_input: { command },
    tool_use_id: 't',
    cwd,
  });
  const [told] = seen;
  if (told === undefined) throw new Error('the guard was not asked');
  return { ...told, root: current.root };
}

const branchesOf = ({ git }: Effects) => git.map(({ branch }) => branch);

describe('what a command is about to do', () => {
  test('a commit meets the branch that is checked out', async () => {
    const { effects, root } = await seenFor('git commit -m x');
    expect(effects.git[0]).toMatchObject({
      operation: 'commit',
      branch: ['main'],
      repository: [join(root, '.git')],
    });
  });

  test('each directory has the branch of its own work tree', async () => {
    const { effects } = await seenFor('git commit -m x; cd ../linked && git commit -m y', ({ root, git }) => {
      git(root, 'worktree', 'add', '--quiet', '-b', 'topic', '../linked');
      return undefined;
    });
    expect(branchesOf(effects)).toEqual([['main'], ['topic']]);
  });

  test('a relative path starts where the event says', async () => {
    const { effects, root } = await seenFor('echo x > a.txt', ({ root: at }) => {
      mkdirSync(join(at, 'sub'));
      return join(at, 'sub');
    });
    expect(effects.writes[0]?.path).toEqual([join(root, 'sub/a.txt')]);
  });

  test("the project's own test commands are known", async () => {
    const { effects } = await seenFor('bin/check all --fast');
    expect(effects.tests.map(({ runner }) => runner)).toEqual(['bin/check all']);
  });

  test('a line that the parser has to read is read', async () => {
    const { effects } = await seenFor('if true; then git commit -m "$(date)"; fi');
    expect(branchesOf(effects)).toEqual([['main']]);
  });

  test('a line that does not parse is not known', async () => {
    const { effects } = await seenFor('git commit -m "x');
    expect(effects.unknown).toMatchObject([{ kind: 'code' }]);
  });

  test("the remote's default branch comes along", async () => {
    const { defaultBranch } = await seenFor('git commit -m x', ({ root, git }) => {
      git(root, 'update-ref', 'refs/remotes/origin/trunk', 'HEAD');
      git(root, 'symbolic-ref', 'refs/remotes/origin/HEAD', 'refs/remotes/origin/trunk');
      return undefined;
    });
    expect(defaultBranch).toBe('trunk');
  });
});
