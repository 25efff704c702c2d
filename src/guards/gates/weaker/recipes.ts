import { type CheckCommand, type FileChange, isStricter, nameOf, runsMore, wordsAdded } from './settings';

/* Recipes of make and its kin: what their targets run. */

export const RECIPES: Readonly<Record<string, RegExp>> = {
  make: /^(?:GNU)?[Mm]akefile$/,
  just: /^\.?[Jj]ustfile$/,
  task: /^[Tt]askfile(?:\.dist)?\.ya?ml$/,
  rake: /^[Rr]akefile(?:\.rb)?$/,
  nox: /^noxfile\.py$/,
};

/** The targets that checks run with a tool: none for its default; `undefined` if they do not use it. */
export function targetsOf(tool: string, checks: readonly CheckCommand[]): readonly string[] | undefined {
  const lines = checks
    .map(({ command }) => command.split(/[\s;&|()]+/))
    .filter((words) => words.includes(tool));
  if (lines.length === 0) return undefined;
  return lines.flat().filter((word) => /^[\w:.-]+$/.test(word) && word !== tool);
}

export function recipeFacts(
  { path, before, after = '' }: FileChange,
  tool: string,
  checks: readonly CheckCommand[],
): readonly string[] {
  const targets = targetsOf(tool, checks);
  if (targets === undefined) return [];
  if (before === undefined)
    return COMES_FIRST.test(nameOf(path)) ? [`${path} takes the place of the usual file`] : [];
  if (targets.length === 0 || !['make', 'just'].includes(tool))
    return isStricter(before, after) ? [] : [`${path} changed`];
  const recipes = [before, after].map(recipesIn) as [Recipes, Recipes];
  const all = withDependencies(recipes[0], targets);
  const assigned = [before, after].map(assignmentsIn) as [Assignments, Assignments];
  const changed = [...all].flatMap((target) => {
    const [was, now] = [0, 1].map((at) => withVariables(recipes[at]?.get(target), assigned[at])) as [
      string,
      string,
    ];
    const isSame = runsAsMuch(was, now) && (isPhony(recipes[1], target) || !isPhony(recipes[0], target));
    return was === '' || isSame ? [] : [`\`${tool} ${target}\` ${now === '' ? 'deleted' : 'changed'}`];
  });
  const isShell = isUsualShell(assigned[1]);
  const switches = [before, after].map((text) => (text.match(MAKE_SWITCHES) ?? []).join('\n'));
  return [
    ...(isShell || !isUsualShell(assigned[0]) ? [] : [`the shell of ${path} changed`]),
    ...(switches[0] === switches[1] ? [] : [`what ${path} includes or ignores changed`]),
    ...changed,
  ];
}

/** Whether a recipe is the same, apart from more prerequisites, and commands that print or do more. */
function runsAsMuch(before: string, after: string): boolean {
  const [[head = '', ...was], [name = '', ...now]] = [before.split('\n'), after.split('\n')];
  if (was.length !== now.length || wordsAdded(head.split(/\s+/), name.split(/\s+/)) === undefined)
    return false;
  return was.every((line, at) => runsMore(line, now[at] ?? ''));
}

/** Whether make runs a target even if there is a file of its name. */
function isPhony(recipes: Recipes, target: string): boolean {
  return (recipes.get('.PHONY') ?? []).flatMap(dependenciesOf).includes(target);
}

/** The targets and what they need. */
function withDependencies(recipes: Recipes, targets: readonly string[]): ReadonlySet<string> {
  const all = new Set(targets);
  // Iterating a Set also visits entries that are added meanwhile, so this follows all prerequisites.
  for (const target of all) {
    const others = (recipes.get(target) ?? []).flatMap(dependenciesOf);
    for (const other of others.slice(0, Math.max(0, MOST_TARGETS - all.size))) all.add(other);
  }
  return all;
}

