import { type ChildProcess, spawn } from 'node:child_process';
import { accessSync, constants, existsSync, statSync } from 'node:fs';
import { resolve } from 'node:path';
import { detailOf } from '../domain/failure';
import { childEnvironment } from './child-environment';
import { announceGroup } from './guardian';
import { RUN_MARK } from './guardian-script';
import { interpreterMissing, notADirectory } from './messages';
import type { RunEnd, RunSpec, WhyNotStarted } from './run-result';

export type NotStarted = Extract<RunEnd, { kind: 'not-started' }>;

export interface Started {
  readonly kind: 'started';
  readonly child: ChildProcess;
  readonly group: number;
  /** To be called once the group has ended. */
  readonly release: () => void;
}

const WHY: Readonly<Record<string, WhyNotStarted>> = {
  ENOENT: 'not-found',
  EACCES: 'not-executable',
  EPERM: 'not-executable',
  ENOEXEC: 'not-executable',
  ENOTDIR: 'not-found',
  ELOOP: 'not-found',
  ENAMETOOLONG: 'not-found',
  E2BIG: 'bad-arguments',
  ERR_INVALID_ARG_VALUE: 'bad-arguments',
  EAGAIN: 'no-resources',
  EMFILE: 'no-resources',
  ENFILE: 'no-resources',
  ENOMEM: 'no-resources',
};

/** Starts a program as the leader of a group and a session of its own, under guard. Throws nothing. */
export async function startChild(spec: RunSpec): Promise<Started | NotStarted> {
  const cwd = cwdTrouble(spec.cwd);
  if (cwd !== undefined) return { kind: 'not-started', why: 'bad-cwd', detail: cwd };
  const announced = announceGroup();
  try {
    const child = spawn(spec.command, spec.args, {
      cwd: spec.cwd,
      env: { ...childEnvironment(spec.env), [RUN_MARK]: announced.mark },
      stdio: [spec.input === undefined ? 'ignore' : 'pipe', 'pipe', 'pipe'],
      detached: true,
      windowsHide: true,
    });
    const group = child.pid;
    if (group !== undefined) return { kind: 'started', child, group, release: announced.begun(group) };
    announced.failed();
    return notStarted(spec, await new Promise((tell) => child.once('error', tell)));
  } catch (error) {
    announced.failed();
    return notStarted(spec, error);
  }
}

/** The same error is given for a missing program and a missing directory, so the latter is looked at first. */
function cwdTrouble(cwd: string): string | undefined {
  try {
    if (!statSync(cwd).isDirectory()) return notADirectory(cwd);
    accessSync(cwd, constants.X_OK);
    return undefined;
  } catch (error) {
    return detailOf(error);
  }
}

function notStarted(spec: RunSpec, error: unknown): NotStarted {
  const code = error instanceof Error && 'code' in error ? String(error.code) : '';
  const file = resolve(spec.cwd, spec.command);
  if (code === 'ENOENT' && spec.command.includes('/') && existsSync(file)) {
    return { kind: 'not-started', why: 'not-executable', detail: interpreterMissing(file) };
  }
  return { kind: 'not-started', why: WHY[code] ?? 'unknown', detail: detailOf(error) };
}
