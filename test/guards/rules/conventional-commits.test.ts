import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { preTool } from '../../core/rig';
import { bash, type RuleRig, ruleRig } from './rules-rig';

let rig: RuleRig;
beforeAll(() => {
  rig = ruleRig('conventional-commits');
  rig.write('good.txt', '# a comment\nfix: read the last line\n');
  rig.write('bad.txt', 'Read the last line\n');
});
afterAll(() => rig.remove());

const OFFENDING = [
  'git commit -m "Update stuff"',
  "git commit -m 'fixed the bug'",
  'git commit -am wip',
  'git commit -a -m "feat add parser"',
  'git commit -m "feat:"',
  'git commit -m "feat:no space"',
  'git commit -m "Feat: parser"',
  'git commit -m "feature: parser"',
  'git commit -m "feat (parser): x"',
  'git commit -m "feat(): x"',
  'git commit -m "foo: bar"',
  'git commit --message="Update stuff"',
  'git commit --message "Update stuff"',
  'git commit -m "Update stuff" -m "feat: in the body"',
  'git commit -mUpdate',
  'g""it commit -m "Update stuff"',
  'git -C . commit -m "Update stuff"',
  'git -c user.name=x commit -qm "Update stuff"',
  'git add -A && git commit -m "Update stuff" && git push',
  'git commit -m "$(cat <<\'EOF\'\nUpdate stuff\n\nfeat: no\nEOF\n)"',
  "git commit -F - <<'EOF'\nUpdate stuff\nEOF",
  "cat > a.txt <<'EOF'\nfeat: no\nEOF\ngit add a.txt\ngit commit -F - <<'EOF'\nUpdate stuff\nEOF",
  "git commit -F - <<< 'Update stuff'",
  'git commit -F bad.txt',
  'git commit --file=bad.txt',
  'git commit -m "Update $NAME"',
  'git commit --amend -m "Update stuff"',
  'git commit --allow-empty -m "trigger ci"',
  'git commit -m "Update stuff" -- --squash',
  'git commit -m --squash -m "Update stuff"',
  'git commit --author --fixup=x -m "Update stuff"',
  'git commit --squash HEAD --no-squash -m "Update stuff"',
  'git commit --fixup=amend:HEAD -m "Update stuff"',
  'git commit --fixup reword:HEAD -m "Update stuff"',
];

const ORDINARY = [
  'git commit -m "feat: a parser"',
  "git commit -m 'fix(parser): read the last line'",
  'git commit -am "docs: how to install"',
  'git commit -m "feat!: drop Node 18"',
  'git commit -m "refactor(core/api)!: one way in"',
  'git commit -m "chore(deps): bump x from 1 to 2"',
  'git commit -m "build: y" -m "Some body"',
  'git commit -m "ci: z"',
  'git commit -m "perf: faster"',
  'git commit -m "style: format"',
  'git commit -m "test: more cases"',
  'git commit -m "revert: feat: a parser"',
  'git commit -m "Merge branch \'main\' into x"',
  'git commit -m "Revert \\"feat: a parser\\""',
  'git commit -m "fixup! feat: a parser"',
  'git commit --fixup=HEAD~1',
  'git commit --squash HEAD -m "more words"',
  'git commit -a --fixup=HEAD -m "more words"',
  'git commit --fixup=amend:HEAD -m "feat: a parser"',
  'git commit --amend --no-edit',
  'git commit -C HEAD@{1}',
  'git commit --message="feat: a parser"',
  'git commit -m "$(cat <<\'EOF\'\nfeat: a parser\n\nIt reads lines.\nEOF\n)"',
  "git commit -F - <<'EOF'\nfix: a thing\n\nbody\nEOF",
  "cat > a.txt <<'EOF'\nSome notes\nEOF\ngit add a.txt\ngit commit -F - <<'EOF'\nfix: a thing\nEOF",
  "cat > a.txt <<'EOF'\nSome notes\nEOF\ncat <<'EOF' | git commit -F -\nfix: a thing\nEOF",
  'git commit -F - <<< "fix: a thing"',
  'git commit -F good.txt',
  'git commit -m "feat: built on $(date)"',
  'git commit -m "feat(x): add \\$price"',
  'git merge feature',
  'git status',
  'git log --grep "Update stuff"',
  'echo "git commit -m bad"',
  'git commit --dry-run',
];

const UNSEEN = [
  'git commit',
  'git commit -a',
  'git commit -m "$MESSAGE"',
  'git commit -F /nowhere/x',
  'git commit -v',
];

/** The header that is suggested instead. */
const SUGGESTED: readonly (readonly [message: string, instead: string])[] = [
  ['Feat: add foo', 'feat: add foo'],
  ['FIX: Add foo', 'fix: add foo'],
  ['feat:add foo', 'feat: add foo'],
  ['feat : x', 'feat: x'],
  ['feat (parser): x', 'feat(parser): x'],
  ['feat(): x', 'feat: x'],
  ['Docs(api)!:x', 'docs(api)!: x'],
  ['🎉 feat: x', 'feat: x'],
  [':tada: feat: x', 'feat: x'],
  ['feat:', 'feat: handle empty input'],
  ['Update stuff', 'fix: update stuff'],
  ['API: y', 'fix: y'],
  ['API is faster', 'fix: API is faster'],
];

describe('conventional-commits', () => {
  test.each(SUGGESTED)('%s: %s', async (message, instead) => {
    const { kind, text } = await rig.heard(bash(`git commit -m '${message}'`));
    expect(kind).toBe('hold');
    expect(text).toContain(`Write for example \`${instead}\``);
    expect((await rig.heard(bash(`git commit -m '${instead}'`))).kind).toBe('nothing');
  });

  test.each(OFFENDING)('holds %s', async (command) => {
    const { kind, text } = await rig.heard(bash(command));
    expect(kind).toBe('hold');
    expect(text).toContain('`type(scope): subject`');
  });

  test.each(ORDINARY)('leaves %s', async (command) => {
    expect(await rig.heard(bash(command))).toEqual({ kind: 'nothing', text: '' });
  });

  test.each(UNSEEN)('advises on %s', async (command) => {
    expect((await rig.heard(bash(command))).kind).toBe('advise');
  });

  test('a commit of an MCP server', async () => {
    const commit = (message: string) => preTool('mcp__git__git_commit', { repo_path: rig.root, message });
    expect((await rig.heard(commit('Update stuff'))).kind).toBe('hold');
    expect((await rig.heard(commit('feat: a parser'))).kind).toBe('nothing');
  });
});
