/** The files of a small project, and what it has to be checked with: name, command and, below the root, where. */
export interface SampleProject {
  readonly files: Readonly<Record<string, string>>;
  readonly checks: readonly string[];
  /** What looks like a check and must not be proposed, by the place that names it. */
  readonly passedOver?: readonly string[];
}

const scripts = (all: Readonly<Record<string, string>>, more: object = {}): string =>
  JSON.stringify({ name: 'sample', scripts: all, ...more });

const JEST = scripts({ test: 'jest', lint: 'eslint .', typecheck: 'tsc --noEmit', build: 'tsc' });

export const SAMPLES: Readonly<Record<string, SampleProject>> = {
  'npm with test, lint, types and a build, which is only written down': {
    files: { 'package.json': JEST, 'package-lock.json': '{}' },
    checks: [
      'test: npm test',
      'lint: npm run lint',
      'typecheck: npm run typecheck',
      '(build: npm run build)',
    ],
  },
  'pnpm by its lock file': {
    files: { 'package.json': scripts({ test: 'vitest', lint: 'eslint .' }), 'pnpm-lock.yaml': '' },
    checks: ['test: pnpm test', 'lint: pnpm run lint'],
  },
  'yarn by its lock file': {
    files: { 'package.json': scripts({ test: 'jest', 'type-check': 'tsc' }), 'yarn.lock': '' },
    checks: ['test: yarn test', 'typecheck: yarn run type-check'],
  },
  'bun, whose own test runner is not the script': {
    files: { 'package.json': scripts({ test: 'vitest run' }), 'bun.lock': '' },
    checks: ['test: bun run test'],
  },
  'the packageManager field over a lock file': {
    files: {
      'package.json': scripts({ test: 'jest' }, { packageManager: 'pnpm@9.1.0' }),
      'package-lock.json': '{}',
    },
    checks: ['test: pnpm test'],
  },
  "npm's placeholder for tests": {
    files: { 'package.json': scripts({ test: 'echo "Error: no test specified" && exit 1' }) },
    checks: [],
    passedOver: ['package.json, scripts.test'],
  },
  'scripts that never end or change files, with others in their place': {
    files: {
      'package.json': scripts({
        test: 'vitest --watch',
        'test:unit': 'vitest run',
        lint: 'eslint . --fix',
        'lint:check': 'eslint .',
      }),
    },
    checks: ['test: npm run test:unit', 'lint: npm run lint:check'],
    passedOver: ['package.json, scripts.test', 'package.json, scripts.lint'],
  },
  'test programs that watch unless they are told not to': {
    files: { 'package.json': scripts({ test: 'react-scripts test' }) },
    checks: ['test: npm test -- --watchAll=false'],
  },
  'nothing but a build': {
    files: { 'package.json': scripts({ build: 'webpack', start: 'node .' }) },
    checks: ['build: npm run build'],
  },
  'a package.json that is broken': { files: { 'package.json': '{"scripts": [' }, checks: [] },
  'a workspace whose root has the scripts': {
    files: {
      'package.json': scripts({ test: 'turbo run test' }, { workspaces: ['packages/*'] }),
      'packages/a/package.json': JEST,
    },
    checks: ['test: npm test'],
  },
  'a workspace whose packages have them': {
    files: {
      'package.json': scripts({}, { workspaces: ['packages/*', '!packages/old'] }),
      'package-lock.json': '{}',
      'packages/a/package.json': scripts({ test: 'jest', lint: 'eslint .' }),
      'packages/b/package.json': scripts({ test: 'vitest run' }),
      'packages/old/package.json': scripts({ test: 'jest' }),
    },
    checks: ['test: npm test @ packages/a packages/b', 'lint: npm run lint @ packages/a'],
  },
  'a workspace of pnpm': {
    files: {
      'package.json': '{}',
      'pnpm-lock.yaml': '',
      'pnpm-workspace.yaml': 'packages:\n  - "apps/**"\n',
      'apps/web/ui/package.json': scripts({ test: 'vitest run' }),
    },
    checks: ['test: pnpm test @ apps/web/ui'],
  },
  'a workspace that names a package, and a directory whose name has a line end in it': {
    files: {
      'package.json': scripts({}, { workspaces: { packages: ['./core/', 'x/*'] } }),
      'core/package.json': scripts({ test: 'jest' }),
      'x/a\nb: c/package.json': scripts({ lint: 'eslint .' }),
    },
    checks: ['test: npm test @ core', 'lint: npm run lint @ x/a\nb: c'],
  },
  'parts without a manifest at the root': {
    files: {
      'web/package.json': scripts({ test: 'jest' }),
      'services/api/pyproject.toml': '[tool.pytest.ini_options]\n',
      'services/api/uv.lock': '',
      'examples/package.json': scripts({ test: 'jest' }),
    },
    checks: ['test: uv run pytest @ services/api', 'test-web: npm test @ web'],
  },
  cargo: { files: { 'Cargo.toml': '[package]\nname = "a"\n' }, checks: ['test: cargo test'] },
  'a cargo workspace that keeps to clippy and rustfmt': {
    files: {
      'Cargo.toml': '[workspace]\nmembers = ["a"]\n[workspace.lints.clippy]\nall = "warn"\n',
      'rustfmt.toml': '',
    },
    checks: [
      'test: cargo test --workspace',
      'lint: cargo clippy --workspace --all-targets',
      'format: cargo fmt --check',
    ],
  },
  go: { files: { 'go.mod': 'module a\n' }, checks: ['test: go test ./...', 'lint: go vet ./...'] },
  'go with its linter': {
    files: { 'go.mod': 'module a\n', '.golangci.yml': '' },
    checks: ['test: go test ./...', 'lint: golangci-lint run'],
  },
  'a work space of go modules': {
    files: {
      'go.work': 'go 1.22\n\nuse (\n\t./a // one\n\t./b\n)\n',
      'a/go.mod': 'module a\n',
      'b/go.mod': 'module b\n',
    },
    checks: ['test: go test ./... @ a b', 'lint: go vet ./... @ a b'],
  },
  'python with uv, pytest, ruff and mypy': {
    files: {
      'pyproject.toml':
        '[project]\nname = "a"\n[dependency-groups]\ndev = ["pytest>=8", "ruff"]\n[tool.mypy]\nfiles = ["src"]\n',
      'uv.lock': '',
    },
    checks: ['test: uv run pytest', 'lint: uv run ruff check .', 'typecheck: uv run mypy'],
  },
  'python with poetry': {
    files: {
      'pyproject.toml': '[tool.poetry]\nname = "a"\n[tool.poetry.group.dev.dependencies]\npytest = "^8"\n',
    },
    checks: ['test: poetry run pytest'],
  },
  'python with a requirements file, where pytest-cov alone is no pytest': {
    files: { 'requirements.txt': 'django==5\npytest-cov\nflake8\n', 'manage.py': '' },
    checks: ['test: python3 manage.py test', 'lint: python3 -m flake8'],
  },
  'python of which nothing is known': { files: { 'setup.py': '' }, checks: [] },
  'a Makefile, and variables in it that look like targets': {
    files: { Makefile: 'test := no\nlint: deps\n\techo\ntest all: deps\n\techo\n.PHONY: check\n' },
    checks: ['test: make test', 'lint: make lint'],
  },
  'a Makefile beside a package.json fills in what that lacks': {
    files: { 'package.json': scripts({ test: 'jest' }), Makefile: 'test:\n\tjest\nlint:\n\teslint .\n' },
    checks: ['test: npm test', 'lint: make lint'],
  },
  'a justfile': { files: { justfile: 'test *args:\n  pytest\n' }, checks: ['test: just test'] },
  'ruby with rspec and rubocop': {
    files: { Gemfile: 'gem "rspec"\ngem "rubocop"\n', 'spec/a_spec.rb': '' },
    checks: ['test: bundle exec rspec', 'lint: bundle exec rubocop'],
  },
  'rails with its own tests': {
    files: { Gemfile: 'gem "rails"\n', 'bin/rails': '', 'test/a_test.rb': '' },
    checks: ['test: bin/rails test'],
  },
  'maven with a wrapper': { files: { 'pom.xml': '<project/>', mvnw: '' }, checks: ['test: ./mvnw -q test'] },
  gradle: { files: { 'build.gradle.kts': '' }, checks: ['test: gradle test'] },
  'composer with scripts, phpstan beside them': {
    files: { 'composer.json': scripts({ test: 'phpunit' }), 'phpunit.xml': '', 'phpstan.neon': '' },
    checks: ['test: composer run-script test', 'typecheck: vendor/bin/phpstan analyse'],
  },
  mix: {
    files: { 'mix.exs': '{:credo, "~> 1.7"}', 'test/a_test.exs': '', '.formatter.exs': '' },
    checks: ['test: mix test', 'lint: mix credo', 'format: mix format --check-formatted'],
  },
  'deno with a task and comments in its config': {
    files: { 'deno.jsonc': '{\n  // ours\n  "tasks": {"test": "deno test -A"},\n}' },
    checks: ['test: deno task test', 'lint: deno lint'],
  },
  dotnet: { files: { 'App.sln': '' }, checks: ['test: dotnet test'] },
  'two kinds at one root': {
    files: { 'package.json': scripts({ test: 'jest' }), 'pyproject.toml': '[tool.pytest.ini_options]\n' },
    checks: ['test: npm test', 'test-python: python3 -m pytest'],
  },
  'nothing at all': { files: {}, checks: [] },
};
