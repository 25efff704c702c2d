import { accessSync, constants, existsSync, statSync } from 'node:fs';
import { resolve } from 'node:path';
import { detailOf } from '../core/failure';
import type { Child, StartProgram } from './child';
import { childEnvironment } from './child-environment';
import { announceGroup } from './guardian';
import { RUN_MARK } from './guardian-script';
import { interpreterMissing, notADirectory } from './messages';
import type { RunEnd, RunSpec, WhyNotStarted } from './run-result';

export type NotStarted = Extract<RunEnd, { kind: 'not-started' }>;

export interface Started {
  readonly kind: 'started';
  readonly child: Child;
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
export async function startChild(spec: RunSpec, start: StartProgram): Promise<Started | NotStarted> {
  const announced = announceGroup(start);
  const child = start({
    command: spec.command,
    args: spec.args,
    cwd: spec.cwd,
    env: { ...childEnvironment(spec.env), [RUN_MARK]: announced.mark },
    streams: [spec.input === undefined ? 'none' : { text: spec.input }, 'pipe', 'pipe'],
  });
  if (child.kind === 'started') return { kind: 'started', child, release: announced.begun(child.pid) };
  announced.failed();
  const error = await child.error;
  const cwd = cwdTrouble(spec.cwd);
  return cwd === undefined ? notStarted(spec, error) : { kind: 'not-started', why: 'bad-cwd', detail: cwd };
}

/** A missing program and a missing directory give the same error, so the latter is looked at. */
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
