import type { EffectRunner, Guard } from '../domain/guard';
import type { GuardName } from '../domain/guard-name';
import type { AskGit } from '../git/head';
import type { compileConfig } from './compile-config';

/** Code that lies in files of its own and is loaded only by the event that needs it. */
export interface Chunks {
  guard(name: GuardName): Guard;
  effects(name: GuardName): EffectRunner;
  compileConfig: () => typeof compileConfig;
  askGit: AskGit;
  toolUsedSince(transcript: string, sinceMs: number): boolean | undefined;
}

/** Finds the chunks beside each other in one directory, by the names that the build gives them. */
export function chunksFrom(load: (name: string) => unknown): Chunks {
  const part = <T>(name: string, member: string): T => (load(name) as Record<string, unknown>)[member] as T;
  return {
    guard: (name) => part<Guard>(`guard-${name}`, 'guard'),
    effects: (name) => part<EffectRunner>(`guard-${name}-effects`, 'runEffect'),
    compileConfig: () => part('compile-config', 'compileConfig'),
    askGit: (dir, args) => part<AskGit>('ask-git', 'askGit')(dir, args),
    toolUsedSince: (transcript, sinceMs) =>
      part<Chunks['toolUsedSince']>('claude-code-transcript', 'toolUsedSince')(transcript, sinceMs),
  };
}
