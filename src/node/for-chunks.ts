import type * as Fs from 'node:fs';
import * as files from './files';
import { own, ownPaths } from './own';
import { basename, dirname, isAbsolute, join, normalize, relative, resolve, sep } from './paths';
import { Script } from './script';

type Function = (...args: unknown[]) => unknown;

/** Asked by name, since an object of all of them takes long to make. Whatever else somebody wants is Node's own. */
function fileCalled(name: string | symbol): unknown {
  switch (name) {
    case 'closeSync':
      return files.closeSync;
    case 'constants':
      return files.constants;
    case 'existsSync':
      return files.existsSync;
    case 'fstatSync':
      return files.fstatSync;
    case 'fsyncSync':
      return files.fsyncSync;
    case 'lstatSync':
      return files.lstatSync;
    case 'mkdirSync':
      return files.mkdirSync;
    case 'openSync':
      return files.openSync;
    case 'readFileSync':
      return files.readFileSync;
    case 'readlinkSync':
      return files.readlinkSync;
    case 'readSync':
      return files.readSync;
    case 'realpathSync':
      return files.realpathSync;
    case 'renameSync':
      return files.renameSync;
    case 'statSync':
      return files.statSync;
    case 'symlinkSync':
      return files.symlinkSync;
    case 'unlinkSync':
      return files.unlinkSync;
    case 'writeSync':
      return files.writeSync;
    // Chunks ask for these when they are loaded and call them hardly ever, so Node's own are got only then.
    case 'accessSync':
    case 'copyFileSync':
    case 'fchmodSync':
    case 'linkSync':
    case 'readdirSync':
    case 'rmdirSync':
    case 'rmSync':
    case 'truncateSync':
    case 'utimesSync':
    case 'writeFileSync':
      return whenCalled(name);
    default:
      return Reflect.get(own(), name);
  }
}

function whenCalled(name: keyof typeof Fs): Function {
  return (...args) => (own()[name] as Function)(...args);
}

function pathCalled(name: string | symbol): unknown {
  switch (name) {
    case 'basename':
      return basename;
    case 'dirname':
      return dirname;
    case 'isAbsolute':
      return isAbsolute;
    case 'join':
      return join;
    case 'normalize':
      return normalize;
    case 'relative':
      return relative;
    case 'resolve':
      return resolve;
    case 'sep':
      return sep;
    default:
      return Reflect.get(ownPaths(), name);
  }
}

/** What chunks get as their `require`: what is in this room, and Node's own for the rest. */
export function requireForChunks(nodeRequire: (name: string) => unknown): (name: string) => unknown {
  return (name) => {
    switch (name) {
      case 'node:fs':
        return new Proxy({}, { get: (_, wanted) => fileCalled(wanted) });
      case 'node:path':
        return new Proxy({}, { get: (_, wanted) => pathCalled(wanted) });
      case 'node:vm':
        return { Script };
      default:
        return nodeRequire(name);
    }
  };
}
