import type { EffectRunner, Guard } from '../domain/guard';
import type { GuardName } from '../domain/guard-name';
import type { AskGit } from '../git/head';
import type { compileProject } from './compile-config';
import type { decideEvent } from './decide-event';

/** Code that lies in files of its own and is loaded only by the event that needs it. */
export interface Chunks {
  guard(name: GuardName): Guard;
  effects(name: GuardName): EffectRunner;
  readonly decideEvent: typeof decideEvent;
  readonly compileProject: typeof compileProject;
  readonly askGit: AskGit;
  toolUsedSince(transcript: string, sinceMs: number): boolean | undefined;
  commandLines(text: string, cwd: string): readonly (readonly string[])[] | undefined;
}

/** Finds the chunks beside each other in one directory, by the names that the build gives them. */
export function chunksFrom(load: (name: string) => unknown): Chunks {
  const part = <T>(name: string, member: string): T => (load(name) as Record<string, unknown>)[member] as T;
  return {
    guard: (name) => part<Guard>(`guard-${name}`, 'guard'),
    effects: (name) => part<EffectRunner>(`guard-${name}-effects`, 'runEffect'),
    decideEvent: (...args) => part<Chunks['decideEvent']>('decide', 'decideEvent')(...args),
    compileProject: (...args) => part<Chunks['compileProject']>('compile-config', 'compileProject')(...args),
    askGit: (...args) => part<AskGit>('ask-git', 'askGit')(...args),
    toolUsedSince: (...args) =>
      part<Chunks['toolUsedSince']>('claude-code-transcript', 'toolUsedSince')(...args),
    commandLines: (...args) => part<Chunks['commandLines']>('shell', 'commandLines')(...args),
  };
}
