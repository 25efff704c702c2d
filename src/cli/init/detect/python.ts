import type { FoundCheck, Kind, ProjectFiles } from './kind';

const MARKS = ['pyproject.toml', 'setup.py', 'setup.cfg', 'requirements.txt', 'Pipfile', 'tox.ini'];
const REQUIREMENTS = [
  'requirements.txt',
  'requirements-dev.txt',
  'requirements_dev.txt',
  'dev-requirements.txt',
];

/** How a program of the project's environment is started, by what manages that environment. */
const RUNNERS: readonly (readonly [(files: ProjectFiles) => boolean, (program: string) => string])[] = [
  [
    (files) => files.has('uv.lock') || /^\[tool\.uv\b/m.test(files.text('pyproject.toml')),
    (one) => `uv run ${one}`,
  ],
  [
    (files) => files.has('poetry.lock') || /^\[tool\.poetry\b/m.test(files.text('pyproject.toml')),
    (one) => `poetry run ${one}`,
  ],
  [(files) => files.has('pdm.lock'), (one) => `pdm run ${one}`],
  [(files) => files.has('Pipfile'), (one) => `pipenv run ${one}`],
  [(files) => files.has('.venv/bin/python'), (one) => `.venv/bin/python -m ${one}`],
  [(files) => files.has('venv/bin/python'), (one) => `venv/bin/python -m ${one}`],
];

/** Projects in Python. Only tools that the project configures or depends on are named. */
export const pythonKind: Kind = {
  name: 'python',
  recognise(files) {
    if (!MARKS.some(files.has)) return undefined;
    const run = RUNNERS.find(([isUsed]) => isUsed(files))?.[1] ?? ((one: string) => `python3 -m ${one}`);
    return { checks: [testIn(files, run), ...lintersIn(files, run)].flat() };
  },
};

type Run = (program: string) => string;

function testIn(files: ProjectFiles, run: Run): FoundCheck[] {
  const source = signOf('pytest', files, ['pytest.ini', '.pytest.ini', 'conftest.py', 'tests/conftest.py']);
  if (source !== undefined) return [{ purpose: 'test', command: run('pytest'), source }];
  // Started as a file, which none of the runners knows as a program.
  if (files.has('manage.py')) {
    const command = run('pytest')
      .replace(/(?:-m )?pytest$/, '')
      .trim();
    const python = /python3?$/.test(command) ? command : `${command} python`.trim();
    return [{ purpose: 'test', command: `${python} manage.py test`, source: 'manage.py' }];
  }
  return [];
}

function lintersIn(files: ProjectFiles, run: Run): FoundCheck[] {
  const lint = (
    [
      ['ruff', 'ruff check .', ['ruff.toml', '.ruff.toml']],
      ['flake8', 'flake8', ['.flake8']],
    ] as const
  ).flatMap(([name, command, own]): FoundCheck[] => {
    const source = signOf(name, files, own);
    return source === undefined ? [] : [{ purpose: 'lint', command: run(command), source }];
  });
  return [...lint.slice(0, 1), ...typesIn(files, run)];
}

function typesIn(files: ProjectFiles, run: Run): FoundCheck[] {
  // Being depended on is not enough here: without a configuration nobody knows what is to be looked at.
  const mypy = configOf('mypy', files, ['mypy.ini', '.mypy.ini']);
  if (mypy !== undefined) {
    const names = /^(?:files|packages)\s*=/m.test(files.text(mypy.split(',')[0] ?? ''));
    return [{ purpose: 'typecheck', command: run(names ? 'mypy' : 'mypy .'), source: mypy }];
  }
  const pyright = configOf('pyright', files, ['pyrightconfig.json']);
  return pyright === undefined ? [] : [{ purpose: 'typecheck', command: run('pyright'), source: pyright }];
}

/** Where the project says that it uses a tool: a file of the tool's, a table of its own, a dependency. */
function signOf(tool: string, files: ProjectFiles, own: readonly string[]): string | undefined {
  return configOf(tool, files, own) ?? dependencyOn(tool, files);
}

function configOf(tool: string, files: ProjectFiles, own: readonly string[]): string | undefined {
  if (new RegExp(`^\\[tool\\.${tool}\\b`, 'm').test(files.text('pyproject.toml')))
    return `pyproject.toml, tool.${tool}`;
  const ini = ['setup.cfg', 'tox.ini'].find((file) =>
    new RegExp(`^\\[(?:tool:)?${tool}\\]`, 'm').test(files.text(file)),
  );
  return ini ?? own.find(files.has);
}

function dependencyOn(tool: string, files: ProjectFiles): string | undefined {
  // A list of names in quotes, or a key of poetry's; not a longer name that begins alike.
  const listed = new RegExp(`["']${tool}(?:["'\\s<>=!~\\[;])|^${tool}\\s*=`, 'm');
  if (listed.test(files.text('pyproject.toml'))) return 'pyproject.toml';
  if (new RegExp(`^${tool}\\s*=`, 'm').test(files.text('Pipfile'))) return 'Pipfile';
  const line = new RegExp(`^${tool}(?:[\\s<>=!~\\[;]|$)`, 'm');
  return REQUIREMENTS.find((file) => line.test(files.text(file)));
}
