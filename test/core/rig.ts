import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { Script } from 'node:vm';
import * as configCompiler from '../../src/core/compile-config';
import type { Event } from '../../src/core/event';
import { succeed } from '../../src/core/failure';
import type { Chunks, Context, EffectRunner, Guard, Interest, Parts } from '../../src/core/guard';
import { GUARD_NAMES, type GuardName } from '../../src/core/guard';
import { handleEvent } from '../../src/core/hook';
import type { Json, JsonObject } from '../../src/core/json';
import * as lostHooks from '../../src/core/lost-hooks';
import * as ownFilesCalls from '../../src/core/own-files/calls';
import * as pipeline from '../../src/core/pipeline';
import * as recording from '../../src/core/recording/tape';
import { recordFrom, type SessionRecord } from '../../src/core/refused-stops';
import * as sessionWatch from '../../src/core/session-watch';
import { sessionRecordRef } from '../../src/core/text';
import { type Answer, NOTHING, type Verdict } from '../../src/core/verdict';
import { askGit } from '../../src/git/run-git';
import { guard as loop } from '../../src/guards/loop/index';
import * as markdown from '../../src/guards/loop/markdown';
import * as effectRules from '../../src/guards/requirements/effect-rules';
import { guard as requirements } from '../../src/guards/requirements/index';
import * as people from '../../src/guards/requirements/people';
import * as requirementsSession from '../../src/guards/requirements/session';
import * as signed from '../../src/guards/requirements/signed';
import * as builtInRules from '../../src/guards/rules/built-in';
import { guard as workflow } from '../../src/guards/workflow/index';
import * as testRun from '../../src/guards/workflow/test-run';
import * as person from '../../src/hosts/claude-code/person';
import * as skill from '../../src/hosts/claude-code/skill';
import * as transcript from '../../src/hosts/claude-code/transcript';
import * as shell from '../../src/shell';
import { documentFile, type Layout } from '../../src/state/documents';
import { readJournal } from '../../src/state/journal';
import { makeScratch, type Scratch } from '../git/scratch-repo';

/** A guard that the test plays itself. What it leaves out is silent. */
export interface Scripted {
  readonly name: GuardName;
  decide?(event: Event, config: Json, ctx: Context): Verdict | Promise<Verdict>;
  readonly interests?: readonly Interest[];
  readonly effect?: EffectRunner;
  readonly config?: Json;
  readonly onError?: 'allow' | 'hold';
  /** Its rules in shadow mode, which watch everything. */
  readonly shadow?: Guard['decide'];
}

export interface Sending {
  readonly only?: readonly string[];
  readonly env?: Readonly<Record<string, string | undefined>>;
  readonly now?: number;
}

/** A repository with a home, and the pipeline in front of it. */
export interface Rig extends Scratch {
  readonly root: string;
  readonly home: string;
  readonly layout: Layout;
  send(event: JsonObject, sending?: Sending): Promise<Answer>;
  sendText(text: string, sending?: Sending): Promise<Answer>;
  write(path: string, text: string): string;
  journal(): JsonObject[];
  record(sessionId?: string): SessionRecord | undefined;
}

export const SESSION = '0a1b2c3d-0000-4000-8000-000000000001';

const EVERYTHING: readonly Interest[] = [
  { kind: 'session.start' },
  { kind: 'session.end' },
  { kind: 'prompt.submit' },
  { kind: 'tool.before' },
  { kind: 'turn.stop' },
];

const PARTS: Parts = {
  decide: pipeline,
  'compile-config': configCompiler,
  'lost-hooks': lostHooks,
  recording,
  'own-files-calls': ownFilesCalls,
  shell,
  markdown,
  skill,
  person,
  'claude-code-transcript': transcript,
  people,
  'effect-rules': effectRules,
  signed,
  'test-run': testRun,
  'built-in-rules': builtInRules,
  session: {
    ...sessionWatch,
    requirements: requirementsSession,
    protectionAtStart: () => ({ state: 'on', reasons: [], holding: [...GUARD_NAMES] }),
  },
  client: { clientFacts: () => ({ args: [], isAttended: false, isSender: false }) },
  'start-uplink': { startUplink: () => undefined },
};

