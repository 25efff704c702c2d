import { readFileSync, readlinkSync, realpathSync } from 'node:fs';
import type { Header } from './wire';

/** Why a client is not answered: it would run another program, or sees other files and processes than we do. */
export type Strangeness = 'installation' | 'stranger';
export type StrangenessOf = (header: Header) => Strangeness | undefined;

/**
 * A socket may be reached from a container that shares nothing but its directory with us. The same path is
 * another file there, and a project that we do not see would pass for one without rules.
 */
export function neighbourhood(dist: string): StrangenessOf {
  const mounts = mountsOf('self');
  const machine = hostName();
  return ({ dist: theirs, parent = '', machine: named }) => {
    if (theirs === undefined || !isSame(theirs, dist)) return 'installation';
    const isNear = named === machine && /^[1-9]\d{0,9}$/.test(parent);
    return isNear && (mounts === undefined || mountsOf(parent) === mounts) ? undefined : 'stranger';
  };
}

function isSame(theirs: string, ours: string): boolean {
  if (theirs === ours) return true;
  try {
    return realpathSync(theirs) === ours;
  } catch {
    return false;
  }
}

function mountsOf(process: string): string | undefined {
  try {
    return readlinkSync(`/proc/${process}/ns/mnt`);
  } catch {
    return undefined;
  }
}

function hostName(): string | undefined {
  try {
    return readFileSync('/proc/sys/kernel/hostname', 'utf8').split('\n', 1)[0];
  } catch {
    return undefined;
  }
}
