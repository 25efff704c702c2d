import type { CompoundCommand, CompoundList, Redirected, Statement } from 'unbash';
import type { EnvironmentEntry, FileRedirection, Word } from './command';
import type { LoadParser } from './parsing';
import type { Options } from './possible';
import type { RepositoryFact } from './repositories';
import type { Timeline } from './timeline';
import { either, type Outcome, type Worlds } from './worlds';

/** A command as it was met, with what was known at that point. */
export interface Step {
  readonly id: number;
  readonly words: readonly Word[];
  readonly assignments: readonly EnvironmentEntry[];
  readonly redirections: readonly FileRedirection[];
  /** What is fed to it by a here-document or here-string. */
  readonly input: Word | undefined;
  readonly at: { readonly start: number; readonly end: number };
  readonly worlds: Worlds;
  readonly cwd: Options;
}

/** What one reading of a line has met so far. Shared by all its scopes. */
export interface Trace {
  readonly steps: Step[];
  nextStep: number;
  /** Parts that may still be looked at; a line that uses them up is given up. */
  budget: number;
  trouble: string | undefined;
  /** Tells the repository of a directory before the line runs, where anybody can. */
  readonly repositoryAt: ((directory: string) => RepositoryFact | undefined) | undefined;
  readonly loadParser: LoadParser;
}

export type FunctionBody = CompoundCommand | Redirected | CompoundList;
export type WalkList = (list: readonly Statement[], entry: Worlds, scope: Scope) => Outcome;
export type WalkBody = (body: FunctionBody, entry: Worlds, scope: Scope) => Outcome;

/** A construct that can be left early, and the worlds in which it was. */
export interface Frame {
  readonly kind: 'shell' | 'function' | 'loop';
  readonly parent: Frame | undefined;
  success: Worlds;
  failure: Worlds;
}

/** The state of one shell: a subshell gets a copy, so what it changes ends with it. */
export interface Scope {
  readonly trace: Trace;
  readonly walkList: WalkList;
  readonly walkBody: WalkBody;
  cwd: Timeline<string | undefined>;
  directoryStack: Timeline<readonly Options[]>;
  variables: ReadonlyMap<string, Timeline<string | undefined>>;
  functions: ReadonlyMap<string, FunctionBody>;
  errexit: Timeline<boolean>;
  pipefail: Timeline<boolean>;
  /** The arguments of the function or script being run, where they are known. */
  positional: readonly Word[] | undefined;
  frame: Frame;
  /** Above zero where a failure is looked at, so that `set -e` does not apply. */
  tested: number;
  depth: number;
  loops: number;
  /** The text that nested code stands in: positions inside it mean nothing to the outer one. */
  carrier: { readonly start: number; readonly end: number } | undefined;
}

export function frameIn(parent: Frame | undefined, kind: Frame['kind']): Frame {
  return { kind, parent, success: [], failure: [] };
}

export function subshell(scope: Scope): Scope {
  return { ...scope, frame: frameIn(undefined, 'shell') };
}

/** What a part brought, together with the ways in which it was left early. */
export function withLeavers(outcome: Outcome, frame: Frame): Outcome {
  return {
    success: [...outcome.success, ...frame.success],
    failure: [...outcome.failure, ...frame.failure],
  };
}

/** Takes one part from the budget; false when nothing more may be looked at. */
export function spend(trace: Trace): boolean {
  if (trace.trouble !== undefined) return false;
  if (trace.budget-- > 0) return true;
  trace.trouble = 'it has too many parts';
  return false;
}

export function nearestFrame(from: Frame, kinds: readonly Frame['kind'][]): Frame | undefined {
  let frame: Frame | undefined = from;
  while (frame !== undefined && !kinds.includes(frame.kind)) frame = frame.parent;
  return frame;
}

/** Notes that a frame was left early, with the given status. */
export function leave(frame: Frame | undefined, outcome: Outcome): void {
  if (frame === undefined) return;
  frame.success = either(frame.success, outcome.success);
  frame.failure = either(frame.failure, outcome.failure);
}
