import { type Chunks, chunksFrom } from '../core/chunks';
import { succeed } from '../core/failure';
import { handleEvent } from '../core/handle-event';
import { optionsFrom } from '../core/hook-options';
import { isDisabled, selectGuards } from '../core/selection';
import type { Stead, Wish } from '../core/stead';
import type { Environment } from './environment';
import { parsedTexts } from './parsed-texts';
import type { Spoken } from './wire';

/** An event as it would have reached a process of its own. */
export interface EventCall {
  readonly document: string;
  readonly args: readonly string[];
  readonly env: Environment;
  readonly parentPid: number;
  /** When the client came, in milliseconds since the epoch. */
  readonly startedAt: number;
}

/** What is to be said, or why the event is left to a process of its own. */
export type Outcome = Spoken | { readonly left: string };

/** An outcome that holds once all wishes have been fulfilled. */
export interface Judged {
  readonly outcome: Outcome;
  readonly wishes: readonly Wish[];
}

export type Recall = Stead['recall'];

/** While one event is looked at, all others wait. */
const WATCHDOG_MS = 500;

const parse = parsedTexts();

class Left extends Error {}

export function leftTo(why: string): Judged {
  return { outcome: { left: why }, wishes: [] };
}

/**
 * Judges an event as a process of its own would, byte for byte, or leaves it to one. Never throws and writes
 * nothing. What takes long, what is rare and what must not be lost is left.
 */
export function judgeEvent(call: EventCall, load: (name: string) => unknown, recall: Recall): Judged {
  const { odd, ...options } = optionsFrom(call.args);
  if (odd !== undefined || isDisabled(call.env)) return leftTo('switch');
  if (selectGuards(options.only, call.env).guards.length === 0) return leftTo('switch');
  let why: string | undefined;
  const leave = (reason: string): never => {
    why ??= reason;
    throw new Left(reason);
  };
  const stay = (): void => void (why !== undefined && leave(why));
  const wishes: Wish[] = [];
  const wish = (one: Wish): void => void wishes.push(one);
  const stead: Stead = { watchdogMs: WATCHDOG_MS, parse, recall, wish, leave, stay };
  try {
    const { env, parentPid, startedAt, document } = call;
    const chunks = chunksFor(load, leave);
    const now = Date.now();
    const answer = handleEvent(succeed(document), {
      ...options,
      env,
      chunks,
      now,
      startedAt,
      parentPid,
      stead,
    });
    if (why !== undefined || answer instanceof Promise) return leftTo(why ?? 'effect');
    return { outcome: answer, wishes };
  } catch (error) {
    return leftTo(error instanceof Left ? error.message : 'mistake');
  }
}

/** What would start another process or run for long is not for us, nor an event that is none. */
function chunksFor(load: (name: string) => unknown, leave: (why: string) => never): Chunks {
  const chunks = chunksFrom(load);
  return {
    ...chunks,
    effects: () => leave('effect'),
    compileProject: () => leave('config'),
    askGit: () => leave('git'),
    decideEvent: (look, surroundings) => {
      if (look.kind !== 'watched') return leave(look.kind);
      surroundings.stead?.stay();
      return look.failures.length > 0 ? leave('failure') : chunks.decideEvent(look, surroundings);
    },
  };
}
