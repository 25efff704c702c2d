import { isAbsolute, join } from 'node:path';
import { callEffects } from '../core/call-effects';
import type { Event } from '../core/event';
import type { Context, FileFact } from '../core/guard';
import { isJsonObject, type Json, type JsonObject } from '../core/json';
import { effectsOnce, isAsked, outcomeOf, ruleContext } from '../guards/rules/context';
import { claudeCode, KINDS } from '../hosts/claude-code/index';
import { commandLines, effectsOf } from '../shell';
import { commandsOf } from '../shell/command-lines';
import type { PastCall, Rule } from './index';

/* What tests of rules import from `holdpoint/testing`. */

/** The world that the rule sees. Paths are relative to the project's root, or absolute. */
export interface World {
  /** The rule's state for this session; the rule changes this very object. */
  readonly state?: Record<string, unknown>;
  readonly projectState?: Record<string, unknown>;
  /** Earlier calls of the session; missing fields are empty, and `command` is parsed. */
  readonly history?: readonly (Partial<PastCall> & { readonly command?: string })[];
  /** Default: `feature`. */
  readonly branch?: string;
  /** The files that exist, with their text. */
  readonly files?: Readonly<Record<string, string>>;
  /** Default: `/project`. */
  readonly root?: string;
}

/** What the rule decided; `nothing` also if it does not apply to the event. */
export interface Tested {
  readonly kind: 'nothing' | 'hold' | 'ask' | 'advise';
  readonly reason?: string;
}

/**
 * A tool call (`{tool: 'Write', input: {…}}`), an event as a host sends it (`{hook_event_name: 'PreToolUse',
 * tool_name: 'Write', tool_input: {…}}`), or the neutral event (`{kind: 'tool.before', call: {nativeName:
 * 'Write', input: {…}}}`), whose missing fields are filled in.
 */
export type TestEvent =
  | { readonly tool: string; readonly input: Readonly<Record<string, unknown>> }
  | { readonly hook_event_name: string; readonly [key: string]: unknown }
  | { readonly kind: Event['kind']; readonly [key: string]: unknown };

/** Asks one rule about one event, without a process, a config or files. */
export async function testRule(rule: Rule, event: TestEvent, world: World = {}): Promise<Tested> {
  const root = world.root ?? '/project';
  const whole = wholeEvent(event, root);
  const ctx = contextOf(whole, world, root);
  const what = effectsOnce(whole, ctx);
  if (!isAsked({ on: [rule.on].flat() }, whole, what)) return { kind: 'nothing' };
  const state = { session: world.state ?? {}, project: world.projectState ?? {} };
  const history = (): PastCall[] => (world.history ?? []).map((call) => pastCall(call, root));
  const given = { event: whole, ctx, callEffects: what, history };
  const returned = await rule.decide(
    whole,
    ruleContext(given, () => state),
  );
  const outcome = outcomeOf(returned);
  if (outcome === undefined)
    throw new Error(`${rule.name} returned ${JSON.stringify(returned)}; return hold, ask, advise or nothing`);
  return outcome;
}

function pastCall(given: NonNullable<World['history']>[number], root: string): PastCall {
  const { command, ...call } = given;
  const commands = command === undefined ? [] : (commandsOf(command, root) ?? []);
  const kind = command === undefined ? ({ tool: '', op: 'other' } as const) : SHELL;
  return { ...kind, paths: [], commands, outcome: 'success', at: Date.now(), ...call };
}

const SHELL = { tool: 'Bash', op: 'shell' } as const;

function wholeEvent(given: TestEvent, root: string): Event {
  if ('tool' in given) {
    const call = { hook_event_name: 'PreToolUse', tool_name: given.tool, tool_input: given.input };
    return parsed(call as JsonObject, root);
  }
  if ('hook_event_name' in given) return parsed(given as unknown as JsonObject, root);
  const { kind, call, ...rest } = given as { kind: Event['kind']; call?: unknown };
  const [hostEvent = 'Notification'] = Object.entries(KINDS).find(([, one]) => one === kind) ?? [];
  if (!isJsonObject(call as Json))
    return { ...parsed({ hook_event_name: hostEvent }, root), ...rest, kind } as Event;
  const { nativeName, input, command, paths, ...more } = call as JsonObject;
  const tool_name = typeof nativeName === 'string' ? nativeName : command === undefined ? 'Write' : 'Bash';
  const tool_input = isJsonObject(input) ? input : command === undefined ? {} : { command };
  const document = { hook_event_name: hostEvent, tool_name, tool_input, tool_use_id: 'call' };
  const event = parsed(document, root);
  const own = 'call' in event ? event.call : {};
  const named = Array.isArray(paths) ? { paths: paths.map((path) => absolute(String(path), root)) } : {};
  const filled = { ...own, ...more, ...(command !== undefined && { command }), ...named };
  const whole: object = { ...event, ...rest, kind, call: filled };
  return whole as Event;
}

function parsed(document: JsonObject, root: string): Event {
  return claudeCode.parse({ session_id: 'test', cwd: root, ...document }, Date.now());
}

function absolute(path: string, root: string): string {
  return isAbsolute(path) ? path : join(root, path);
}

/** The part of a guard's context that a rule's context is made of. */
function contextOf(event: Event, world: World, root: string): Context {
  const branch = world.branch ?? 'feature';
  const commonDir = join(root, '.git');
  const repository = {
    root,
    commonDir,
    branch,
    commitOf: () => undefined,
    // The branch has an upstream that it is ahead of.
    settings: () =>
      new Map([
        [`branch.${branch}.remote`, 'origin'],
        [`branch.${branch}.merge`, `refs/heads/${branch}`],
      ]),
  };
  const given = Object.entries(world.files ?? {});
  const files = new Map(given.map(([path, text]) => [absolute(path, root), text]));
  const cwd = event.cwd === '' ? root : event.cwd;
  const known: Partial<Context> = {
    now: event.at,
    projectRoot: root,
    home: '/home/test',
    git: { root, gitDir: commonDir, commonDir, position: { kind: 'branch', branch } },
    realPath: (path) => path,
    file: ({ path }): FileFact => {
      const text = files.get(absolute(path, root));
      if (text !== undefined) return { kind: 'file', size: Buffer.byteLength(text), mtimeMs: 0, text };
      const isAbove = [...files.keys()].some((file) => file.startsWith(`${absolute(path, root)}/`));
      return isAbove ? { kind: 'directory', mtimeMs: 0 } : { kind: 'missing' };
    },
    refs: () => undefined,
    defaultBranch: () => undefined,
    part: (() => ({ callEffects })) as unknown as Context['part'],
    commandLines: (text) => commandLines(text, cwd),
    commands: (text) => commandsOf(text, cwd),
    effects: ({ command }) => effectsOf(command, { cwd, home: '/home/test', repositoryAt: () => repository }),
  };
  return known as Context;
}
