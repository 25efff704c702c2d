import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { eventsIn } from '../e2e/events';
import type { HostDocument, Rig } from '../e2e/rig';
import { approve, said, strictRig } from './strict';

/** They change nothing that a rule is about, whatever is open. */
const READING = [
  'git status',
  'git status --short --branch',
  'git diff',
  'git diff --cached --stat',
  'git diff main...HEAD -- src',
  'git log --oneline -n 20',
  "git log --format='%h %s' --since=yesterday",
  'git show HEAD~1:src/a.js',
  'git blame -L 10,20 src/a.js',
  'git branch -a',
  'git remote -v',
  'git stash list',
  'git rev-parse --abbrev-ref HEAD',
  'git config --get user.name',
  'git ls-files "*.ts" | wc -l',
  'ls -la src .github/workflows',
  'cat package.json | jq .scripts',
  "sed -n '1,120p' src/a.js",
  'grep -rn "TODO" src --include="*.js"',
  "rg -n 'export (const|function)' src | head -50",
  "find . -name '*.test.js' -not -path './node_modules/*'",
  'find . -type f -name "*.ts" | xargs grep -l useState',
  'head -50 README.md; tail -n 5 src/a.js',
  'cat .holdpoint/config.yaml',
  'cat .claude/settings.json | jq ".hooks | keys"',
  'cat .holdpoint/config.yaml; npm run write-docs',
  `python3 -c "print(open('.holdpoint/config.yaml').read())"; rm -f /tmp/none-of-ours`,
  "npm run build && grep -rn '.holdpoint' src | head; echo write",
  'docker ps; rm -f .holdpoint.tmp',
  'wc -l $(git ls-files src)',
  'cd "$(mktemp -d)"; echo "{}" > package.json',
  'd=$(mktemp -d)\nmkdir -p $d/src\ncd $d/src\necho x > a.js',
  'mkdir -p /tmp/scratch; cd /tmp/scratch; echo x > src.js',
  'mkdir -p /tmp/scratch && cd /tmp/scratch; echo x > src.js',
  'rm -rf /tmp/e2e && mkdir -p /tmp/e2e && cd /tmp/e2e\ngit init -q\necho x > f\ngit add -A && git commit -qm x',
  'du -sh . && df -h .',
  'ps aux | grep node',
  'which node && node --version',
  'echo "$PATH" | tr ":" "\\n"',
  'env | sort | head',
  'diff -u src/a.js src/b.js',
  "awk -F, '{print $1}' data.csv | sort | uniq -c",
  'node -p "require(\'./package.json\').version"',
  `node -e "console.log(Object.keys(JSON.parse(require('fs').readFileSync('package.json','utf8')).scripts))"`,
  "python3 -c \"import json; print(json.load(open('package.json'))['name'])\"",
  'for f in src/*.js; do echo "== $f"; head -3 "$f"; done',
  'cd src && ls && cd ..',
  'tree -L 2 src 2>/dev/null || ls -R src',
  'ruff check . && isort --check-only src',
  'taplo check; black --check src',
  'gzip -l a.gz; xz -l b.xz; zstd -t c.zst; zcat a.gz | head; gzip -dc a.gz | wc -l',
  "dos2unix -i README.md; rename -n 's/a/b/' src/a.js; sd -p foo bar src/a.js",
  'git --work-tree=. status -- requirements.txt',
  'GIT_WORK_TREE=. git diff --stat -- requirements.txt docs/requirements',
  `python3 -c "import json; s = json.load(open('.isdlc/state.json')); print(s['counter'] > 1, s.get('phase'))"`,
  `bd create "git push hook is slow" -d 'When I run \`git commit\` it hangs'`,
  `bd comment bd-3 "Steps:\ngit commit\ngit push origin main"`,
  'holdpoint status',
  'holdpoint log --held',
  'req status',
];

