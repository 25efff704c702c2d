import { spawnSync } from 'node:child_process';
import { describe, expect, it } from 'vitest';
import { makeWorld, type Step } from './world';

/* On most desktops the manager of a user's services, and not the first process, takes over what has lost its parent. */

const hasPerl = process.platform === 'linux' && spawnSync('perl', ['-e', '1']).status === 0;
/** prctl(PR_SET_CHILD_SUBREAPER, 1), by its number on each machine. */
const REAPER = [
  'perl',
  '-e',
  `syscall(${process.arch === 'arm64' ? 167 : 157}, 36, 1, 0, 0, 0); my $p = fork; exec @ARGV unless $p; 1 until waitpid(-1, 0) == $p; exit $? >> 8`,
];
const MARK = '// by the agent';
const EDIT: Step = {
  tool: 'Edit',
  input: { file_path: 'src/a.js', old_string: 'exports', new_string: `${MARK}\nexports` },
};
const APPROVE = 'holdpoint approve plan --session 5e551011';
const CLEAN = 'setsid env -i PATH="$PATH" HOME="$HOME"';

describe.skipIf(!hasPerl)('under a process that takes over others (needs perl)', () => {
  it.each([
    ['script', `(${CLEAN} script -qec '${APPROVE}' /dev/null >/dev/null 2>&1 </dev/null &); sleep 2`],
    [
      'an interpreter',
      `(${CLEAN} python3 -c 'import pty; pty.spawn("${APPROVE}".split())' >/dev/null 2>&1 </dev/null &); sleep 2`,
    ],
    // It sees no client: their notes are hidden.
    [
      'an interpreter, with other files mounted over ours',
      `printf 'import pty\npty.spawn("${APPROVE}".split())\n' > "$TMPDIR/p.py"
printf 'for d in .[g]it/h*t/cli* ~/.c*e; do mount -t tmpfs t "$d"; done; exec python3 "$1"' > "$TMPDIR/m.sh"
(${CLEAN} unshare -rm sh "$TMPDIR/m.sh" "$TMPDIR/p.py" >"$TMPDIR/log" 2>&1 </dev/null &); sleep 2; cat "$TMPDIR/log"`,
    ],
  ])('a terminal that the agent makes by %s is no person', async (_, command) => {
    const world = makeWorld('rules');
    await world.play([EDIT, { tool: 'Bash', input: { command } }, EDIT], REAPER);
    expect(world.read('src/a.js')).not.toContain(MARK);
    world.remove();
  });
});
