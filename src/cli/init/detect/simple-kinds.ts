import type { FoundCheck, Kind, Purpose } from './kind';
import type { ProjectFiles } from './project-files';
import { checksAmong } from './scripts';

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
