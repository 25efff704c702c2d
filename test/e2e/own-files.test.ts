import { execFileSync } from 'node:child_process';
import { renameSync, rmSync, symlinkSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, expect, it } from 'vitest';
import { eventsIn } from './events';
import { at, makeRig, type Rig, runLater } from './rig';

let rig: Rig;
afterEach(() => rig.remove());

const CONFIG = 'requirements: {review: {enabled: true, on: [commit], agent_may_satisfy: false}}\n';
const STATE = '.git/requirements/work.json';

/** Lines that write our state, though the parser cannot tell all of their words. */
const HELD = [
  `cp "$X" ${STATE}`,
  'cp $X/*.json .git/requirements/',
  'cp -t .git/requirements "$X"',
  `mv "$X" ${STATE}`,
  'cd .git/requirements && cp "$X" .',
  'find /k -name a.json -exec cp {} .git/requirements/ \\;',
  `cat a > "$(git rev-parse --git-dir)/requirements/work.json"`,
  'G=$(git rev-parse --git-path requirements/work.json); tee "$G" < a',
  `printf 1 | ed -s ${STATE}`,
  'git --work-tree=.git checkout-index -f -a',
  `openssl enc -in a -out ${STATE}`,
  `xxd -r a ${STATE}`,
  `patch -o ${STATE} a b`,
  'curl --output-dir .git/requirements -O file:///k/work.json',
  `tar -x --transform 's,.*,${STATE},' -f k.tar`,
  `some-program --file=${STATE}`,
  'cp a g/requirements/work.json',
  `perl -e 'rename("a", ".git/"."requirements/work.json")'`,
  'cp a .git/requ*/work.json',
  'cat a > .git/requ*/w*.json',
  `cp a "\${PWD%/}/.git/requirements/work.json"`,
  'cp a "$(realpath .git)/requirements/work.json"',
  'cp a $_/requirements/work.json',
  'cp "$X" "$(realpath .git)/hold*/"',
  'cd "$X"; cp "$Y" requirements/',
  `a=(cp w .git/requirements/work.json); "\${a[@]}"`,
  `a=(.g* x); rm -rf "\${a[@]}"`,
  'for x in a b c d e f g h i j k l requirements; do rm -rf .git/$x; done',
  'tmux new -d "rm -rf .git/requirements"',
  `git config -f ${STATE} a.b c`,
  `git bundle create ${STATE} HEAD`,
  `script -qc 'echo {}' ${STATE}`,
  `/usr/bin/time -o ${STATE} true`,
  `awk '{print > "${STATE}"}' a`,
  `sed -n 'w ${STATE}' a`,
  `python3 -c "import shutil; shutil.move('a','${STATE}')"`,
  `python3 -c "import os; os.replace('a', '.holdpoint/config.yaml')"`,
  `python3 -c "from pathlib import Path; Path('a').replace('.holdpoint/config.yaml')"`,
  `awk '{print("x") > ".holdpoint/config.yaml"}' a`,
  'grep -rl delete .holdpoint | xargs some-program',
  `python3 -c "open('${STATE}', mode='w').close()"`,
  `python3 -c "import os; open(os.path.join('.git/requirements', 'work.json'), 'w')"`,
  `python3 -c "from pathlib import Path; Path('${STATE}').open('w')"`,
  `php -r 'file_put_contents("${STATE}", "{}");'`,
  `node -e "require('fs').rmSync('${STATE}')"`,
  `node -e "fs.closeSync(fs.openSync('${STATE}', 'w'))"`,
  `python3 -c "import shutil; shutil.rmtree('.git/requirements')"`,
  `ruby -e 'File.delete("${STATE}")'`,
  'emacs --batch .holdpoint/config.yaml --eval "(erase-buffer)" -f save-buffer',
  `emacs -Q --batch --eval '(with-temp-file ".holdpoint/config.yaml" (insert "x"))'`,
  'find .git -path "*requirements/*" -delete',
  'find .git -name work.json -exec cp a {} +',
  'ls .git/requirements/* | xargs rm -f',
  'rm -rf .git/requ*',
  'git checkout-index -f --prefix=.git/requirements/ work.json',
  'cd .git/requirements; git --git-dir=.. --work-tree=. checkout-index -f work.json',
  'uniq a g/requirements/work.json',
  'mv "$X" .git',
  'rm -rf .git*',
  'rm -rf ./* ./.[!.]*',
  'mv .* "$TMPDIR"',
  'rm -rf ../*',
  'rm -rf ~/.conf*',
  'rm -rf "$HOME"/.conf*',
  'D=.g; rm -rf "$D"*',
  'for f in .*; do rm -rf "$f"; done',
  'for f in ~/.config/holdpoint/la*; do echo > "$f"; done',
  'cd ~/.config/holdpoint && sed -i 2d la*',
  'ls -d .* | xargs rm -rf',
  'ls -A | while read -r f; do rm -rf "$f"; done',
  "printf '%s\\0' .g* | xargs -0 rm -rf",
  'rm -rf $(ls -A)',
  'mv "$PWD" ../other',
  "rename 's/$/-old/' $PWD",
  // It may still be here.
  'cd - ; rm -rf .git .holdpoint',
  // These switch the hooks of other hosts off.
  'echo x > .codex/config.toml',
  'echo x > ~/.codex/config.toml',
  'cp a ~/.codex/hooks.json',
  'tee ~/.gemini/settings.json < a',
  'cp a ~/.copilot/config.json',
  'cp "$X" ~/.cursor/',
  'cd "$NOPE"; rm -rf .git',
  'git init --separate-git-dir /k/git',
  'git init --separate-git-dir=../git .',
  // The Node that runs us.
  'cp a ../tmp/bin/node',
  'cd q1; cd q2; cd q3; cd q4; cd q5; cd q6; cd q7; cd q8; cd q9; rm -rf .git',
  // In another terminal they would count as a person's.
  "tmux send-keys -t 1 'holdpoint approve plan' Enter",
  "tmux new-window 'cd repo; req satisfy review --session 5e551011'",
  // What doubles with every word must not be worth more than the memory of the machine.
  `x=aaaaaaaa; ${'x=$x$x; '.repeat(30)}echo > $x; rm -rf .git`,
];

