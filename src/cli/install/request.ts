import type { HostName } from '../../core/host-name';
import type { Ground, ProgramStart, Scope } from '../../hosts/setup';
import type { ResidentStart } from '../resident/client';

/** What somebody wants to have installed, and where. */
export interface InstallRequest {
  readonly ground: Ground;
  /** The git directory that all work trees share. Absent outside of a repository, where only `user` can be meant. */
  readonly commonDir: string | undefined;
  readonly scope: Scope;
  readonly hosts: readonly HostName[];
  /** Whether lines written by hand and entries of older programs make room for ours. */
  readonly replace: boolean;
  /** Whether the host shall refuse when we crash, where it knows how. */
  readonly failClosed: boolean;
  /** How the hook is reached: by a server first, by a process of its own, or as it is on this machine already. */
  readonly start: ResidentStart | 'one-shot' | 'as-before';
  /** What the host shall start without a shell. Absent where entries are lines for one. */
  readonly direct?: ProgramStart;
}

/** What somebody wants to have taken out again. */
export type RemovalRequest = Pick<InstallRequest, 'ground' | 'commonDir' | 'scope' | 'hosts'>;
