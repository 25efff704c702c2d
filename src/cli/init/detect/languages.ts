import { checksAmong } from './javascript';
import type { FoundCheck, Kind, ProjectFiles, Purpose } from './kind';

/** A command and what has to be there for it to be one of the project's. */
type Rule = readonly [purpose: Purpose, command: string, source: string, holds: boolean];

function rules(...all: readonly Rule[]): FoundCheck[] {
  const seen = new Set<Purpose>();
  return all.flatMap(([purpose, command, source, holds]) => {
    if (!holds || seen.has(purpose)) return [];
    seen.add(purpose);
    return [{ purpose, command, source }];
  });
}

/** What the project runs on a build server, as one text in which tools can be looked for. */
function buildServer(files: ProjectFiles): string {
  const workflows = files.names('.github/workflows').map((name) => files.text(`.github/workflows/${name}`));
  return [...workflows, files.text('.gitlab-ci.yml'), files.text('.circleci/config.yml')].join('\n');
}

/** Linters that come with cargo, but only where the project is known to keep to them. */
export const rustKind: Kind = {
  name: 'rust',
  recognise(files) {
    const manifest = files.text('Cargo.toml');
    if (!files.has('Cargo.toml')) return undefined;
    const all = /^\[workspace\b/m.test(manifest) ? ' --workspace' : '';
    const server = buildServer(files);
    const usesClippy = /^\[(?:workspace\.)?lints\b/m.test(manifest) || /\bclippy\b/.test(server);
    const clippy = ['clippy.toml', '.clippy.toml'].find(files.has);
    const rustfmt = ['rustfmt.toml', '.rustfmt.toml'].find(files.has);
    return {
      checks: rules(
        ['test', `cargo test${all}`, 'Cargo.toml', true],
        [
          'lint',
          `cargo clippy${all} --all-targets`,
          clippy ?? 'Cargo.toml',
          usesClippy || clippy !== undefined,
        ],
        [
          'format',
          'cargo fmt --check',
          rustfmt ?? 'the build server',
          rustfmt !== undefined || /\bcargo fmt\b/.test(server),
        ],
      ),
    };
  },
};

export const rubyKind: Kind = {
  name: 'ruby',
  recognise(files) {
    if (!files.has('Gemfile')) return undefined;
    const gems = files.text('Gemfile') + files.text('Gemfile.lock');
    const isTask = /^\s*(?:Rake::TestTask|task\s+:?["']?test\b|RSpec::Core::RakeTask)/m.test(
      files.text('Rakefile'),
    );
    return {
      checks: rules(
        ['test', 'bundle exec rspec', 'Gemfile', /\brspec\b/.test(gems) && files.isDirectory('spec')],
        ['test', 'bin/rails test', 'bin/rails', files.has('bin/rails') && files.isDirectory('test')],
        ['test', 'bundle exec rake test', 'Rakefile', isTask && files.isDirectory('test')],
        ['lint', 'bundle exec rubocop', 'Gemfile', /\brubocop\b/.test(gems)],
        ['lint', 'bundle exec standardrb', 'Gemfile', /["']standard["']/.test(gems)],
      ),
    };
  },
};

export const jvmKind: Kind = {
  name: 'jvm',
  recognise(files) {
    const gradle = ['build.gradle', 'build.gradle.kts', 'settings.gradle', 'settings.gradle.kts'].find(
      files.has,
    );
    const isMaven = files.has('pom.xml');
    if (gradle === undefined && !isMaven) return undefined;
    const maven = files.has('mvnw') ? './mvnw' : 'mvn';
    const wrapper = files.has('gradlew') ? './gradlew' : 'gradle';
    return {
      checks: rules(
        ['test', `${maven} -q test`, 'pom.xml', isMaven],
        ['test', `${wrapper} test`, gradle ?? '', gradle !== undefined],
      ),
    };
  },
};

export const phpKind: Kind = {
  name: 'php',
  recognise(files) {
    if (!files.has('composer.json')) return undefined;
    const manifest = files.json('composer.json');
    const { checks, passedOver } = checksAmong(
      manifest['scripts'],
      'composer.json, scripts',
      (script, more) => `composer run-script ${script} ${more}`.trim(),
    );
    const phpunit = ['phpunit.xml', 'phpunit.xml.dist', 'phpunit.dist.xml'].find(files.has);
    const phpstan = ['phpstan.neon', 'phpstan.neon.dist', 'phpstan.dist.neon'].find(files.has);
    const isPest = JSON.stringify(manifest).includes('"pestphp/pest"');
    const known = new Set(checks.map(({ purpose }) => purpose));
    const found = rules(
      ['test', 'vendor/bin/pest', 'composer.json', isPest],
      ['test', 'vendor/bin/phpunit', phpunit ?? '', phpunit !== undefined],
      ['typecheck', 'vendor/bin/phpstan analyse', phpstan ?? '', phpstan !== undefined],
    );
    return {
      checks: [...checks, ...found.filter(({ purpose }) => !known.has(purpose))],
      passedOver,
      ...(!files.has('vendor') && { first: 'composer install' }),
    };
  },
};

export const elixirKind: Kind = {
  name: 'elixir',
  recognise(files) {
    if (!files.has('mix.exs')) return undefined;
    return {
      checks: rules(
        ['test', 'mix test', 'mix.exs', files.isDirectory('test')],
        ['lint', 'mix credo', 'mix.exs', /:credo\b/.test(files.text('mix.exs'))],
        ['format', 'mix format --check-formatted', '.formatter.exs', files.has('.formatter.exs')],
      ),
    };
  },
};

export const dotnetKind: Kind = {
  name: 'dotnet',
  recognise(files) {
    const project = files.names('.').find((name) => /\.(?:slnx?|[cf]sproj)$/.test(name));
    return project === undefined ? undefined : { checks: rules(['test', 'dotnet test', project, true]) };
  },
};

const GO_LINTER = ['.golangci.yml', '.golangci.yaml', '.golangci.toml', '.golangci.json'];

/** Modules of Go, and work spaces of several. */
export const goKind: Kind = {
  name: 'go',
  recognise(files) {
    const work = files.text('go.work');
    // From the root of a work space `./...` does not reach its modules.
    if (work !== '') return { checks: [], members: modulesOf(work).filter((dir) => dir !== '.') };
    if (!files.has('go.mod')) return undefined;
    const linter = GO_LINTER.find(files.has);
    return {
      checks: [
        { purpose: 'test', command: 'go test ./...', source: 'go.mod' },
        linter === undefined
          ? { purpose: 'lint', command: 'go vet ./...', source: 'go.mod' }
          : { purpose: 'lint', command: 'golangci-lint run', source: linter },
      ],
    };
  },
};

function modulesOf(work: string): string[] {
  const bare = work.replace(/\/\/.*$/gm, '');
  const listed = [...bare.matchAll(/^use\s*\(([^)]*)\)/gm)].flatMap(([, inner = '']) => inner.split('\n'));
  const single = [...bare.matchAll(/^use\s+([^(\s]+)/gm)].map(([, path = '']) => path);
  return [...listed, ...single]
    .map((path) => path.trim().replace(/^\.\/|\/+$/g, ''))
    .filter((path) => path !== '' && !path.startsWith('..'));
}

const TARGETS: readonly Purpose[] = ['test', 'lint', 'typecheck', 'check', 'build'];

/** Runners of named targets, and how a line that begins one looks. */
const TARGET_RUNNERS = [
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

/** Targets of a Makefile or a justfile: for projects of every kind, and for those of none that we know. */
export const makeKind: Kind = {
  name: 'make',
  recognise(files) {
    const used = TARGET_RUNNERS.flatMap(({ files: names, program, target }) => {
      const file = names.find(files.has);
      if (file === undefined) return [];
      const targets = [...files.text(file).matchAll(target)].flatMap(([, line = '']) => line.split(/\s+/));
      return [{ file, program, targets }];
    });
    if (used.length === 0) return undefined;
    const checks = used.flatMap(({ file, program, targets }) =>
      TARGETS.filter((purpose) => targets.includes(purpose)).map(
        (purpose): FoundCheck => ({ purpose, command: `${program} ${purpose}`, source: file }),
      ),
    );
    const both = checks.some(({ purpose }) => purpose === 'test' || purpose === 'lint');
    return { checks: checks.filter(({ purpose }) => purpose !== 'check' || !both) };
  },
};
