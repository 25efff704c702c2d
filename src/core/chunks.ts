import { Script } from 'node:vm';
import { type AskGit, askGit } from '../git/run-git';
import type { linesOutsideCode } from '../guards/loop/markdown';
import type { ancestorsOf, answeringHooks } from '../hosts/claude-code/person';
import type { skillCommands } from '../hosts/claude-code/skill';
import type { Host } from '../hosts/host';
import type { commandLines, commandsOf, effectsOf } from '../shell';
import type { changedPaths } from './changed-paths';
import type { compileProject } from './compile-config';
import type { ClientFacts, EffectRunner, Guard, TranscriptAsk, TranscriptFacts } from './guard';
import type { Invocation, ProjectWithState } from './hook';
import type { HostName } from './host-name';
import type { lostHooks, unacceptedVariables } from './lost-hooks';
import type { decideEvent } from './pipeline';
import type { Protection } from './protection';
import type { openTape, recordUnwatched } from './recording/tape';
import type { GuardName } from './selection';

/** Code in separate files, loaded only by the events that need it. */
export interface Chunks {
  guard(name: GuardName): Guard;
  effects(name: GuardName): EffectRunner;
  /** Any host but Claude Code. */
  host(name: HostName): Host;
  readonly decideEvent: typeof decideEvent;
  readonly changedPaths: typeof changedPaths;
  readonly compileProject: typeof compileProject;
  /** The whole config compiler, for commands. */
  configCompiler(): typeof import('./compile-config');
  readonly lostHooks: typeof lostHooks;
  readonly unacceptedVariables: typeof unacceptedVariables;
  readonly openTape: typeof openTape;
  readonly recordUnwatched: typeof recordUnwatched;
  /** Costs as much as many events, so only the start of a session calls it. */
  protectionAtStart(
    project: ProjectWithState,
    sessionId: string,
    invocation: Pick<Invocation, 'env' | 'chunks'>,
  ): Protection;
  clientFacts(pid: number, home: string, cwd: string): ClientFacts;
  readonly startUplink: StartUplink;
  readonly askGit: AskGit;
  toolUsedSince(transcript: string, sinceMs: number): boolean | undefined;
  transcriptFacts(transcript: string, ask: TranscriptAsk): TranscriptFacts;
  readonly ancestorsOf: typeof ancestorsOf;
  readonly answeringHooks: typeof answeringHooks;
  readonly skillCommands: typeof skillCommands;
  readonly commandLines: typeof commandLines;
  readonly commandsOf: typeof commandsOf;
  readonly linesOutsideCode: typeof linesOutsideCode;
  part<Name extends keyof Parts>(name: Name): Parts[Name];
  /** Compiles code that is not a chunk, with V8's cached code if the caller has any; see code-cache.ts. */
  compile(name: string, key: string, text: string, filename: string): Script;
  readonly effectsOf: typeof effectsOf;
}

/** Keeps this machine linked to its hub; see src/server/start-uplink.ts. */
export type StartUplink = (where: {
  readonly env: Invocation['env'];
  readonly home: string;
  readonly roots: readonly string[];
}) => void;

/** Parts of guards that few events need. */
export interface Parts {
  readonly people: typeof import('../guards/requirements/people');
  readonly 'effect-rules': typeof import('../guards/requirements/effect-rules');
  readonly signed: typeof import('../guards/requirements/signed');
  readonly 'test-run': typeof import('../guards/workflow/test-run');
  readonly 'built-in-rules': typeof import('../guards/rules/built-in');
}

/** Finds the chunks by the names that the build gives them. */
export function chunksFrom(
  load: (name: string) => unknown,
  compile: Chunks['compile'] = compileUncached,
): Chunks {
  const part = <T>(chunk: string, member: string): T => (load(chunk) as Record<string, unknown>)[member] as T;
  /** A function in a chunk that is loaded when the function is called. */
  const from = <Name extends keyof Chunks>(chunk: string, name: Name): Chunks[Name] =>
    ((...args: unknown[]) => part<(...args: unknown[]) => unknown>(chunk, name)(...args)) as Chunks[Name];
  return {
    guard: (name) => part<Guard>(`guard-${name}`, 'guard'),
    effects: (name) => part<EffectRunner>(`guard-${name}-effects`, 'runEffect'),
    host: (name) => part<Host>(`host-${name}`, 'host'),
    decideEvent: from('decide', 'decideEvent'),
    changedPaths: from('decide', 'changedPaths'),
    compileProject: from('compile-config', 'compileProject'),
    configCompiler: () => load('compile-config') as typeof import('./compile-config'),
    lostHooks: from('lost-hooks', 'lostHooks'),
    unacceptedVariables: from('lost-hooks', 'unacceptedVariables'),
    openTape: from('recording', 'openTape'),
    recordUnwatched: from('recording', 'recordUnwatched'),
    protectionAtStart: from('protection', 'protectionAtStart'),
    clientFacts: from('client', 'clientFacts'),
    startUplink: from('start-uplink', 'startUplink'),
    askGit,
    toolUsedSince: from('claude-code-transcript', 'toolUsedSince'),
    transcriptFacts: from('claude-code-transcript', 'transcriptFacts'),
    ancestorsOf: from('person', 'ancestorsOf'),
    answeringHooks: from('person', 'answeringHooks'),
    skillCommands: from('skill', 'skillCommands'),
    commandLines: from('shell', 'commandLines'),
    commandsOf: from('shell', 'commandsOf'),
    linesOutsideCode: from('markdown', 'linesOutsideCode'),
    part: (name) => load(name) as never,
    effectsOf: from('shell', 'effectsOf'),
    compile,
  };
}

function compileUncached(_name: string, _key: string, text: string, filename: string): Script {
  return new Script(text, { filename });
}