/** The real parts, but for those of a compiler of the test's own. */
export function partsWith(compiler: Partial<Parts['compile-config']>): Chunks['part'] {
  const parts: Parts = { ...PARTS, 'compile-config': { ...configCompiler, ...compiler } };
  return (name) => parts[name];
}

export const realChunks: Chunks = {
  guard: (name) => {
    if (name === 'requirements') return requirements as unknown as Guard;
    if (name === 'loop') return loop as unknown as Guard;
    if (name === 'workflow') return workflow as unknown as Guard;
    throw new Error(`no guard ${name}`);
  },
  effects: () => {
    throw new Error('no effects');
  },
  host: (name) => {
    throw new Error(`no host ${name}`);
  },
  askGit,
  toolUsedSince: transcript.toolUsedSince,
  commandLines: shell.commandLines,
  commandsOf: shell.commandsOf,
  compile: (_name, _key, text, filename) => new Script(text, { filename }),
  part: (name) => PARTS[name],
  effectsOf: shell.effectsOf,
};

/** Chunks that serve the scripted guards, with a config made for them. */
export function scriptedChunks(guards: readonly Scripted[]): Chunks {
  const called = (name: GuardName): Scripted => {
    const found = guards.find((one) => one.name === name);
    if (found === undefined) throw new Error(`nobody plays ${name}`);
    return found;
  };
  return {
    ...realChunks,
    guard: (name) => ({
      name,
      interest: () => [],
      decide: async (...args) => called(name).decide?.(...args) ?? NOTHING,
      shadow: {
        interest: () => [],
        isAll: () => false,
        decide: async (...args) => called(name).shadow?.(...args) ?? NOTHING,
      },
    }),
    effects: (name) => called(name).effect ?? realChunks.effects(name),
    part: partsWith({
      compileProject: ({ root, home }) => ({
        head: {
          version: '',
          root,
          home,
          stamps: [],
          guards: guards.map(({ name, interests, onError, shadow }) => {
            const quiet = shadow && { shadow: EVERYTHING };
            return { name, interests: interests ?? EVERYTHING, onError: onError ?? 'allow', ...quiet };
          }),
          problems: [],
          unread: [],
        },
        configOf: (index) => guards[index]?.config ?? null,
      }),
    }),
  };
}

export function makeRig(chunks: Chunks): Rig {
  const scratch = makeScratch();
  const root = scratch.repo('project');
  const home = join(scratch.dir, 'home');
  const git = join(root, '.git');
  const layout = { root, git, own: join(git, 'holdpoint'), home };
  mkdirSync(join(root, '.holdpoint'));
  const sendText: Rig['sendText'] = async (text, { only = [], env = {}, now = Date.now() } = {}) =>
    handleEvent(succeed(text), { host: undefined, only, env: { HOME: home, ...env }, chunks, now });
  return {
    ...scratch,
    root,
    home,
    layout,
    sendText,
    send: (event, sending) => sendText(JSON.stringify({ session_id: SESSION, cwd: root, ...event }), sending),
    write: (path, text) => {
      const file = join(root, path);
      mkdirSync(dirname(file), { recursive: true });
      writeFileSync(file, text);
      return file;
    },
    journal: () => [...readJournal(layout)],
    record: (sessionId = SESSION) => {
      const file = documentFile(layout, sessionRecordRef(sessionId));
      return existsSync(file) ? recordFrom(JSON.parse(readFileSync(file, 'utf8')), sessionId) : undefined;
    },
  };
}

export const preTool = (tool = 'Bash', input: JsonObject = {}): JsonObject => ({
  hook_event_name: 'PreToolUse',
  prompt_id: 'p1',
  tool_name: tool,
  tool_input: input,
  tool_use_id: 'call-1',
});

export const stopEvent = (facts: JsonObject = {}): JsonObject => ({
  hook_event_name: 'Stop',
  prompt_id: 'p1',
  stop_hook_active: false,
  last_assistant_message: 'Done.',
  ...facts,
});

export const startEvent = (source = 'startup'): JsonObject => ({ hook_event_name: 'SessionStart', source });

export const endEvent = (): JsonObject => ({ hook_event_name: 'SessionEnd', reason: 'other' });

/** The one document on stdout. */
export function spoken({ stdout }: Answer): JsonObject {
  return stdout === '' ? {} : JSON.parse(stdout);
}

export const SILENT = { stdout: '', stderr: '', exitCode: 0 };