const FREE = [
  'cd "$TMPDIR" && rm -rf build',
  'cd "$(mktemp -d)"; echo hi > notes.txt',
  'cp "$TMPDIR/h" .git/hooks/pre-commit',
  'cp -r .holdpoint "$TMPDIR/bak"',
  'xxd .git/index | head',
  'openssl x509 -in cert.pem -out cert.der',
  'cp "$A" src/',
  'git rev-parse --git-dir',
  'ls .git/requirements',
  'some-program --config .git/config',
  'mv "$A" "$B"',
  'mv src/a.js ~',
  'ln -s "$PWD/src/a.js" "$HOME"',
  'git --git-dir="$HOME/.dotfiles" --work-tree="$HOME" status',
  'cp a "$DIR/requirements/base.txt"',
  'cp "$F" "$DATA/holdout/"; mv "$F" src/holders',
  'for f in *.json; do cp "$f" test/fixtures/requests/; done',
  'mv *.txt requirements/',
  'rm -rf dist/*',
  'rm -rf "$HOME"/.cache/*',
  'for f in ~/.config/holdpoint/*; do [ -f "$f" ] && cp "$f" "$TMPDIR"; done',
  'for f in ~/.config/app*; do rm -rf "$f"; done',
  'for f in .*; do echo "$f"; done',
  'for f in .*; do [ -f "$f" ] && sed -i s/a/b/ "$f"; done',
  'find . -type d | while read -r d; do rm -f "$d/.DS_Store"; done',
  'ls -d .*rc | xargs rm -f',
  'rm -rf * .env* ~/.cache/* node_modules/*',
  'find . -name "*.log" -delete',
  'find . -name "*.tmp" -exec rm {} +',
  `awk '{print > "out.txt"}' a`,
  'sort a | uniq -c',
  'node x.js',
  'git checkout-index --all --prefix=/tmp/export/',
  'git init --separate-git-dir /k/git src/new',
  'git init',
  'git --work-tree=. diff requirements.txt',
  'rm -f .git/refs/heads/main.lock',
  `docker run --rm node node -e "console.log(fs.existsSync('${STATE}'))"`,
  `php -r 'echo file_get_contents("${STATE}");'`,
  `python3 -c "print(open('${STATE}').read().split(','))"`,
  `python3 -c "print(open('.holdpoint/config.yaml').read().replace('a', 'b'), '-> here')"`,
  `node -e "console.log(fs.readFileSync('.claude/settings.json', 'utf8').replaceAll('a', 'b').replace(/c/, ''))"`,
  "python3 - <<'EOF'\nnames = []\nfor line in open('.holdpoint/config.yaml'): names.append(line)\nEOF",
  'grep -rl delete .holdpoint | xargs cat',
  "tmux new -d 'holdpoint status --watch'",
  "ssh build 'cd holdpoint && git pull && npm test'",
  `grep -rn "tmux send-keys 'holdpoint approve'" docs`,
];

