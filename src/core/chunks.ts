import { Script } from 'node:vm';
import { type AskGit, askGit } from '../git/run-git';
import type { Host } from '../hosts/host';
import type { ClientFacts, EffectRunner, Guard } from './guard';
import type { Invocation, ProjectWithState } from './hook';
import type { HostName } from './host-name';
import type { Protection } from './protection';
import type { GuardName } from './selection';

/** Code in separate files, by the names that the build gives them; loaded only by the events that need it. */
export interface Parts {
  readonly decide: typeof import('./pipeline');
  readonly 'compile-config': typeof import('./compile-config');
  readonly 'lost-hooks': typeof import('./lost-hooks');
  readonly recording: typeof import('./recording/tape');
  readonly 'own-files-calls': typeof import('./own-files/calls');
  readonly session: SessionParts;
  readonly shell: typeof import('../shell');
  readonly markdown: typeof import('../guards/loop/markdown');
  readonly skill: typeof import('../hosts/claude-code/skill');
  readonly person: typeof import('../hosts/claude-code/person');
  readonly 'claude-code-transcript': typeof import('../hosts/claude-code/transcript');
  readonly people: typeof import('../guards/requirements/people');
  readonly 'effect-rules': typeof import('../guards/requirements/effect-rules');
  readonly signed: typeof import('../guards/requirements/signed');
  readonly 'test-run': typeof import('../guards/workflow/test-run');
  readonly 'built-in-rules': typeof import('../guards/rules/built-in');
  readonly client: { clientFacts(pid: number, home: string, cwd: string): ClientFacts };
  readonly 'start-uplink': { readonly startUplink: StartUplink };
}

/** See src/main/session.ts. */
type SessionParts = typeof import('./session-watch') & {
  readonly requirements: typeof import('../guards/requirements/session');
  /** Costs as much as many events, so only the start of a session calls it. */
  protectionAtStart(
    project: ProjectWithState,
    sessionId: string,
    invocation: Pick<Invocation, 'env' | 'chunks'>,
  ): Protection;
};

/** Keeps this machine linked to its hub; see src/server/start-uplink.ts. */
export type StartUplink = (where: {
  readonly env: Invocation['env'];
  readonly home: string;
  readonly roots: readonly string[];
}) => void;

type Transcripts = Parts['claude-code-transcript'];

/** What an event needs besides its own chunk. Recordings and replays put their own in place of some of these. */
export interface Chunks {
  part<Name extends keyof Parts>(name: Name): Parts[Name];
  guard(name: GuardName): Guard;
  effects(name: GuardName): EffectRunner;
  /** Any host but Claude Code. */
  host(name: HostName): Host;
  readonly askGit: AskGit;
  readonly toolUsedSince: Transcripts['toolUsedSince'];
  readonly commandLines: Parts['shell']['commandLines'];
  readonly commandsOf: Parts['shell']['commandsOf'];
  readonly effectsOf: Parts['shell']['effectsOf'];
  /** Compiles code that is not a chunk, with V8's cached code if the caller has any; see code-cache.ts. */
  compile(name: string, key: string, text: string, filename: string): Script;
}

export function chunksFrom(
  load: (name: string) => unknown,
  compile: Chunks['compile'] = compileUncached,
): Chunks {
  const part = load as Chunks['part'];
  return {
    part,
    guard: (name) => (load(`guard-${name}`) as { guard: Guard }).guard,
    effects: (name) => (load(`guard-${name}-effects`) as { runEffect: EffectRunner }).runEffect,
    host: (name) => (load(`host-${name}`) as { host: Host }).host,
    askGit,
    toolUsedSince: (...args) => part('claude-code-transcript').toolUsedSince(...args),
    commandLines: (...args) => part('shell').commandLines(...args),
    commandsOf: (...args) => part('shell').commandsOf(...args),
    effectsOf: (...args) => part('shell').effectsOf(...args),
    compile,
  };
}

function compileUncached(_name: string, _key: string, text: string, filename: string): Script {
  return new Script(text, { filename });
}
