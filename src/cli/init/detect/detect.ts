import { join } from 'node:path';
import { quoted } from '../../../core/text';
import { deno, managerOf, node } from './javascript';
import { type Detectors, type ProjectFiles, projectFiles } from './kind';
import { LANGUAGES, make } from './languages';

/** Two kinds may both have a check for a purpose; make, the last, only adds purposes that are missing. */
const KINDS: Detectors = { npm: (files) => node(files), deno, ...LANGUAGES, make };

/** Directories that contain the parts of a project whose root has no manifest. */
const PART_DIRECTORIES = ['apps', 'packages', 'services', 'crates', 'libs', 'modules', 'projects'];
const NOT_PARTS = /^\.|^(?:node_modules|vendor|target|dist|build|examples?|fixtures|testdata)$/;
/** With more parts the config would get too long to read. */
const MOST_PARTS = 12;

/** Finds the checks of a project: those of its root, or if the root has none, those of the parts below it. */
export function detectChecks(root: string) {
  const files = projectFiles(root);
  const atRoot = detectAt(files, '.', KINDS);
  if (atRoot.some(({ checks }) => checks.length > 0)) return toDetected(atRoot);
  const members = atRoot.flatMap(({ members: dirs }) => dirs);
  const paths = (members.length > 0 ? members : partsBelow(files)).slice(0, MOST_PARTS);
  const manager = managerOf(files);
  const kinds: Detectors = members.length > 0 ? { ...KINDS, npm: (inner) => node(inner, manager) } : KINDS;
  return toDetected([
    ...atRoot,
    ...paths.flatMap((path) => detectAt(projectFiles(join(root, path)), path, kinds)),
  ]);
}

function detectAt(files: ProjectFiles, path: string, kinds: Detectors) {
  const at = path === '.' ? '' : `${path}/`;
  const purposes = new Set<string>();
  return Object.entries(kinds).flatMap(([kind, recognise]) => {
    const found = recognise(files);
    if (found === undefined) return [];
    const { passedOver = [], members = [], first } = found;
    // A Makefile mostly calls commands that the other kinds have found already.
    const checks = found.checks.filter(({ purpose }) => kind !== 'make' || !purposes.has(purpose));
    for (const { purpose } of checks) purposes.add(purpose);
    return [
      {
        path,
        kind,
        checks: checks.map((check) => ({ ...check, source: at + check.source })),
        members,
        passedOver: passedOver.map(({ what, why }) => ({ what: at + what, why })),
        first: first === undefined ? [] : [path === '.' ? first : `(cd ${quoted(path)} && ${first})`],
      },
    ];
  });
}

function partsBelow(files: ProjectFiles): string[] {
  const inside = (dir: string): string[] => files.directories(dir, NOT_PARTS);
  return inside('.').flatMap((path) => (PART_DIRECTORIES.includes(path) ? inside(path) : [path]));
}

function toDetected(seen: ReturnType<typeof detectAt>) {
  return {
    /** The parts of the project that have checks. A path is `.` or relative to the root. */
    parts: seen.filter(({ checks }) => checks.length > 0),
    kinds: [...new Set(seen.map(({ kind }) => kind))],
    passedOver: seen.flatMap(({ passedOver }) => passedOver),
    /** Commands to run before the checks can work. */
    first: [...new Set(seen.flatMap(({ first }) => first))],
  };
}

/** A check as it would be in the config. It runs for every entry point that names it. */
export interface ProposedCheck {
  readonly name: string;
  readonly command: string;
  /** Where the project defines this command. */
  readonly source: string;
  /** The parts of the project that it checks. */
  readonly paths: readonly string[];
  /** False if it is only written as a comment, for a person to enable. */
  readonly on: boolean;
}

/** Gives every check a unique name; parts with the same command share one check. */
export function proposedChecks(parts: ReturnType<typeof detectChecks>['parts']): readonly ProposedCheck[] {
  const made: ProposedCheck[] = [];
  for (const { path, kind, checks } of parts) {
    const quick = checks.some(({ purpose }) => purpose === 'test' || purpose === 'typecheck');
    for (const { purpose, command, source } of checks) {
      // A build is slow and leaves files behind, so it is on only if there is nothing better.
      const on = purpose !== 'build' || !quick;
      const same = made.findIndex(
        (one) => one.command === command && one.on === on && !one.paths.includes(path),
      );
      const known = made[same];
      if (known !== undefined) {
        made[same] = { ...known, paths: [...known.paths, path] };
        continue;
      }
      const ends = ['', `-${path === '.' ? kind : slug(path)}`, `-${slug(path)}-${kind}`];
      const names = ends.map((end) => purpose + end);
      const name = names.find((each) => !made.some((one) => one.name === each));
      if (name !== undefined) made.push({ name, command, source, paths: [path], on });
    }
  }
  return made;
}

function slug(path: string): string {
  const words = path.toLowerCase().match(/[a-z0-9]+/g) ?? ['root'];
  return words.join('-');
}