/** File names that the tools prefer to the usual ones. */
const COMES_FIRST = /^(?:GNUmakefile|makefile|rakefile|Taskfile\.yml)$/;
const MOST_TARGETS = 100;

/** Lines of a Makefile that include other files, make it ignore errors, or name their target indirectly. */
const MAKE_SWITCHES =
  /^[ \t]*(?:-?s?include\b|(?:(?:export|override)[ \t]+)*(?:MAKEFLAGS|PATH)\b|\.IGNORE\b|\.RECIPEPREFIX\b).*$|^\$[({].*$/gm;

/** The lines that assign each variable of a Makefile. */
type Assignments = ReadonlyMap<string, readonly string[]>;
const ASSIGNMENT =
  /^[ \t]*(?:(?:export|override|private)[ \t]+)*(?:define[ \t]+([\w.-]+)[\s\S]{0,2000}?^endef|([\w.-]+)[ \t]*[:?+!]*=(?:.*\\\n)*.*)$/gm;

function assignmentsIn(text: string): Assignments {
  const found = new Map<string, string[]>();
  for (const [line, block, name = block] of text.matchAll(ASSIGNMENT)) {
    if (!found.get(name ?? '')?.push(line)) found.set(name ?? '', [line]);
  }
  return found;
}

/** Whether make runs its lines by a shell of the system, and all of each line. */
function isUsualShell(assigned: Assignments): boolean {
  const last = (name: string): string | undefined =>
    assigned
      .get(name)
      ?.at(-1)
      ?.replace(/^[^=]*=/, '')
      .trim();
  const [shell = 'sh', flags = '-c'] = [last('SHELL'), last('.SHELLFLAGS')];
  const isKnown = /^(?:(?:\/usr(?:\/local)?)?\/bin\/(?:env[ \t]+)?)?(?:ba|z|da|k)?sh$/.test(shell);
  return (isKnown || /^\$/.test(shell)) && /^(?:[ \t]*-(?:[eux]*o[ \t]+\w+|[euxc]+))+$/.test(flags);
}

/** Recipes followed by the assignments of the variables that they use, directly or through others. */
function withVariables(recipes: readonly string[] = [], assigned: Assignments = new Map()): string {
  const names = new Set<string>();
  const lines = [...recipes];
  for (const line of lines)
    for (const [, long, short = long] of line.matchAll(/\$(?:[({]([\w.-]+)[)}]|(\w))/g)) {
      if (short === undefined || names.has(short)) continue;
      names.add(short);
      for (const one of assigned.get(short) ?? []) lines.push(one);
    }
  return lines.join('\n').trim();
}

/** The prerequisites on a target's first line. */
function dependenciesOf(recipe: string): readonly string[] {
  const [, names = ''] = /:([^=\n]*)/.exec(recipe) ?? [];
  return names.split(/\s+/).filter((name) => /^[\w.-]+$/.test(name));
}

/** A condition of a Makefile, or names before a colon and the indented lines below. */
const PART = /^ *(?:(ifn?def|ifn?eq|else|endif)\b.*|([^\s#:][^\n:]*):.*(?:\n(?:[ \t]+.*|$))*)/gm;
const MOST_CONDITIONS = 10;

type Recipes = ReadonlyMap<string, readonly string[]>;

/** All definitions of each target, with the conditions they stand under and the lines below; make uses the last one. */
function recipesIn(text: string): Recipes {
  const open: string[] = [];
  const found = new Map<string, string[]>();
  for (const [part, condition, names = ''] of text.matchAll(PART)) {
    if (condition === 'endif') open.pop();
    else if (condition === 'else') open.push(`${open.pop()} else`);
    else if (condition !== undefined) open.push(part);
    const recipe = names === '' ? '' : [...open.slice(-MOST_CONDITIONS), part].join('\n');
    for (const name of new Set(names.split(/[\s@]+/))) {
      if (!found.get(name)?.push(recipe)) found.set(name, [recipe]);
    }
  }
  return found;
}