it('our files are not written by lines of which only some words can be told', () => {
  rig = makeRig(CONFIG, '.holdpoint/config.yaml');
  rig.write(STATE, '{}');
  rig.write('src/a.js', '');
  rig.write('../home/.config/holdpoint/launch', `holdpoint_node='${join(rig.tmp, 'bin/node')}'\n`);
  symlinkSync('.git', join(rig.repo, 'g'));
  const on = eventsIn(rig);
  rig.hook(on.start('startup'));
  const heldBy = (command: string, tool = 'Bash'): boolean =>
    /"permissionDecision":"(?:deny|ask)"/.test(rig.hook(on.pre(tool, { command })).stdout);
  expect(HELD.filter((line) => !heldBy(line))).toEqual([]);
  expect(FREE.filter((line) => heldBy(line))).toEqual([]);
  const asked = rig.hook(on.pre('Bash', { command: 'cd "$X"; cp "$Y" "requirements/"' })).json;
  expect(at(asked, 'hookSpecificOutput', 'permissionDecisionReason')).toMatch(/^Holdpoint: requirements\/ /);
  const code = `node -e "fs.unlinkSync('.claude/settings.json')"`;
  expect(rig.hook(on.pre('Bash', { command: code })).stdout).toContain(
    'Holdpoint: .claude/settings.json decides',
  );
  expect(heldBy(`cp a ${STATE}`, 'Monitor')).toBe(true);
  expect(heldBy('rm -rf .git/requirements', 'mcp__shell__execute_command')).toBe(true);
  expect(heldBy('ls .git/requirements', 'mcp__shell__execute_command')).toBe(false);
  const keys = { pane: '1', keys: 'holdpoint approve review' };
  expect(rig.hook(on.pre('mcp__tmux__send_keys', keys)).stdout).toContain('Ask the user to run it.');
});

it('a hold names the real place, and what to do instead', () => {
  const gates = "gates: {checks: {t: {command: 'true'}}, entry_points: [{path: ., checks: [t]}]}\n";
  rig = makeRig(CONFIG + gates, '.holdpoint/config.yaml');
  const on = eventsIn(rig);
  const answer = (command: string): unknown =>
    at(rig.hook(on.pre('Bash', { command })).json, 'hookSpecificOutput', 'permissionDecisionReason');
  const person =
    'Leave it as it is. If it has to change, tell the user: only a person can do that, in their own terminal.';
  const clean =
    '`holdpoint gates clean` archives the logs of the gates; after a failure only a person can run it.';
  const relied = 'what Holdpoint relies on, and the call would change it.';
  for (const [command, said, next] of [
    ['rm -rf .', `${rig.repo} contains ${relied}`, person],
    ['rm -rf .git/holdpoint', `.git/holdpoint is ${relied}`, person],
    ['rm -rf .holdpoint/logs', `.holdpoint/logs contains ${relied}`, clean],
    ['echo > .holdpoint/logs/.execution_state', `.holdpoint/logs/.execution_state is ${relied}`, clean],
  ] as const)
    expect(answer(command)).toContain(`Held by Holdpoint: ${said}\n${next}\nDetails: `);
  expect(answer('rm -f .holdpoint/logs/*.log')).toContain(
    'Holdpoint: .holdpoint/logs/*.log decides what Holdpoint holds, and the agent wants to change it.',
  );
});