/** What a day's work is made of, once people have said yes. */
const WORKING = [
  'git checkout main; git pull; git checkout -; echo x > src/a.js',
  'git add -A',
  'git add src/a.js test/a.test.js',
  'git commit -m "Add a parser"',
  `git commit -m "$(cat <<'EOF'\nAdd a parser\n\nIt reads everything.\nEOF\n)"`,
  'git commit --amend --no-edit',
  "git commit --allow-empty -m 'Copy .claude/settings example' && npm run build",
  'git switch -c feature/parser',
  'git worktree add -q ../wt -b fix/wt && cd ../wt\ngit commit -qm x',
  'git checkout -b fix/crash',
  'git checkout -- src/a.js',
  'git restore --staged src/a.js',
  'git fetch origin',
  'git fetch --all --prune',
  'git pull --rebase origin main',
  'git push -u origin HEAD',
  'git push origin feature/auth',
  'git rebase origin/main',
  'git rebase --continue',
  'git merge origin/main',
  'git stash && git stash pop',
  'git cherry-pick abc1234',
  'git tag -l "v*"',
  'git worktree list',
  'git rm --cached secrets.env',
  'git mv src/a.js src/lexer.js',
  'git clean -fd build',
  'rm -f .git/refs/heads/feature/auth.lock',
  `docker run --rm node:22 node -e "console.log(require('fs').existsSync('.holdpoint/config.yaml'))"`,
  'npm test',
  'npm ci',
  'npm install --save-dev vitest',
  'npm run build && npm run lint',
  'pnpm install && pnpm -r test',
  'yarn test --watch=false',
  'npx tsc --noEmit -p .',
  'npx vitest run src/a.test.ts',
  'npx prettier --write src',
  'prettier --write .',
  'npx eslint --fix src test',
  'npx biome check --write .',
  'cargo build --release && cargo test',
  'cargo fmt && cargo clippy -- -D warnings',
  'go test ./... -race',
  'go mod tidy',
  'pytest -q tests/unit',
  'python -m pytest --maxfail=1',
  'ruff check --fix . && ruff format .',
  'make -j4 test',
  'docker build -t app:dev .',
  'docker compose up -d db && docker compose logs --tail 50 db',
  'kubectl get pods -n staging',
  'kubectl logs deploy/web --tail=100',
  'terraform plan -out=plan.tfplan',
  'curl -sSf https://example.com/health | jq .status',
  'curl -o /tmp/archive.tgz https://example.com/archive.tgz',
  'tar -xzf /tmp/archive.tgz -C vendor',
  'tar -czf dist.tgz dist',
  'cp src/a.js src/b.js',
  'cp -r src/templates dist/templates',
  'mv src/old.js src/new.js',
  'rm -rf dist build coverage',
  'rm -f src/*.bak',
  'mkdir -p src/lib test/lib && touch src/lib/index.js',
  'chmod +x scripts/release.sh',
  "sed -i 's/foo/bar/g' src/a.js",
  "find src -name '*.js' -exec sed -i 's/var /let /' {} +",
  'find . -name "*.orig" -delete',
  "cat > src/new.js <<'EOF'\nexport const x = 1;\nEOF",
  "cat >> .gitignore <<'EOF'\ncoverage/\nEOF",
  'echo "node_modules" >> .gitignore',
  "tee docs/usage.md <<'EOF' >/dev/null\n# Usage\nEOF",
  'printf "%s\\n" "1.2.3" > VERSION',
  'jq \'.version = "1.2.3"\' package.json > tmp.json && mv tmp.json package.json',
  'npm pkg set description="A parser"',
  'npm version patch --no-git-tag-version',
  `node -e "require('fs').writeFileSync('src/gen.js', 'export default 1')"`,
  "python3 - <<'EOF'\nfrom pathlib import Path\np = Path('src/a.js')\np.write_text(p.read_text().replace('a', 'b'))\nEOF",
  'patch -p1 < fix.patch',
  'git apply fix.patch',
  'git diff > /tmp/work.patch',
  'gh pr view 12 --json title,body',
  'gh pr list --state open',
  'gh pr checkout 12',
  'gh pr create --fill --draft',
  'gh run watch && gh run view --log-failed',
  'gh api repos/o/r/pulls/12/comments',
  'npm run dev > /tmp/dev.log 2>&1 &',
  'kill %1; wait',
  'export NODE_ENV=test; npm test -- --grep parser',
  'bash scripts/build.sh && ./scripts/check.sh',
  'cd packages/api && npm test; cd -',
  '(cd docs && npx markdownlint "**/*.md")',
  'ln -s ../shared src/shared',
  'sqlite3 dev.db "select count(*) from users"',
  'psql -c "\\dt" app_dev',
  'ssh-keygen -lf ~/.ssh/id_ed25519.pub',
  'T=$(mktemp -d); cd $T; git init -q; git commit --allow-empty -qm x',
  'cd "$(mktemp -d)" && git init -q && git commit --allow-empty -qm x && git log --oneline',
  'T=$(mktemp -d); git -C $T init -q; cp src/a.js "$T"; git -C $T add -A; git -C $T commit -qm x; rm -rf $T',
  'timeout 60 npm run e2e',
];

const FILES = [
  'src/a.js',
  'test/a.test.js',
  'README.md',
  '.gitignore',
  'package.json',
  'docs/usage.md',
  '.vscode/settings.json',
  '.github/workflows/ci.yml',
  '.claude/agents/reviewer.md',
  '.claude/commands/ship.md',
  'CLAUDE.md',
  '.env.example',
];

