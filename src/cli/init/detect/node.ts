import type { JsonObject } from '../../../core/json';
import type { Kind, Recognised } from './kind';
import type { ProjectFiles } from './project-files';
import { checksAmong, type RunScript } from './scripts';
import { workspaceMembers } from './workspaces';

const MANAGERS = ['npm', 'pnpm', 'yarn', 'bun'] as const;

type Manager = (typeof MANAGERS)[number];

/** Which lock file tells which program. A project with two of them says in `packageManager` which counts. */
const LOCKS: readonly (readonly [string, Manager])[] = [
  ['pnpm-lock.yaml', 'pnpm'],
  ['yarn.lock', 'yarn'],
  ['bun.lock', 'bun'],
  ['bun.lockb', 'bun'],
  ['package-lock.json', 'npm'],
  ['npm-shrinkwrap.json', 'npm'],
];

/** Projects with a package.json. Those of a workspace are run by the program of the workspace. */
export const nodeKind: Kind = kindFor(undefined);

/** The same for a package whose workspace has been seen already. */
export function memberOf(files: ProjectFiles): Kind {
  return kindFor(managerOf(files.json('package.json'), files));
}

function kindFor(given: Manager | undefined): Kind {
  return {
    name: 'npm',
    recognise(files) {
      if (!files.has('package.json')) return undefined;
      const manifest = files.json('package.json');
      const manager = given ?? managerOf(manifest, files);
      const found = checksAmong(manifest['scripts'], 'package.json, scripts', runWith(manager));
      const members = found.checks.length === 0 ? workspaceMembers(files) : [];
      return { ...found, members, ...(given === undefined && toInstall(manager, manifest, files)) };
    },
  };
}

function managerOf({ packageManager }: JsonObject, files: ProjectFiles): Manager {
  const named = typeof packageManager === 'string' ? packageManager.split('@')[0] : undefined;
  return MANAGERS.find((name) => name === named) ?? LOCKS.find(([file]) => files.has(file))?.[1] ?? 'npm';
}

function runWith(manager: Manager): RunScript {
  return (script, more) => {
    // `bun test` is bun's own runner and passes the script over.
    const call = script === 'test' && manager !== 'bun' ? `${manager} test` : `${manager} run ${script}`;
    if (more === '') return call;
    return manager === 'npm' ? `${call} -- ${more}` : `${call} ${more}`;
  };
}

const NEEDED = ['dependencies', 'devDependencies'];

function toInstall(
  manager: Manager,
  manifest: JsonObject,
  files: ProjectFiles,
): Pick<Recognised, 'first'> | undefined {
  const needsAny = NEEDED.some((key) => Object.keys(manifest[key] ?? {}).length > 0);
  const isThere = files.has('node_modules') || files.has('.pnp.cjs');
  return needsAny && !isThere ? { first: `${manager} install` } : undefined;
}
