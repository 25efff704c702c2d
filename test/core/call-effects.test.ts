import { mkdirSync, mkdtempSync, realpathSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { afterAll, describe, expect, test } from 'vitest';
import { callEffects } from '../../src/core/call-effects';
import { readFileFact, realPath } from '../../src/core/context';
import { EFFECTS } from '../../src/core/effect-kinds';
import type { Event, ToolCall } from '../../src/core/event';
import type { Context } from '../../src/core/guard';
import type { HostName } from '../../src/core/host-name';
import type { JsonObject } from '../../src/core/json';
import { claudeCode } from '../../src/hosts/claude-code/index';
import { host as codex } from '../../src/hosts/codex/index';
import { host as copilot } from '../../src/hosts/copilot/index';
import { host as cursor } from '../../src/hosts/cursor/index';
import { host as gemini } from '../../src/hosts/gemini/index';
import type { Host } from '../../src/hosts/host';
import { host as opencode } from '../../src/hosts/opencode/index';
import { commandLines, effectsOf } from '../../src/shell';

const DIR = realpathSync(mkdtempSync(join(tmpdir(), 'holdpoint-on-')));
afterAll(() => rmSync(DIR, { recursive: true }));
const [ROOT, HOME] = [join(DIR, 'project'), join(DIR, 'home')];
for (const path of [
  'src/a.js',
  'docs/plans/plan.md',
  'dist/out.js',
  '.gitignore',
  '.holdpoint/config.yaml',
]) {
  mkdirSync(dirname(join(ROOT, path)), { recursive: true });
  writeFileSync(
    join(ROOT, path),
    path === '.gitignore' ? 'dist/\n*.log\n/cache\n!keep.log\n*.local.*\n' : 'x\n',
  );
}
mkdirSync(join(HOME, '.gemini'), { recursive: true });
symlinkSync('../../dotfiles.json', join(HOME, '.gemini/settings.json'));
symlinkSync('../../src/a.md', join(ROOT, 'docs/plans/link.md'));
symlinkSync(join(ROOT, 'src'), join(DIR, 'outside'));
mkdirSync(join(ROOT, 'tools'));
symlinkSync('/usr/bin/git', join(ROOT, 'tools/git-link'));

const repository = { root: ROOT, commonDir: join(ROOT, '.git'), branch: 'work', commitOf: () => undefined };
const settings = new Map([
  ['alias.p', 'push origin HEAD:main'],
  ['push.default', 'current'],
  ['remote.origin.url', 'x'],
  ['remote.fork.url', 'x'],
  ['remote.fork.push', 'HEAD:refs/heads/main'],
]);
const CTX = {
  projectRoot: ROOT,
  home: HOME,
  git: { ...repository, gitDir: repository.commonDir, position: { kind: 'branch', branch: 'work' } },
  realPath: (path: string) => realPath(path),
  file: (ask) => readFileFact(ROOT, ask),
  refs: () => ({
    heads: { main: 'b', work: 'c', old: 'a' },
    remotes: { 'origin/main': 'a', 'origin/old': 'a' },
    elsewhere: [],
  }),
  commandLines: (text: string) => commandLines(text, ROOT),
  defaultBranch: () => 'main',
  effects: ({ command }) =>
    effectsOf(command, {
      cwd: ROOT,
      home: HOME,
      repositoryAt: (dir) => (dir.startsWith(ROOT) ? { ...repository, settings: () => settings } : undefined),
    }),
} as Partial<Context> as Context;

const doing = (event: Event) => callEffects(event as Event & { readonly call: ToolCall }, CTX, EFFECTS);
const kinds = (event: Event): string => [...doing(event).kinds].sort().join(' ');

const HOSTS: Readonly<Record<HostName, Host>> = {
  'claude-code': claudeCode,
  codex,
  copilot,
  cursor,
  gemini,
  opencode,
};

/** A call as each host sends it before the tool runs. */
const DOCUMENTS: Readonly<Record<HostName, (tool: string, input: JsonObject) => JsonObject>> = {
  'claude-code': (tool_name, tool_input) => ({
    hook_event_name: 'PreToolUse',
    cwd: ROOT,
    tool_name,
    tool_input,
  }),
  codex: (tool_name, tool_input) => ({ hook_event_name: 'PreToolUse', cwd: ROOT, tool_name, tool_input }),
  gemini: (tool_name, tool_input) => ({ hook_event_name: 'BeforeTool', cwd: ROOT, tool_name, tool_input }),
  copilot: (toolName, input) => ({
    sessionId: 's',
    timestamp: 1,
    cwd: ROOT,
    toolName,
    toolArgs: JSON.stringify(input),
  }),
  cursor: (tool_name, tool_input) => ({
    hook_event_name: 'preToolUse',
    cursor_version: '2',
    workspace_roots: [ROOT],
    cwd: ROOT,
    tool_name,
    tool_input,
  }),
  opencode: (tool, args) => ({ opencode: 1, hook: 'tool.execute.before', directory: ROOT, tool, args }),
};

const file = join(ROOT, 'src/a.js');
const PATCH = '*** Begin Patch\n*** Update File: src/a.js\n@@\n-x\n+y\n*** End Patch\n';
const REMOVAL = '*** Begin Patch\n*** Delete File: src/a.js\n*** End Patch\n';

test.each<[HostName, string, JsonObject, string]>([
  ['claude-code', 'Edit', { file_path: file, old_string: 'x', new_string: 'y' }, 'edit'],
  ['claude-code', 'Write', { file_path: file, content: 'y' }, 'edit'],
  ['claude-code', 'NotebookEdit', { notebook_path: file, new_source: 'y' }, 'edit'],
  ['claude-code', 'Write', { file_path: join(ROOT, '.holdpoint/config.yaml'), content: '' }, 'config edit'],
  ['claude-code', 'Write', { file_path: join(HOME, '.claude/settings.json'), content: '' }, 'config'],
  ['claude-code', 'Write', { file_path: join(HOME, '.gemini/settings.json'), content: '' }, 'config'],
  ['claude-code', 'Write', { file_path: join(HOME, 'notes.txt'), content: '' }, ''],
  ['claude-code', 'Write', { file_path: join(ROOT, 'docs/plans/plan.md'), content: '' }, ''],
  ['claude-code', 'Write', { file_path: join(ROOT, 'docs/plans/link.md'), content: '' }, 'edit'],
  ['claude-code', 'Write', { file_path: join(DIR, 'outside/a.js'), content: '' }, 'edit'],
  ['claude-code', 'Read', { file_path: file }, ''],
  ['claude-code', 'WebFetch', { url: 'https://example.invalid', prompt: 'x' }, 'network'],
  ['claude-code', 'Monitor', { command: 'sed -i s/a/b/ src/a.js' }, 'edit'],
  ['claude-code', 'mcp__files__write_file', { path: 'src/a.js', content: 'y' }, 'edit'],
  ['claude-code', 'mcp__files__read_file', { path: 'src/a.js' }, ''],
  ['claude-code', 'mcp__files__delete_file', { path: 'src/a.js' }, 'delete edit'],
  ['claude-code', 'mcp__chat__post_message', { text: 'src/a.js is done', channel: 'x' }, ''],
  ['claude-code', 'mcp__github__create_pull_request', { repo: 'o/r', title: 'x' }, 'pr'],
  ['claude-code', 'mcp__github__merge_pull_request', { repo: 'o/r' }, 'merge'],
  ['claude-code', 'mcp__github__push_files', { repo: 'o/r', branch: 'x' }, 'commit push'],
  ['claude-code', 'mcp__git__git_add', { repo_path: ROOT, files: ['src/a.js'] }, ''],
  ['claude-code', 'mcp__git__add', { files: ['src/a.js'] }, ''],
  ['claude-code', 'mcp__files__add', { files: ['src/a.js'] }, 'edit'],
  ['claude-code', 'mcp__zen__codereview', { relevant_files: ['src/a.js'] }, ''],
  ['claude-code', 'mcp__zen__analyze', { path: 'src/a.js', fix: true }, 'edit'],
  ['claude-code', 'mcp__files__read_file', { path: 'src/a.js', action: 'delete' }, 'edit'],
  ['claude-code', 'mcp__github__open_pull_request', { repo: 'o/r' }, 'pr'],
  ['claude-code', 'mcp__git__git_commit', { repo_path: ROOT, message: 'x' }, 'commit'],
  ['claude-code', 'mcp__files__listFiles', { path: 'src/a.js' }, ''],
  ['claude-code', 'mcp__web__fetch', { url: 'https://example.invalid' }, 'network'],
  ['claude-code', 'mcp__web__browser_navigate', { url: 'https://example.invalid' }, 'network'],
  ['claude-code', 'mcp__web__browser_tab_new', { url: 'https://example.invalid' }, 'network'],
  ['claude-code', 'mcp__web__browser_navigate', { url: 'http://localhost:3000' }, ''],
  ['claude-code', 'mcp__web__browser_click', { element: 'Save', ref: 'e1' }, ''],
  ['claude-code', 'mcp__web__browser_snapshot', {}, ''],
  ['claude-code', 'mcp__desktop__start_process', { command: 'gh pr create --fill' }, 'network pr'],
  ['claude-code', 'mcp__desktop__interact_with_process', { pid: 1, input: 'git push' }, 'network push'],
  ['claude-code', 'mcp__tmux__send_keys', { pane: '1', keys: 'git push' }, 'network push'],
  ['claude-code', 'mcp__browser__run_code', { code: 'list.push(1)' }, ''],
  ['claude-code', 'mcp__shell__run', { cmd: 'git', args: ['commit', '-m', "it's"] }, 'commit'],
  [
    'claude-code',
    'mcp__shell__execute_command',
    { command: 'rm a.js', cwd: join(ROOT, 'src') },
    'delete edit',
  ],
  ['claude-code', 'mcp__shell__execute_command', { command: 'git commit -m x', cwd: HOME }, ''],
  ['claude-code', 'mcp__db__execute_sql', { command: 'select a from b where a > 1' }, ''],
  ['claude-code', 'mcp__sh__exec', { argv: ['gh', 'pr', 'create', '--fill'] }, 'network pr'],
  ['claude-code', 'mcp__sh__run_script', { script: 'git push' }, 'network push'],
  ['claude-code', 'mcp__py__execute_python', { code: "import os; os.system('git commit -m x')" }, 'commit'],
  ['claude-code', 'mcp__py__run_code', { language: 'Python', code: "open('src/a.js').read()" }, ''],
  ['claude-code', 'mcp__sh__run_code', { language: 'bash', code: 'echo x > src/a.js' }, 'edit'],
  ['claude-code', 'mcp__tty__write_to_terminal', { data: 'git commit -m x\n' }, 'commit'],
  ['claude-code', 'mcp__sh__execute_commands', { commands: ['git add -A', 'git commit -m x'] }, 'commit'],
  ['claude-code', 'mcp__gh__pr_create', { owner: 'o' }, 'pr'],
  ['claude-code', 'mcp__github__pull_request_write', { method: 'create', owner: 'o' }, 'pr'],
  ['claude-code', 'mcp__github__pull_requests', { action: 'merge', number: 1 }, 'merge'],
  ['claude-code', 'mcp__github__pull_request_read', { method: 'get', owner: 'o' }, ''],
  ['claude-code', 'mcp__github__issue_write', { method: 'create', owner: 'o' }, ''],
  ['codex', 'apply_patch', { command: PATCH }, 'edit'],
  ['codex', 'apply_patch', { command: REMOVAL }, 'delete edit'],
  ['codex', 'Bash', { command: 'git commit -m x' }, 'commit'],
  ['codex', 'local_shell', { action: { command: ['git', 'commit', '-m', 'x'] } }, 'commit'],
  ['claude-code', 'WebFetch', { url: 'http://localhost:3000/', prompt: 'x' }, ''],
  ['gemini', 'replace', { file_path: file, old_string: 'x', new_string: 'y' }, 'edit'],
  ['gemini', 'write_file', { file_path: file, content: 'y' }, 'edit'],
  ['gemini', 'run_shell_command', { command: 'git push' }, 'network push'],
  ['gemini', 'google_web_search', { query: 'x' }, 'network'],
  ['copilot', 'edit', { path: file, old_str: 'x', new_str: 'y' }, 'edit'],
  ['copilot', 'create', { path: file, file_text: 'y' }, 'edit'],
  ['copilot', 'bash', { command: 'rm src/a.js' }, 'delete edit'],
  ['copilot', 'web_fetch', { url: 'https://example.invalid' }, 'network'],
  ['cursor', 'Write', { file_path: file, content: 'y' }, 'edit'],
  ['cursor', 'Delete', { file_path: file }, 'delete edit'],
  ['cursor', 'Shell', { command: 'gh pr create --fill' }, 'network pr'],
  ['cursor', 'Shell', { command: 'gh pr ready 7' }, 'network pr'],
  ['opencode', 'edit', { filePath: file, oldString: 'x', newString: 'y' }, 'edit'],
  ['opencode', 'write', { filePath: file, content: 'y' }, 'edit'],
  ['opencode', 'bash', { command: 'echo x > src/b.js' }, 'edit'],
  ['opencode', 'webfetch', { url: 'https://example.invalid' }, 'network'],
])('%s: %s %j: %s', (host, tool, input, expected) => {
  expect(kinds(HOSTS[host].parse(DOCUMENTS[host](tool, input), 0))).toBe(expected);
});

test.each([
  ['push_files', { repo: 'r', branch: 'refs/heads/next', files: [] }, ['next']],
  ['create_or_update_file', { repo: 'r', path: 'a' }, ['main']],
  ['merge_pull_request', { repo: 'r', pullNumber: 1 }, ['main']],
  ['git_commit', { message: 'm' }, []],
  ['list_branches', { repo: 'r' }, []],
])(
  'a tool writes the branch that it is given, else the default one of the forge: %s',
  (tool, input, branches) => {
    const event = claudeCode.parse(DOCUMENTS['claude-code'](`mcp__github__${tool}`, input), 0);
    expect(doing(event).branches).toEqual(branches);
  },
);

const bash = (command: string): Event => claudeCode.parse(DOCUMENTS['claude-code']('Bash', { command }), 0);

describe('a command', () => {
  test.each([
    ['cat > src/b.js <<EOF\nx\nEOF', 'edit'],
    ['echo x | tee -a src/a.js', 'edit'],
    ['sed -i s/a/b/ src/*.js', 'edit'],
    ['cp "$TMP/a.js" src/a.js', 'edit'],
    ['mv src/a.js /tmp/a.js', 'delete edit'],
    ['git mv src/a.js src/b.js', 'edit'],
    ['git diff --output=src/b.js', 'edit'],
    ['git rm src/a.js', 'delete edit'],
    ['git worktree add ../wt -b wt && echo x > ../wt/src/a.js', 'edit'],
    ['git worktree add ../wt -b wt; cd ../wt; sed -i s/a/b/ src/a.js', 'edit'],
    ['git worktree add ../wt -b wt && echo x > ../notes', ''],
    ['git clean -fd', 'delete edit'],
    ["git clean -fdX -e '*.js'", 'delete edit'],
    ["find src -name '*.js' -delete", 'delete edit'],
    ["find . -path ./dist -prune -o -name '*.js' -exec rm {} +", 'delete edit'],
    ["find src -name '*.js' | grep -v x | xargs rm", 'delete edit'],
    ['git ls-files src | xargs rm', 'delete edit'],
    ['grep -rl x src | xargs sed -i s/x/y/', 'edit'],
    ['git apply x.patch', 'edit'],
    ['patch -p1 < x.patch', 'edit'],
    ['npx prettier --write .', 'edit'],
    ['touch src/new.js', 'edit'],
    ['git commit -am x', 'commit'],
    ['git merge other', 'commit merge'],
    ['git rebase main', 'commit'],
    ['git cherry-pick main', 'commit'],
    ['git update-ref refs/heads/work "$(git commit-tree -m x HEAD^{tree})"', 'commit'],
    ['npm version patch', 'commit'],
    ['echo commit -m x | xargs git', 'commit'],
    ['echo "git commit -m x" | sh', 'commit'],
    ["tmux new -d 'git push ../origin work'", 'network push'],
    ['/usr/lib/git-core/git-push ../origin work', 'network push'],
    [
      "GIT_CONFIG_COUNT=1 GIT_CONFIG_KEY_0=alias.x GIT_CONFIG_VALUE_0='push ../origin work' git x",
      'network push',
    ],
    [`python3 -c 'import os; os.execvp("git", ["git", "push", "../origin", "work"])'`, 'network push'],
    [`python3 -c 'import os; os.system("git pu" + "sh ../origin work")'`, 'network push'],
    [`python3 -c 'import ctypes; ctypes.CDLL(None).system(b"git push ../origin work")'`, 'network push'],
    [
      `node -e 'process.getBuiltinModule("child_" + "process").execSync("git push ../origin work")'`,
      'network push',
    ],
    [`perl -e 'print qx{git push ../origin work}'`, 'network push'],
    ["A='push ../origin work' git --config-env=alias.x=A x", 'network push'],
    ['"$BIN/git" push ../origin work', 'network push'],
    ['$(which git) push ../origin work', 'network push'],
    ["printf '%s\\n' 'git push ../origin work' | bash", 'network push'],
    ["printf -v c '%s ../origin work' 'git push'; eval \"$c\"", 'network push'],
    ["while read -r line; do $line; done <<< 'git push ../origin work'", 'network push'],
    ["while read -r line; do echo $line; done <<< 'git push ../origin work'; git commit -m x", 'commit'],
    [`echo 'import os; os.system("git push ../origin work")' | python3`, 'network push'],
    ["make -f - x <<'EOF'\nx:\n\tgit push ../origin work\nEOF", 'network push'],
    ["tee docs/x.md <<'EOF'\ngit push ../origin work\nEOF", 'edit'],
    ["sqlite3 :memory: '.shell git push ../origin work'", 'network push'],
    ['gdb -batch -ex run --args git push ../origin work', 'network push'],
    ["git rebase -x 'git push ../origin work' main", 'commit network push'],
    ["git ls-remote --upload-pack='git push ../origin work; git-upload-pack' ../origin", 'network push'],
    ['git grep -e "git push origin" -e "git commit" | wc -l; brew list git gh; dpkg -s curl', ''],
    ['git push origin HEAD:refs/for/main', 'network pr push'],
    ['gh api "repos/$REPO/pulls" -f title=x', 'network pr'],
    ["gh alias set ship 'pr create --fill'; gh alias set co 'pr checkout'", 'network pr'],
    ['curl -d @x.json "$API/repos/o/r/pulls"', 'network pr'],
    ['curl -d @x.json https://git.example.invalid/api/v1/repos/o/r/pulls', 'network pr'],
    ['curl -d @x.json http://127.0.0.1:8080/api/v4/projects/1/merge_requests', ''],
    ['http POST https://api.github.com/repos/o/r/pulls title=x', 'network pr'],
    ['wget --post-file=x.json https://api.github.com/repos/o/r/pulls', 'network pr'],
    [`python3 -c 'import requests; requests.post("https://api.github.com/repos/o/r/pulls")'`, 'network pr'],
    [`python3 -c 'import requests; requests.get("https://api.github.com/repos/o/r/pulls")'`, 'network'],
    ["cat < '/dev/tcp/192.0.2.1/9'", 'network'],
    [`python3 -c 'from requests import get; get("http://example.invalid")'`, 'network'],
    [`python3 -c 'import socket; s = socket.socket(); s.connect(("example.invalid", 80))'`, 'network'],
    [`python3 -c 'import socket; s = socket.socket(); s.bind(("", 0)); print(s.getsockname()[1])'`, ''],
    [`python3 -c 'import sqlite3; print(sqlite3.connect("dev.db").execute("select 1").fetchone())'`, ''],
    [`echo 'import urllib.request as u; u.urlopen(x)' | python3`, 'network'],
    [`node -e 'require("tls").connect(443, "example.invalid")'`, 'network'],
    [
      `node -e 'new WebSocket("ws://example.invalid")'; node -e 'new WebSocket("ws://localhost:1")'`,
      'network',
    ],
    ['deno run https://example.invalid/x.ts', 'network'],
    ['npm config set registry https://example.invalid; pre-commit install', ''],
    ['twine upload dist/*', 'network'],
    ['snap install x', 'network'],
    ['kubectl version --client; kubectl config current-context; helm version', ''],
    [
      'helm lint; helm template ./chart; helm template rel . -f v.yaml; gh alias list; aws configure list',
      '',
    ],
    ['helm template x bitnami/nginx -f ./v.yaml', 'network'],
    ['helm template ./chart --validate', 'network'],
    ['helm lint -f https://example.invalid/v.yaml', 'network'],
    ['cargo install --list; pip3 install --no-index -f wheels x; python -m pip install --no-index x', ''],
    ["cargo install x --root 'y --list'", 'network'],
    ['pip install --no-index "x @ https://example.invalid/x.whl"', 'network'],
    ['npm install --help; cargo add --help; kubectl apply --help', ''],
    ['docker run x --help', 'network'],
    ['kubectl exec x -- y --help', 'network'],
    ['ssh example.invalid --help', 'network'],
    ['http :3000/x; http POST :3000/x a=b; curl file:///tmp/x; curl -e http://a.example localhost:3000', ''],
    ['curl -e localhost:3000 example.invalid', 'network'],
    ['curl file:///tmp/x example.invalid', 'network'],
    ['wget -e http_proxy=example.invalid:1 localhost:3000', 'network'],
    // biome-ignore lint/suspicious/noTemplateCurlyInString: it is the shell's
    ['a=(git push work); "${a[0]}" "${a[1]}" ../origin "${a[2]}"', 'network push'],
    [`node -e "console.log(/push/.exec('git push origin main'))"`, ''],
    ['xargs -a words git', 'push'],
    ['git "$@"', 'push'],
    ['git lfs prune; git town sync; xargs -a words git add', ''],
    ["hyperfine 'gh pr create --fill'", 'network pr'],
    [`python3 -c "import subprocess; subprocess.run(['curl', 'example.invalid'])"`, 'network'],
    ["tmux new -d 'npm run dev > dev.txt'", ''],
    ["jest -t 'git push works'", ''],
    [`${'true | '.repeat(600)}true; git push ../origin work`, 'push'],
    [`${'env '.repeat(40)}git commit -m x`, 'commit'],
    [
      'for i in {1..50}; do for j in {1..50}; do for k in {1..50}; do :; done; done; done; git push',
      'network push',
    ],
    ['npx eslint . --fix-dry-run "src"', ''],
    ['npx --yes cowsay "hi"', 'network'],
    ['npx "cowsay@1.0.0" hi', 'network'],
    ['grep -n "fetch(" src/a.js', ''],
    ['git commit -m "use axios, and requests.get"', 'commit'],
    [`python3 -c "import urllib.request; u = urllib; u.request.urlopen(x)"`, 'network'],
    [`python3 -c "import urllib.parse; from urllib.request import urlopen as o; o(x)"`, 'network'],
    [`python3 -c "import urllib.parse, sys; print(urllib.parse.quote(sys.argv[1]))" x`, ''],
    [`python3 -c "import urllib.request; print(urllib.request.urlopen('http://localhost:3000').read())"`, ''],
    [`python3 -c "import requests; print(requests.__version__)"`, ''],
    ["python3 <<'EOF'\nimport requests\nprint(requests.get(f'http://127.0.0.1:{p}/x').text)\nEOF", ''],
    [`python3 -c "import requests; r = requests; r.get(x)"`, 'network'],
    [`python3 -c "import requests; requests.get('http://localhost/a'); requests.get(x)"`, 'network'],
    [
      `python3 -c "import requests; requests.get('http://localhost/', proxies={'http': 'http://example.invalid'})"`,
      'network',
    ],
    [`node -p "require('./package.json').dependencies.axios + require('axios/package.json').version"`, ''],
    [`node -e "const a = require('axios'); a.get(x)"`, 'network'],
    [`node -e "require('http').get('http://localhost:3000', console.log)"`, ''],
    [`node -e "require('http').get('http://localhost@example.invalid', console.log)"`, 'network'],
    ["python3 - <<'EOF'\nimport requests as r\nr.get('http://example.invalid')\nEOF", 'network'],
    ["python3 - x <<'EOF'\nprint('x')\nEOF", ''],
    ['node --input-type=module <<< "await fetch(\'http://example.invalid\')"', 'network'],
    ["node server.js <<< 'fetch('", ''],
    [`node -e "require('https').get('https://example.invalid')"`, 'network'],
    [`node -e "require('http').createServer().listen(3000)"`, ''],
    ['deno eval "await fetch(x)"', 'network'],
    ["ruby -rnet/http -e 'Net::HTTP.get(x)'", 'network'],
    ["perl -MLWP::Simple -e 'get(x)'", 'network'],
    ['exec 3<>/dev/tcp/127.0.0.1/9', 'network'],
    ['curl -s http://localhost:3000/health', ''],
    [
      `curl -sH 'Origin: https://example.invalid' -b jar.txt -d @body.json --json '{"to":"a@b.c"}' localhost:3000`,
      '',
    ],
    ['curl -d @body.json example.invalid localhost:3000', 'network'],
    ['curl -ud example.invalid localhost:3000', 'network'],
    ['yarn --version; bundle -v; gh --help', ''],
    ['git lfs pull', 'network'],
    ['curl -s -x proxy:1 http://localhost/', 'network'],
    ['curl http://localhost.example.invalid/', 'network'],
    ['curl "http://example.invalid?@localhost/"', 'network'],
    ['curl "http://example.invalid#@localhost/"', 'network'],
    ['curl http://me@localhost:3000/', ''],
    ['curl -s -X POST -d @body.json http://localhost:3000/api', ''],
    [`curl -sd '{"email": "a@example.invalid"}' http://localhost:3000/users`, ''],
    ['curl -so out.html http://localhost:3000', 'edit'],
    ['wget -qO out.html http://127.0.0.1:8080/', 'edit'],
    ['curl -o out.html http://localhost:3000 example.invalid', 'edit network'],
    ['curl -d -o example.invalid http://localhost:3000', 'network'],
    ['curl -od example.invalid http://localhost:3000', 'edit network'],
    ['wget -d example.invalid http://localhost:3000', 'network'],
    ['curl "http://localhost:$PORT" api.localhost:8080 http://0.0.0.0:$API_PORT', ''],
    [`curl "http://localhost:\${PORT:-3000}/health"`, ''],
    ['curl "http://localhost:$PORT"@example.invalid', 'network'],
    ['curl http://localhost:$X@example.invalid/', 'network'],
    [`node -e "fetch('http://localhost:3000/a').then(console.log)"`, ''],
    [`node -e "fetch('http://localhost.example.invalid/')"`, 'network'],
    ['psql -h localhost -c "select \'a@b.c\'" app', ''],
    ['psql postgres://me:pw@127.0.0.1:5432/app; psql "dbname=app host=localhost"; psql app', ''],
    ['mysql --host=127.0.0.1 -e "show tables"; redis-cli -p 6380 ping; mongosh --host localhost', ''],
    ['psql -h db.example.invalid app', 'network'],
    ['psql "dbname=app host=db.example.invalid"', 'network'],
    ['psql "$DATABASE_URL" -c "select 1"', 'network'],
    ['PGHOST=db.example.invalid psql app', 'network'],
    ['redis-cli -u redis://db.example.invalid ping', 'network'],
    ['ssh localhost', 'network'],
    ['eval "$(ssh-agent -s)"', ''],
    ['eval "$(ssh-keyscan example.invalid)"', 'network'],
    ['npm ci --offline', ''],
    ['fetcher --out=x https://example.invalid/x', 'network'],
    ['fetcher http://localhost:3000/ file:///a; note "see https://example.invalid"', ''],
    ['git p', 'network push'],
    ['git push fork', 'network push'],
    ['gh pr merge 3', 'merge network'],
    ['gh api repos/o/r/pulls -f title=x', 'network pr'],
    [`bash -c '"$0" "$@"' git push ../origin HEAD:x`, 'push'],
    [`bash <(echo 'git push ../origin HEAD:x'); . <(echo 'git commit -m x')`, 'commit push'],
    ['"$PYTHON" -m pytest tests/merge; "$TOOL" run push', ''],
    ['bash -n src/push.sh; bash -x src/push.sh; sh -euo pipefail push.sh; zsh --posix commit-msg.sh', ''],
    ['./target/debug/tool push x; cd target/debug && ./tool commit --help', ''],
    ['just push; ./gradlew push; bundle exec rake push; task commit', ''],
    ['mywrap git push ../origin work', 'network push'],
    ['./mywrap git push ../origin work', 'network push'],
    ['/tmp/copy push ../origin work', 'push'],
    ['cd .. && ./copy push origin work', 'push'],
    ['./tools/git-link push ../origin work', 'push'],
    ["bash -x -c 'git push ../origin work'", 'network push'],
    ["bash -eo pipefail -c 'git push ../origin work'", 'network push'],
    ['bash -x --rcfile push.sh', 'push'],
    ["bash -x <(echo 'git push ../origin HEAD:x')", 'push'],
    ['gh pr create --help; git push --help; git fetch --help', ''],
    ['git clone ../other copy; git clone file:///srv/x.git', ''],
    ['git clone ../other copy; git clone https://example.invalid/x.git', 'network'],
    ['git clone example.invalid:x.git ./x', 'network'],
    [`git clone ../other copy; tmux new -d 'git clone https://example.invalid/x.git'`, 'network'],
    ['gh pr create --fill --dry-run', 'network'],
    ['gh pr create --fill --body --help --label --dry-run', 'network pr'],
    ['curl -G -d state=all https://api.github.com/repos/o/r/pulls', 'network'],
    ['curl --data-urlencode title=x https://gitlab.com/api/v4/projects/1/merge_requests', 'network pr'],
    ['npm install left-pad', 'network'],
    ['npm -w web install left-pad', 'network'],
    ['pnpm -w add left-pad', 'network'],
    ['pnpm --filter web add left-pad', 'network'],
    ['yarn workspace web add left-pad', 'network'],
    ['deno add npm:left-pad', 'network'],
    ['dotnet add App.csproj package X', 'network'],
    ['conda install numpy', 'network'],
    ['npm pkg set dependencies.x=1', 'edit'],
    ['curl -s https://example.invalid', 'network'],
    ['printf x > ~/.claude/settings.json', 'config'],
    ['printf x > .holdpoint/config.local.yaml', 'config edit'],
  ])('%s: %s', (command, expected) => {
    expect(kinds(bash(command))).toBe(expected);
  });

  test.each([
    'npm test',
    'npm test 2>&1 | tail -5',
    'cargo test',
    'npm test 2>&1 | tee test.log',
    'node build.js',
    'make',
    'git status && git diff | head',
    'git add -A',
    'git stash',
    'git checkout -b feature/x',
    'git switch main',
    'git restore src/a.js',
    'git reset --hard HEAD~1',
    'git commit --dry-run',
    'git clean -fdX',
    'rm -rf dist cache missing',
    "find . -name '*.log' -delete",
    "find . \\( -name '*.log' -o -name dist \\) -exec rm -rf {} +",
    "find . -path './dist/*' -name '*.js' | xargs rm",
    'find dist -delete',
    'find /tmp/elsewhere -type f -exec sed -i s/x/y/ {} +',
    'grep -rl x dist | xargs sed -i s/x/y/',
    'git ls-files | xargs wc -l',
    'mkdir -p src/new',
    'touch src/a.js',
    'echo x > /tmp/elsewhere',
    'echo x > "$TMPDIR/elsewhere"',
    'cd /tmp && echo x > a.js',
    'eval "$SOMETHING"',
    'sh script.sh',
    'echo "git push" > /dev/null',
    'grep -rn "rm -rf src" .',
    'cd /tmp/other && git commit -m x',
    'cat > docs/plans/plan.md <<EOF\nx\nEOF',
  ])('is nothing of all that, as far as it tells: %s', (command) => {
    expect(kinds(bash(command))).toBe('');
  });

  test.each<[string, string[]]>([
    ['git push origin HEAD:main', ['main']],
    ['git push . "$(git commit-tree -m x y):refs/heads/main"', ['main']],
    ['git branch -f main HEAD~1', ['main']],
    ['git p', ['main']],
    ['git push fork', ['main']],
    ['git push', ['work']],
    ['git commit -m x', ['work']],
    ['git fetch origin main:main', []],
    ['git push --all', ['main', 'work']],
    ['git push --mirror origin', ['main', 'work']],
    ["git push origin 'refs/heads/*'", ['main', 'work']],
    ['git push origin :', ['main', 'work']],
    ['git -c push.default=matching push origin', ['main', 'work']],
    ["git push origin 'refs/tags/*'", ['refs/tags/*']],
    ['git push origin "$BRANCH"', []],
    ['gh api -X PATCH repos/o/r/git/refs/heads/main -f sha=x', ['main']],
    ['curl -X DELETE https://api.github.com/repos/o/r/branches/main/protection', ['main']],
    ['gh api repos/o/r/branches/main', []],
    ['gh pr merge 3 --squash', ['main']],
    ['gh api -X PUT repos/o/r/contents/a -f message=m', ['main']],
    ['gh api -X PUT repos/o/r/contents/a -f branch=work', ['work']],
    ['gh api -X POST repos/o/r/git/refs -f ref=refs/heads/x', ['x']],
    [`gh api -X PUT repos/o/r/contents/a -f message='for branch=work'`, ['main']],
    [`gh pr merge 3 --body 'branch: work'`, ['main']],
    ['gh pr view 3; gh pr create --fill', []],
  ])('writes branches: %s', (command, branches) => {
    expect(doing(bash(command)).branches).toEqual(branches);
  });

  test.each([
    ['git commit -m x', 1],
    ['git commit -m x; false', 1],
    ['git commit -m x & git commit -m x &', 2],
    ['git commit -m a && git commit -m b', 2],
  ])('makes as many commits: %s', (command, count) => {
    expect(doing(bash(command)).commits).toBe(count);
  });
});
