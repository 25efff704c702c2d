import { join } from 'node:path';
import { deno, managerOf, node } from './javascript';
import { type Kinds, type ProjectFiles, projectFiles } from './kind';
import { LANGUAGES, make } from './languages';

/** Every kind of project that is told apart. Where two have a check for one purpose, both are taken; make comes last. */
const KINDS: Kinds = { npm: (files) => node(files), deno, ...LANGUAGES, make };

/** Directories in which the parts of a project without a manifest of its own are kept. */
const SHELVES = ['apps', 'packages', 'services', 'crates', 'libs', 'modules', 'projects'];
const NOT_PARTS = /^\.|^(?:node_modules|vendor|target|dist|build|examples?|fixtures|testdata)$/;
/** Beyond this a config would be a list that nobody reads. */
const MOST_PARTS = 12;

/** Finds out which checks a project has. The root comes first; where it has none, the parts below it are looked at. */
export function surveyOf(root: string) {
  const files = projectFiles(root);
  const atRoot = recogniseAt(files, '.', KINDS);
  if (atRoot.some(({ checks }) => checks.length > 0)) return surveyFrom(atRoot);
  const members = atRoot.flatMap(({ members: dirs }) => dirs);
  const paths = (members.length > 0 ? members : partsBelow(files)).slice(0, MOST_PARTS);
  const manager = managerOf(files);
  const kinds: Kinds = members.length > 0 ? { ...KINDS, npm: (inner) => node(inner, manager) } : KINDS;
  return surveyFrom([
    ...atRoot,
    ...paths.flatMap((path) => recogniseAt(projectFiles(join(root, path)), path, kinds)),
  ]);
}

function recogniseAt(files: ProjectFiles, path: string, kinds: Kinds) {
  const at = path === '.' ? '' : `${path}/`;
  const purposes = new Set<string>();
  return Object.entries(kinds).flatMap(([kind, recognise]) => {
    const found = recognise(files);
    if (found === undefined) return [];
    const { passedOver = [], members = [], first } = found;
    // A Makefile mostly calls what the other files name already.
    const checks = found.checks.filter(({ purpose }) => kind !== 'make' || !purposes.has(purpose));
    for (const { purpose } of checks) purposes.add(purpose);
    return [
      {
        path,
        kind,
        checks: checks.map((check) => ({ ...check, source: at + check.source })),
        members,
        passedOver: passedOver.map(({ what, why }) => ({ what: at + what, why })),
        first: first === undefined ? [] : [path === '.' ? first : `(cd ${path} && ${first})`],
      },
    ];
  });
}

function partsBelow(files: ProjectFiles): string[] {
  const inside = (dir: string): string[] =>
    files
      .names(dir)
      .filter((name) => !NOT_PARTS.test(name))
      .map((name) => (dir === '.' ? name : `${dir}/${name}`))
      .filter((path) => files.isDirectory(path));
  return inside('.').flatMap((path) => (SHELVES.includes(path) ? inside(path) : [path]));
}

function surveyFrom(seen: ReturnType<typeof recogniseAt>) {
  return {
    /** The parts of the project with checks of their own. A path is `.` or relative to the root. */
    parts: seen.filter(({ checks }) => checks.length > 0),
    kinds: [...new Set(seen.map(({ kind }) => kind))],
    passedOver: seen.flatMap(({ passedOver }) => passedOver),
    /** Commands that have to be run before the checks can work here. */
    first: [...new Set(seen.flatMap(({ first }) => first))],
  };
}

/** A check under the name that it gets in the config. It runs in every entry point that names it. */
export interface ProposedCheck {
  readonly name: string;
  readonly command: string;
  /** Where the project says that it has this command. */
  readonly source: string;
  /** The parts of the project whose changes it is for. */
  readonly paths: readonly string[];
  /** False for what is only written down, to be switched on by who wants it. */
  readonly on: boolean;
}

/** Gives every check a name of its own; parts with the same command share one. */
export function proposedChecks(parts: ReturnType<typeof surveyOf>['parts']): readonly ProposedCheck[] {
  const made: ProposedCheck[] = [];
  for (const { path, kind, checks } of parts) {
    const quick = checks.some(({ purpose }) => purpose === 'test' || purpose === 'typecheck');
    for (const { purpose, command, source } of checks) {
      // A build leaves files behind and takes its time; it is a check only where there is nothing better.
      const on = purpose !== 'build' || !quick;
      const same = made.findIndex(
        (one) => one.command === command && one.on === on && !one.paths.includes(path),
      );
      const known = made[same];
      if (known !== undefined) {
        made[same] = { ...known, paths: [...known.paths, path] };
        continue;
      }
      const names = [
        purpose,
        `${purpose}-${path === '.' ? kind : slug(path)}`,
        `${purpose}-${slug(path)}-${kind}`,
      ];
      const name = names.find((each) => !made.some((one) => one.name === each));
      if (name !== undefined) made.push({ name, command, source, paths: [path], on });
    }
  }
  return made;
}

function slug(path: string): string {
  return (
    path
      .toLowerCase()
      .match(/[a-z0-9]+/g)
      ?.join('-') ?? 'root'
  );
}
