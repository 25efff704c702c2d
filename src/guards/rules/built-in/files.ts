import { basename, dirname, relative } from 'node:path';
import type { RuleContext } from '../../../api';
import { isIgnoredBy } from '../../../core/text';

/* Kinds of files, mostly recognized by name, for several rules. */

type Reader = Pick<RuleContext, 'root' | 'read'>;

/** The path relative to the root; `undefined` for a file elsewhere. */
export function inProject(path: string, root: string): string | undefined {
  const below = relative(root, path);
  return below === '' || below.startsWith('..') ? undefined : below;
}

const TEST_DIRECTORY =
  /(?:^|\/)(?:tests?|__tests__|specs?|e2e|testing|testdata|__mocks__|__snapshots__|cypress|features)\//i;
const TEST_NAME =
  /(?:[._-](?:tests?|specs?|e2e|cy|stories)\.[^/]+|_(?:test|spec)\.\w+|(?:^|\/)(?:test_[^/]*|conftest)\.\w+|(?:Tests?|Spec|Specs|IT)\.(?:java|kt|kts|scala|groovy|cs|fs|swift|php|hs|m|rb))$/;

/** A test, or something that only tests use. */
export function isTest(path: string): boolean {
  return TEST_DIRECTORY.test(path) || TEST_NAME.test(path);
}

const SOURCE =
  /\.(?:[cm]?[jt]sx?|vue|svelte|astro|py|rb|go|rs|java|kts?|scala|groovy|cs|fs|swift|mm?|c|cc|cpp|cxx|h|hh|hpp|php|exs?|erl|hs|ml|clj[cs]?|dart|lua|zig|nim|jl|pl|pm|sol)$/i;
/** Files with a source extension that hardly ever have tests. */
const NO_SOURCE =
  /(?:\.d\.[cm]?ts|\.config\.[^/]+|(?:^|\/)(?:setup\.py|conf\.py|__init__\.py|[^/]*rc\.[cm]?js|[gG]ulpfile[^/]*|Gruntfile[^/]*|manage\.py)|\.stories\.[^/]+|\.gradle\.kts)$/;
/** What prepares test runs. It is no test either: a change of it does not test another one. */
const TEST_SETUP =
  /(?:^|\/)(?:(?:jest|vitest|mocha|jasmine|playwright|tests?)[._-]?(?:global[._-]?)?(?:setup|teardown)|(?:global[._-]?)?setup[._-]?(?:tests?|jest|vitest)|(?:karma|protractor|wdio)\.conf)\.[^/]+$/i;
const NO_SOURCE_DIRECTORY =
  /(?:^|\/)(?:docs?|examples?|samples?|fixtures?|demos?|migrations?|scripts|tools|bench(?:marks?)?|\.[^/]+)\//i;

/** A source that tests are written for: no docs, config, examples or scripts. */
export function isSource(path: string): boolean {
  return (
    SOURCE.test(path) &&
    !isTest(path) &&
    ![NO_SOURCE, TEST_SETUP, NO_SOURCE_DIRECTORY].some((pattern) => pattern.test(path))
  );
}

const LOCK_FILES = [
  'package-lock.json',
  'npm-shrinkwrap.json',
  'yarn.lock',
  'pnpm-lock.yaml',
  'bun.lock',
  'bun.lockb',
  'deno.lock',
  'Cargo.lock',
  'poetry.lock',
  'uv.lock',
  'pdm.lock',
  'Pipfile.lock',
  'Gemfile.lock',
  'composer.lock',
  'go.sum',
  'mix.lock',
  'pubspec.lock',
  'Podfile.lock',
  'packages.lock.json',
  'gradle.lockfile',
  'flake.lock',
];
const GENERATED_NAME =
  /(?:\.min\.(?:js|mjs|css)|\.pb\.(?:go|cc|h)|_pb2(?:_grpc)?\.pyi?|_pb\.(?:js|d\.ts)|\.pb\.dart|\.g\.dart|\.freezed\.dart|\.designer\.cs|\.generated\.\w+)$/;