it('our files are not written where links to them lead', () => {
  rig = makeRig(CONFIG, '.holdpoint/config.yaml');
  renameSync(join(rig.repo, '.holdpoint/config.yaml'), join(rig.repo, 'shared.yaml'));
  symlinkSync('../shared.yaml', join(rig.repo, '.holdpoint/config.yaml'));
  const env = { HOME: rig.link('linked-home', rig.home) };
  const on = eventsIn(rig);
  const answer = (tool: string, input: Record<string, string>): unknown =>
    at(rig.hook(on.pre(tool, input), { env }).json, 'hookSpecificOutput', 'permissionDecision');
  const write = (file_path: string): unknown => answer('Write', { file_path, content: '' });
  expect(write(join(rig.repo, 'shared.yaml'))).toBe('ask');
  expect(answer('Bash', { command: 'echo > shared.yaml' })).toBe('ask');
  expect(write(join(rig.home, '.claude/settings.json'))).toBe('ask');
  expect(write(join(rig.home, '.config/holdpoint/launch'))).toBe('deny');
  expect(answer('Bash', { command: 'echo > ../home/.config/holdpoint/launch' })).toBe('deny');
  expect(write(join(rig.repo, 'other.yaml'))).toBeUndefined();
});

it('the config of a work tree is asked about in the line that adds the tree, too', () => {
  rig = makeRig(CONFIG, '.holdpoint/config.yaml');
  const added = (rest: string): unknown => {
    const command = `git worktree add ../tree && ${rest}`;
    const { json } = rig.hook(eventsIn(rig).pre('Bash', { command }));
    return at(json, 'hookSpecificOutput', 'permissionDecision');
  };
  expect(added("echo 'requirements: {}' > ../tree/.holdpoint/config.yaml")).toBe('ask');
  expect(added('cd ../tree && rm -r .holdpoint')).toBe('ask');
  expect(added("echo '{}' > ../tree/.claude/settings.json")).toBe('ask');
  expect(added('cp .env ../tree/ && cd ../tree && echo > src/a.js')).toBeUndefined();
});

it('how deep the lists of an MCP call are makes no difference', () => {
  rig = makeRig(CONFIG, '.holdpoint/config.yaml');
  const event = eventsIn(rig).pre('mcp__fs__write_file', { path: '.holdpoint/config.yaml', more: [] });
  const deep = '['.repeat(20_000) + ']'.repeat(20_000);
  const { json, stderr } = rig.hookText(JSON.stringify(event).replace('[]', deep));
  expect(at(json, 'hookSpecificOutput', 'permissionDecision')).toBe('ask');
  expect(stderr).toBe('');
});

it('a project of which nothing is left is told to the person', () => {
  rig = makeRig(CONFIG, '.holdpoint/config.yaml');
  const on = eventsIn(rig);
  rig.hook(on.start('startup'));
  for (const name of ['.git', '.holdpoint']) rmSync(join(rig.repo, name), { recursive: true });
  expect(rig.hook(on.stop(false)).stdout).toContain('were removed while an agent works there');
});

it.each([
  ['a pipe', (file: string) => void execFileSync('mkfifo', [file])],
  ['a device without an end', (file: string) => symlinkSync('/dev/zero', file)],
])('an archive that is %s is held, and not waited for', async (_, make) => {
  rig = makeRig(CONFIG, '.holdpoint/config.yaml');
  make(join(rig.repo, 'p.tar'));
  const event = JSON.stringify(eventsIn(rig).pre('Bash', { command: 'tar xf p.tar' }));
  const ended = await runLater('hook', [], event, { cwd: rig.dir, env: rig.environment(), timeout: 20_000 });
  expect(at(ended.json, 'hookSpecificOutput', 'permissionDecision')).toBe('deny');
});

it('a copy of the project is free to go as a whole, unless a session has begun in it', () => {
  rig = makeRig(CONFIG, '.holdpoint/config.yaml');
  const on = eventsIn(rig);
  rig.hook(on.start('startup'));
  const copy = join(rig.tmp, 'copy');
  execFileSync('git', ['clone', '--quiet', rig.repo, copy]);
  rig.write('../tmp/copy/.holdpoint/config.yaml', CONFIG);
  const said = (command: string): string => rig.hook(on.pre('Bash', { command })).stdout;
  expect(said(`cd ${copy} && ls`)).toBe('');
  expect(said(`rm -rf ${copy}/.git/holdpoint`)).toContain('deny');
  expect(said(`rm -rf ${copy}`)).toBe('');
  expect(said(`cd ${copy} && npm test; cd .. && rm -rf copy`)).toBe('');
  expect(said(`rm -rf ${rig.repo}`)).toContain('deny');
  rig.hook({ ...on.start('startup'), cwd: copy, session_id: 'b0000000-2222-4222-8222-222222222222' });
  expect(said(`rm -rf ${copy}`)).toContain('deny');
});
