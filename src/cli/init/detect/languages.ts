import { checksAmong } from './javascript';
import type { DetectedProject, Detectors, FoundCheck, ProjectFiles, Purpose } from './kind';

/** A command, and the file that shows that the project uses it; without such a file it is not proposed. */
type Rule = readonly [purpose: Purpose, command: string, source: string | false | undefined];

/** Keeps only the first command for each purpose. */
function checksBy(...rules: readonly Rule[]): FoundCheck[] {
  const checks = rules.flatMap(([purpose, command, source]) =>
    typeof source === 'string' ? [{ purpose, command, source }] : [],
  );
  return checks.filter(({ purpose }, at) => checks.findIndex((one) => one.purpose === purpose) === at);
}

/** A kind of project that is recognised by any of these files. */
function recognisedBy(marks: readonly string[], rulesFor: (files: ProjectFiles) => readonly Rule[]) {
  return (files: ProjectFiles): DetectedProject | undefined =>
    marks.some(files.has) ? { checks: checksBy(...rulesFor(files)) } : undefined;
}

/** Clippy and rustfmt come with cargo, but are proposed only if the project is known to use them. */
const rust = recognisedBy(['Cargo.toml'], (files) => {
  const manifest = files.text('Cargo.toml');
  const all = /^\[workspace\b/m.test(manifest) ? ' --workspace' : '';
  const ci = buildServerText(files);
  const usesClippy = /^\[(?:workspace\.)?lints\b/m.test(manifest) || /\bclippy\b/.test(ci);
  const clippy = ['clippy.toml', '.clippy.toml'].find(files.has) ?? (usesClippy && 'Cargo.toml');
  const usesFormat = /\bcargo fmt\b/.test(ci);
  const format = ['rustfmt.toml', '.rustfmt.toml'].find(files.has) ?? (usesFormat && 'the build server');
  return [
    ['test', `cargo test${all}`, 'Cargo.toml'],
    ['lint', `cargo clippy${all} --all-targets`, clippy],
    ['format', 'cargo fmt --check', format],
  ];
});

/** All CI configs as one text, to search for tool names. */
function buildServerText(files: ProjectFiles): string {
  const workflows = files.names('.github/workflows').map((name) => files.text(`.github/workflows/${name}`));
  return [...workflows, files.text('.gitlab-ci.yml'), files.text('.circleci/config.yml')].join('\n');
}

function go(files: ProjectFiles): DetectedProject | undefined {
  const work = files.text('go.work');
  // From the root of a Go workspace, `./...` does not reach its modules.
  if (work !== '') return { checks: [], members: goModules(work) };
  if (!files.has('go.mod')) return undefined;
  const linter = ['yml', 'yaml', 'toml', 'json'].map((end) => `.golangci.${end}`).find(files.has);
  return {
    checks: checksBy(
      ['test', 'go test ./...', 'go.mod'],
      ['lint', 'golangci-lint run', linter],
      ['lint', 'go vet ./...', 'go.mod'],
    ),
  };
}

function goModules(work: string): string[] {
  const bare = work.replace(/\/\/.*$/gm, '');
  const listed = [...bare.matchAll(/^use\s*\(([^)]*)\)/gm)].flatMap(([, inner = '']) => inner.split('\n'));
  const single = [...bare.matchAll(/^use\s+([^(\s]+)/gm)].map(([, path = '']) => path);
  return [...listed, ...single]
    .map((path) => path.trim().replace(/^\.\/|\/+$/g, ''))
    .filter((path) => path !== '' && path !== '.' && !path.startsWith('..'));
}

const PYTHON_MARKS = ['pyproject.toml', 'setup.py', 'setup.cfg', 'requirements.txt', 'Pipfile', 'tox.ini'];
const PYTHON_REQUIREMENTS = ['requirements', 'requirements-dev', 'requirements_dev', 'dev-requirements'];

/** Proposes only tools that the project configures or depends on. */
const python = recognisedBy(PYTHON_MARKS, (files) => {
  const runner = pythonRunner(files);
  const run = (program: string): string => `${runner} ${program}`;
  const interpreter = runner.endsWith(' -m') ? runner.slice(0, -' -m'.length) : run('python');
  const configOf = (tool: string, own: readonly string[]) => pythonConfig(tool, files, own);
  const signOf = (tool: string, own: readonly string[]) =>
    configOf(tool, own) ?? pythonDependency(tool, files);
  // A dependency is not enough for these: without a config, we do not know which files to check.
  const mypy = configOf('mypy', ['mypy.ini', '.mypy.ini']);
  const pyright = configOf('pyright', ['pyrightconfig.json']);
  const namesFiles = /^(?:files|packages)\s*=/m.test(files.text(mypy?.split(',')[0] ?? ''));
  const pytest = signOf('pytest', ['pytest.ini', '.pytest.ini', 'conftest.py', 'tests/conftest.py']);
  return [
    ['test', run('pytest'), pytest],
    ['test', `${interpreter} manage.py test`, files.has('manage.py') && 'manage.py'],
    ['lint', run('ruff check .'), signOf('ruff', ['ruff.toml', '.ruff.toml'])],
    ['lint', run('flake8'), signOf('flake8', ['.flake8'])],
    ['typecheck', run(namesFiles ? 'mypy' : 'mypy .'), mypy],
    ['typecheck', run('pyright'), pyright],
  ];
});

/** The prefix that runs a program in the project's environment, such as `poetry run`. */
function pythonRunner(files: ProjectFiles): string {
  const manifest = files.text('pyproject.toml');
  if (files.has('uv.lock') || /^\[tool\.uv\b/m.test(manifest)) return 'uv run';
  if (files.has('poetry.lock') || /^\[tool\.poetry\b/m.test(manifest)) return 'poetry run';
  if (files.has('pdm.lock')) return 'pdm run';
  if (files.has('Pipfile')) return 'pipenv run';
  const own = ['.venv/bin/python', 'venv/bin/python'].find(files.has);
  return `${own ?? 'python3'} -m`;
}

/** Where the project configures a tool: in a section of a shared file, or in the tool's own file. */
function pythonConfig(tool: string, files: ProjectFiles, own: readonly string[]): string | undefined {
  if (new RegExp(`^\\[tool\\.${tool}\\b`, 'm').test(files.text('pyproject.toml')))
    return `pyproject.toml, tool.${tool}`;
  const section = new RegExp(`^\\[(?:tool:)?${tool}\\]`, 'm');
  return ['setup.cfg', 'tox.ini'].find((file) => section.test(files.text(file))) ?? own.find(files.has);
}

function pythonDependency(tool: string, files: ProjectFiles): string | undefined {
  // Matches a quoted name in a list or a key of Poetry, but no longer name with the same prefix.
  const listed = new RegExp(`["']${tool}(?:["'\\s<>=!~\\[;])|^${tool}\\s*=`, 'm');
  if (listed.test(files.text('pyproject.toml'))) return 'pyproject.toml';
  if (new RegExp(`^${tool}\\s*=`, 'm').test(files.text('Pipfile'))) return 'Pipfile';
  const line = new RegExp(`^${tool}(?:[\\s<>=!~\\[;]|$)`, 'm');
  return PYTHON_REQUIREMENTS.map((name) => `${name}.txt`).find((file) => line.test(files.text(file)));
}

const ruby = recognisedBy(['Gemfile'], (files) => {
  const gems = files.text('Gemfile') + files.text('Gemfile.lock');
  const rakefile = files.text('Rakefile');
  const isTask = /^\s*(?:Rake::TestTask|task\s+:?["']?test\b|RSpec::Core::RakeTask)/m.test(rakefile);
  const hasTests = files.isDirectory('test');
  return [
    ['test', 'bundle exec rspec', /\brspec\b/.test(gems) && files.isDirectory('spec') && 'Gemfile'],
    ['test', 'bin/rails test', hasTests && files.has('bin/rails') && 'bin/rails'],
    ['test', 'bundle exec rake test', hasTests && isTask && 'Rakefile'],
    ['lint', 'bundle exec rubocop', /\brubocop\b/.test(gems) && 'Gemfile'],
    ['lint', 'bundle exec standardrb', /["']standard["']/.test(gems) && 'Gemfile'],
  ];
});

const GRADLE_MARKS = ['build.gradle', 'build.gradle.kts', 'settings.gradle', 'settings.gradle.kts'];

const jvm = recognisedBy(['pom.xml', ...GRADLE_MARKS], (files) => [
  ['test', `${files.has('mvnw') ? './mvnw' : 'mvn'} -q test`, files.has('pom.xml') && 'pom.xml'],
  ['test', `${files.has('gradlew') ? './gradlew' : 'gradle'} test`, GRADLE_MARKS.find(files.has)],
]);

function php(files: ProjectFiles): DetectedProject | undefined {
  if (!files.has('composer.json')) return undefined;
  const manifest = files.json('composer.json');
  const { checks, passedOver } = checksAmong(manifest['scripts'], 'composer.json, scripts', (script, more) =>
    `composer run-script ${script} ${more}`.trim(),
  );
  const isPest = JSON.stringify(manifest).includes('"pestphp/pest"');
  const found = checksBy(
    ['test', 'vendor/bin/pest', isPest && 'composer.json'],
    ['test', 'vendor/bin/phpunit', ['phpunit.xml', 'phpunit.xml.dist', 'phpunit.dist.xml'].find(files.has)],
    [
      'typecheck',
      'vendor/bin/phpstan analyse',
      ['phpstan.neon', 'phpstan.neon.dist', 'phpstan.dist.neon'].find(files.has),
    ],
  );
  return {
    checks: [...checks, ...found.filter((one) => !checks.some(({ purpose }) => purpose === one.purpose))],
    passedOver,
    ...(!files.has('vendor') && { first: 'composer install' }),
  };
}

const elixir = recognisedBy(['mix.exs'], (files) => [
  ['test', 'mix test', files.isDirectory('test') && 'mix.exs'],
  ['lint', 'mix credo', /:credo\b/.test(files.text('mix.exs')) && 'mix.exs'],
  ['format', 'mix format --check-formatted', files.has('.formatter.exs') && '.formatter.exs'],
]);

function dotnet(files: ProjectFiles): DetectedProject | undefined {
  const project = files.names('.').find((name) => /\.(?:slnx?|[cf]sproj)$/.test(name));
  return project === undefined ? undefined : { checks: checksBy(['test', 'dotnet test', project]) };
}

export const LANGUAGES: Detectors = { rust, go, python, ruby, jvm, php, elixir, dotnet };

const TARGETS: readonly Purpose[] = ['test', 'lint', 'typecheck', 'check', 'build'];

/** Task runners, and how a line that defines a target looks. */
const RUNNERS = [
  {
    files: ['GNUmakefile', 'makefile', 'Makefile'],
    program: 'make',
    target: /^([\w.\- \t]+?)[ \t]*::?(?!=)/gm,
  },
  {
    files: ['justfile', 'Justfile', '.justfile'],
    program: 'just',
    target: /^@?([\w-]+)(?:[ \t][^:\n]*)?:(?!=)/gm,
  },
] as const;

/** Targets of a Makefile or justfile, in projects of any kind, known or not. */
export function make(files: ProjectFiles): DetectedProject | undefined {
  const used = RUNNERS.flatMap((runner) => {
    const source = runner.files.find(files.has);
    return source === undefined ? [] : [{ ...runner, source }];
  });
  if (used.length === 0) return undefined;
  const checks = used.flatMap(({ source, program, target }): FoundCheck[] => {
    const targets = [...files.text(source).matchAll(target)].flatMap(([, line = '']) => line.split(/\s+/));
    const known = TARGETS.filter((purpose) => targets.includes(purpose));
    return known.map((purpose) => ({ purpose, command: `${program} ${purpose}`, source }));
  });
  const both = checks.some(({ purpose }) => purpose === 'test' || purpose === 'lint');
  return { checks: checks.filter(({ purpose }) => purpose !== 'check' || !both) };
}
