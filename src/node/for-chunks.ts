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
import { own } from './own';
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
const rest = new Proxy({}, { get: (_, name) => Reflect.get(own(), name) });

const files = Object.setPrototypeOf(
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
  rest,
);
for (const name of SELDOM) files[name] = (...args: unknown[]) => (own()[name] as Function)(...args);

/** What chunks get as their `require`: what is in this room, and Node's own for the rest. */
export function requireForChunks(nodeRequire: (name: string) => unknown): (name: string) => unknown {
  return (name) => {
    if (name === 'node:fs') return files;
    return name === 'node:vm' ? { Script } : nodeRequire(name);
  };
}