const GENERATED_DIRECTORY = /(?:^|\/)(?:generated|__generated__)\//;
const INSTALLED = /(?:^|\/)(?:node_modules|bower_components|site-packages|__pycache__)\//;
const OUTPUT = ['dist', 'build', 'out', 'vendor', 'third_party', '.next', '.nuxt', 'coverage'];
/** Files that people put next to generated ones. */
const BESIDE_OUTPUT = /(?:^|\/)(?:\.[^/]+|LICENSE|[^/]*\.md)$/;
/** People also keep the scripts of a build in `build/`. */
const WRITTEN_BY_HAND =
  /(?:\.(?:sh|bash|ps1|bat|mk|cmake|md|gradle|kts|ya?ml|toml|py|rb|go|rs|ts|tsx|tf)|\.conf(?:ig)?\.\w+|[-.]conf(?:ig)?\.[^/]+|(?:^|\/)(?:Dockerfile|Makefile|CMakeLists\.txt)[^/]*)$/;
const MANIFESTS = [
  'package.json',
  'Cargo.toml',
  'go.mod',
  'pyproject.toml',
  'composer.json',
  'pom.xml',
  'Gemfile',
];

/** Kinds of third-party files. */
export const THIRD_PARTY = ['part of an installed package', 'vendored code'] as const;

/** Why a file must not be edited by hand, to follow "… is"; `undefined` if it may be. */
export function generatedKind(path: string, below: string, ctx: Reader): string | undefined {
  const name = basename(below);
  if (LOCK_FILES.includes(name)) return 'a lock file';
  if (INSTALLED.test(below)) return THIRD_PARTY[0];
  const isInGenerated = GENERATED_DIRECTORY.test(below) && !BESIDE_OUTPUT.test(below);
  if (GENERATED_NAME.test(name) || isInGenerated) return 'a generated file';
  return outputKind(below, ctx) ?? headerKind(ctx.read(path));
}

/** Output directories are at the root, or next to the manifest of a package. */
function outputKind(below: string, ctx: Reader): string | undefined {
  const parts = dirname(below).split('/');
  const at = parts.findIndex((part) => OUTPUT.includes(part));
  const directory = parts[at];
  if (directory === undefined) return undefined;
  const isVendored = directory === 'vendor' || directory === 'third_party';
  const isScript = (directory === 'build' || directory === 'out') && WRITTEN_BY_HAND.test(below);
  const isPerhapsByHand = !isVendored && (isScript || BESIDE_OUTPUT.test(below));
  if (isPerhapsByHand && !isIgnoredBy(ctx.read('.gitignore') ?? '', below)) return undefined;
  const parent = parts.slice(0, at).join('/');
  const isPackage = parent === '' || MANIFESTS.some((one) => ctx.read(`${parent}/${one}`) !== undefined);
  if (!isPackage) return undefined;
  return isVendored ? THIRD_PARTY[1] : `build output (${directory}/)`;
}

const HEADER_LINES = 15;
const LONGEST_HEADER = 200;
/** A comment marker at the beginning of a trimmed line. */
const COMMENT = '^(?:\\/\\/+|#+|\\/?\\*+|--+|;+|<!--|"""|%+|\\{-)? {0,4}';
const HEADERS = [
  new RegExp(`${COMMENT}Code generated\\b.*\\bDO NOT EDIT\\b`),
  new RegExp(
    `${COMMENT}(?:THIS (?:FILE|CODE) (?:IS|WAS) )?AUTO(?:MATICALLY)?[- ]?GENERATED\\b.*\\bDO NOT (?:EDIT|MODIFY)\\b`,
    'i',
  ),
  new RegExp(`${COMMENT}Generated (?:by|from)\\b.*\\bDO NOT (?:EDIT|MODIFY)\\b`, 'i'),
  /^(?:\/\/+|#+|\/?\*+|--+|;+|<!--) {0,4}@generated(?![\w-])/,
];

/** Looks for a header that says the file is generated. */
function headerKind(text: string | undefined): string | undefined {
  const first = text?.slice(0, 4096).split('\n', HEADER_LINES) ?? [];
  const lines = first.map((line) => line.trim().slice(0, LONGEST_HEADER));
  const isMarked = lines.some((line) => HEADERS.some((header) => header.test(line)));
  return isMarked ? 'a generated file (its first lines say so)' : undefined;
}