function textOf(path: string): string {
  return path.endsWith('.json') ? '{"name": "app", "scripts": {}}\n' : 'x\n';
}

describe('ordinary work', () => {
  let rig: Rig;
  let calls = 0;
  /** What the hook says before and after a call; empty where it holds, asks and tells nothing. */
  const call = (tool: string, input: HostDocument): string => {
    const on = eventsIn(rig);
    const id = { tool_use_id: `toolu_${++calls}` };
    const before = said(rig.hook(on.pre(tool, input, id)));
    if (before !== '') return before;
    return said(rig.hook(on.post(tool, input, { ...id, tool_response: { stdout: '', stderr: '' } })));
  };
  const alarmsOf = (commands: readonly string[]): string[] =>
    commands.flatMap((command) => {
      const told = call('Bash', { command });
      return told === '' ? [] : [`${command}: ${told}`];
    });

  beforeAll(() => {
    rig = strictRig(Object.fromEntries(FILES.map((path) => [path, textOf(path)])));
  });
  afterAll(() => rig.remove());

  it('that only reads is never held, whatever is open', () => {
    expect(
      call('Edit', { file_path: join(rig.repo, 'src/a.js'), old_string: 'x', new_string: 'y' }),
    ).toContain('deny');
    expect(READING.length).toBeGreaterThanOrEqual(40);
    expect(alarmsOf(READING)).toEqual([]);
    for (const [tool, input] of [
      ['Read', { file_path: join(rig.repo, '.holdpoint/config.yaml') }],
      ['Grep', { pattern: 'x', path: '.git' }],
      ['Glob', { pattern: '**/*.json' }],
      ['mcp__filesystem__read_text_file', { path: '.claude/settings.json' }],
      ['mcp__filesystem__list_directory', { path: '.git/holdpoint' }],
      ['mcp__github__search_code', { query: '.holdpoint/config.yaml' }],
      ['TodoWrite', { todos: [] }],
    ] as const)
      expect(call(tool, input), tool).toBe('');
  });

  it('is not held, asked about or told of once people have approved', () => {
    approve(rig);
    expect(WORKING.length).toBeGreaterThanOrEqual(70);
    expect(alarmsOf(WORKING)).toEqual([]);
  });

  it('is the same with tools that name files', () => {
    for (const name of FILES) {
      const file_path = join(rig.repo, name);
      expect(call('Write', { file_path, content: 'y\n' }), name).toBe('');
      expect(call('Edit', { file_path, old_string: 'y', new_string: 'z' }), name).toBe('');
      expect(call('mcp__filesystem__write_file', { path: file_path, content: 'z' }), name).toBe('');
    }
    const others: readonly (readonly [string, HostDocument])[] = [
      ['NotebookEdit', { notebook_path: join(rig.repo, 'a.ipynb'), new_source: 'x' }],
      ['MultiEdit', { file_path: join(rig.repo, 'src/a.js'), edits: [{ old_string: 'z', new_string: 'x' }] }],
      ['mcp__git__git_add', { repo_path: rig.repo, files: ['.'] }],
      ['mcp__filesystem__create_directory', { path: join(rig.repo, 'src/lib') }],
      ['mcp__filesystem__move_file', { source: 'src/a.js', destination: 'src/c.js' }],
      ['mcp__linear__create_issue', { title: '.', description: 'A text.\nOf two lines.' }],
      ['mcp__memory__add_observations', { observations: ['.holdpoint/config.yaml'], entity: 'set-up' }],
      ['mcp__jira__create_issue', { summary: '.claude/settings.json', project: 'HP' }],
      ['Task', { subagent_type: 'general-purpose', prompt: 'Look around', description: 'Look' }],
    ];
    for (const [tool, input] of others) expect(call(tool, input), tool).toBe('');
  });

  it('names no more paths than can be looked up before a host gives up', () => {
    const paths = Array.from({ length: 5001 }, (_, index) => `/x/${index}`);
    expect(call('mcp__files__write_file', { paths })).toContain('too many to check before it runs');
    expect(call('mcp__sheets__append_rows', { rows: paths.slice(0, 3000) })).toBe('');
    const deep = Array.from({ length: 200 }, (_, index) => `/x${'/d'.repeat(150)}${index}`);
    expect(call('mcp__files__write_file', { paths: deep })).toContain('too many to check before it runs');
    expect(call('Write', { file_path: `/${'a/'.repeat(500_000)}b`, content: 'x' })).toBe('');
  });
});
