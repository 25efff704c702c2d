import type * as Fs from 'node:fs';
import { fileStandIns } from './files';
import { own, ownPaths } from './own';
import { basename, dirname, isAbsolute, join, normalize, relative, resolve, sep } from './paths';
import { Script } from './script';

type Function = (...args: unknown[]) => unknown;

/** Chunks ask for these when they are loaded and call them hardly ever, so Node's own are got only then. */
const SELDOM: readonly (string | symbol)[] = [
  'accessSync',
  'copyFileSync',
  'fchmodSync',
  'linkSync',
  'readdirSync',
  'rmdirSync',
  'rmSync',
  'truncateSync',
  'utimesSync',
  'writeFileSync',
];

let files: object | undefined;
let paths: object | undefined;

function filesForChunks(): object {
  return withOwn(fileStandIns(), (name) =>
    SELDOM.includes(name) ? whenCalled(name as keyof typeof Fs) : Reflect.get(own(), name),
  );
}

function whenCalled(name: keyof typeof Fs): Function {
  return (...args) => (own()[name] as Function)(...args);
}

function pathsForChunks(): object {
  const standIns = { basename, dirname, isAbsolute, join, normalize, relative, resolve, sep };
  return withOwn(standIns, (name) => Reflect.get(ownPaths(), name));
}

/** Whatever else somebody asks for is Node's own. */
function withOwn(standIns: object, other: (name: string | symbol) => unknown): object {
  return Object.setPrototypeOf(standIns, new Proxy({}, { get: (_, name) => other(name) }));
}

/** What chunks get as their `require`: what is in this room, made when it is first asked for, and Node's own for the rest. */
export function requireForChunks(nodeRequire: (name: string) => unknown): (name: string) => unknown {
  return (name) => {
    if (name === 'node:fs') {
      files ??= filesForChunks();
      return files;
    }
    if (name === 'node:path') {
      paths ??= pathsForChunks();
      return paths;
    }
    return name === 'node:vm' ? { Script } : nodeRequire(name);
  };
}
