import {
  closeSync,
  constants,
  existsSync,
  fstatSync,
  fsyncSync,
  lstatSync,
  mkdirSync,
  openSync,
  readFileSync,
  readlinkSync,
  readSync,
  realpathSync,
  renameSync,
  statSync,
  symlinkSync,
  unlinkSync,
  writeSync,
} from './files';
import { own, ownPaths } from './own';
import { basename, dirname, isAbsolute, join, normalize, relative, resolve, sep } from './paths';
import { Script } from './script';

type Function = (...args: unknown[]) => unknown;

/** Chunks ask for these when they are loaded and call them hardly ever, so Node's own are got only then. */
const SELDOM = [
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
] as const;

/** Whatever else somebody asks for is Node's own. */
function withOwn<T extends object>(standIns: T, whole: () => object): T {
  return Object.setPrototypeOf(standIns, new Proxy({}, { get: (_, name) => Reflect.get(whole(), name) }));
}

const paths = withOwn({ basename, dirname, isAbsolute, join, normalize, relative, resolve, sep }, ownPaths);

const files: Record<string, unknown> = withOwn(
  {
    closeSync,
    constants,
    existsSync,
    fstatSync,
    fsyncSync,
    lstatSync,
    mkdirSync,
    openSync,
    readFileSync,
    readlinkSync,
    readSync,
    realpathSync,
    renameSync,
    statSync,
    symlinkSync,
    unlinkSync,
    writeSync,
  },
  own,
);
for (const name of SELDOM) files[name] = (...args: unknown[]) => (own()[name] as Function)(...args);

/** What chunks get as their `require`: what is in this room, and Node's own for the rest. */
export function requireForChunks(nodeRequire: (name: string) => unknown): (name: string) => unknown {
  return (name) => {
    if (name === 'node:fs') return files;
    if (name === 'node:path') return paths;
    return name === 'node:vm' ? { Script } : nodeRequire(name);
  };
}
