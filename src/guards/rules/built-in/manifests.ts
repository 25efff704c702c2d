import { basename } from 'node:path';
import { jsonIn, objectIn } from '../../../core/json';

/* The dependencies in a manifest. Only names count: another version is no new dependency. */

type Reader = (text: string) => string[];

/** The reader for a manifest, by its path; `undefined` for every other file. */
export function manifestAt(path: string): Reader | undefined {
  const name = basename(path);
  const read = MANIFESTS.find(([pattern]) => pattern.test(name))?.[1];
  return read && ((text) => read(text.slice(0, LONGEST)));
}

/** No manifest that a person writes is longer. */
const LONGEST = 128 * 1024;

const MANIFESTS: readonly (readonly [RegExp, Reader])[] = [
  [
    /^package\.json$/,
    ofJson(['dependencies', 'devDependencies', 'peerDependencies', 'optionalDependencies']),
  ],
  [/^composer\.json$/, ofJson(['require', 'require-dev'])],
  [/^requirements[^/]*\.(?:txt|in)$/, ofRequirements],
  [/^pyproject\.toml$/, ofPyproject],
  [/^Cargo\.toml$/, ofCargo],
  [/^go\.mod$/, ofGoMod],
  [/^Gemfile$/, ofGemfile],
  [/^pom\.xml$/, ofPom],
  [/^build\.gradle(?:\.kts)?$/, ofGradle],
];

const NOT_PACKAGES = /^(?:php|hhvm|ext-.*|lib-.*|composer-.*|python|ruby|\/\/.*)$/;

function ofJson(keys: readonly string[]): Reader {
  return (text) => {
    const value = jsonIn(text.replace(/^\uFEFF/, ''));
    if (value === undefined) return entriesLike(text);
    return keys
      .flatMap((key) => Object.entries(objectIn(value, key)))
      .flatMap(([name, version]) => (NOT_PACKAGES.test(name) || isHere(version) ? [] : [name]));
  };
}

/** A version that stands for a directory, mostly another package of the same repository. */
function isHere(version: unknown): boolean {
  return typeof version === 'string' && /^(?:workspace|file|link|portal):|^(?:\.{1,2}|~)?\//.test(version);
}

/** For a fragment of JSON: the keys whose value is a version. */
function entriesLike(text: string): string[] {
  const entries = text.matchAll(
    /"((?:@[\w.-]+\/)?[\w.-]+(?:\/[\w.-]+)?)"\s*:\s*"(?:[~^<>=v]*\s*\d+[^"]*|\*|latest|next|(?:npm|git\+?\w*|github|https?):[^"]*)"/g,
  );
  return [...entries].map(([, name = '']) => name).filter((name) => !/^(?:version|node|npm|php)$/.test(name));
}

/** `requests[socks]>=2; python_version > "3"` → `requests`. */
export function pythonName(word: string): string | undefined {
  const [, name] = /^\s*([A-Za-z0-9][\w.-]*)\s*(?:$|[[<>=!~;@,( ])/.exec(word) ?? [];
  return name?.toLowerCase().replace(/[_.]/g, '-');
}

function ofRequirements(text: string): string[] {
  return text.split('\n').flatMap((line) => (/^\s*[#-]/.test(line) ? [] : (pythonName(line) ?? [])));
}

/** The lines of a TOML file, each with its table. */
function tomlLines(text: string): { readonly table: string; readonly line: string }[] {
  let table = '';
  return text.split('\n').map((line) => {
    const [, header] = /^\s*\[\[?([^\]]+)\]\]?\s*(?:#.*)?$/.exec(line) ?? [];
    if (header !== undefined) table = header.replace(/["'\s]/g, '');
    return { table, line: header === undefined ? line : '' };
  });
}

function keyOf(line: string): string | undefined {
  return /^\s*["']?([\w.-]+?)["']?(?:\.workspace)?\s*=/.exec(line)?.[1];
}

function ofPyproject(text: string): string[] {
  const keys = tomlLines(text).flatMap(({ table, line }) => (POETRY.test(table) ? pythonKey(line) : []));
  return [...keys, ...listsIn(text).flatMap((word) => pythonName(word) ?? [])];
}

const POETRY = /^tool\.poetry\.(?:group\.[^.]+\.)?(?:dev-)?dependencies$/;
const LISTS =
  /^(?:project dependencies|build-system requires|(?:dependency-groups|project\.optional-dependencies) .*)$/;

/** The strings in the TOML lists that name packages; a list may span several lines. */
function listsIn(text: string): string[] {
  let isInList = false;
  return tomlLines(text).flatMap(({ table, line }) => {
    const [, key] = /^\s*["']?([\w-]+)["']?\s*=/.exec(line) ?? [];
    if (key !== undefined) isInList = LISTS.test(`${table} ${key}`) && line.includes('[');
    if (!isInList) return [];
    const words = [...line.matchAll(/(["'])(.+?)\1/g)].map(([, , word = '']) => word);
    // A bracket inside a string, as in `requests[socks]`, does not end a list.
    isInList = !line.replace(/(["']).*?\1/g, '').includes(']');
    return words;
  });
}

function pythonKey(line: string): string[] {
  const name = keyOf(line);
  return name === undefined || NOT_PACKAGES.test(name) ? [] : [name.toLowerCase().replace(/[_.]/g, '-')];
}

const CARGO_TABLE = /^(?:.*\.)?(?:dev-|build-)?dependencies$/;

function ofCargo(text: string): string[] {
  const tables = [
    ...text.matchAll(/^[ \t]*\[(?:[^\]\n]*\.)?(?:dev-|build-)?dependencies\.["']?([\w-]+)["']?\]/gm),
  ].map(([, name = '']) => name);
  const keys = tomlLines(text).flatMap(({ table, line }) =>
    CARGO_TABLE.test(table) ? (keyOf(line)?.split('.')[0] ?? []) : [],
  );
  return [...tables, ...keys].map((name) => name.replaceAll('_', '-'));
}

function ofGoMod(text: string): string[] {
  const lines = text.split('\n').filter((line) => !/\/\/\s*indirect/.test(line));
  return lines.flatMap(
    (line) => /^\s*(?:require\s+)?([\w-]+(?:\.[\w-]+)+(?:\/[\w.~-]+)*)\s+v\d/.exec(line)?.[1] ?? [],
  );
}

function ofGemfile(text: string): string[] {
  return [...text.matchAll(/^[ \t]*gem[ \t]*\(?[ \t]*['"]([\w-]+)['"]/gm)].map(([, name = '']) => name);
}

function ofPom(text: string): string[] {
  const blocks = text.split(/<(?:dependency|plugin)>/).slice(1);
  return blocks.flatMap((block) => {
    const [own = ''] = block.split(
      /<\/(?:dependency|plugin)>|<(?:exclusions|dependencies|configuration)>/,
      1,
    );
    return /<artifactId>\s{0,99}([^<\s]{1,200})/.exec(own)?.[1] ?? [];
  });
}

const GRADLE =
  /^[ \t]*(?:\w{0,40}(?:[iI]mplementation|[aA]pi|[cC]ompileOnly|[rR]untimeOnly|[cC]ompile|[kK]apt|[kK]sp|annotationProcessor|classpath))\s*\(?\s*(?:platform\s*\(\s*)?(?:['"]([^:'"]+:[^:'"]+)[^'"]*['"]|(libs\.[\w.]+))/gm;

function ofGradle(text: string): string[] {
  return [...text.matchAll(GRADLE)].map(([, coordinates, alias]) => coordinates ?? alias ?? '');
}
