import { isAbsolute, join, resolve } from 'node:path';
import { optionsOf } from '../../core/command-effects';
import type { Event, ToolCall } from '../../core/event';
import type { Context, Guard } from '../../core/guard';
import type { Json } from '../../core/json';
import { NOTHING, type Verdict } from '../../core/verdict';
import { askedBefore, heldAlways } from './messages';

/** Places that only Holdpoint, or only a person, changes. A directory stands for all that is in it. */
export type Places = {
  /** State, journal, caches, what starts the hook: no agent has any business there. */
  readonly own: readonly string[];
  /** Config and settings: an agent may be asked to change them, and then a person says yes. */
  readonly shared: readonly string[];
};

const WRITING = ['write', 'edit', 'patch', 'delete'];
/** MCP tools say by their name alone what they do. */
const READING = /(?:^|_)(?:read|get|list|search|find|stat|info|view|show|query|fetch|tree)/i;

/** Keeps what the rules rest on from being changed by those whom they hold. */
export const guard: Guard<Places> = {
  name: 'own-files',
  interest: () => [
    { kind: 'tool.before', tools: ['Edit', 'Write', 'MultiEdit', 'NotebookEdit', 'apply_patch', 'mcp__*'] },
    { kind: 'tool.before', tools: ['Bash'], plain: false },
  ],
  async decide(event, given, ctx) {
    if (event.kind !== 'tool.before') return NOTHING;
    // What confirms that a person has approved something.
    const { transcriptPath: record } = event;
    const places = record === undefined ? given : { ...given, own: [...given.own, record] };
    const written = pathsWritten(event, places, ctx);
    const reached = (path: string, place: string): boolean => isWithin(path, place) || isWithin(place, path);
    const own = written.find((path) => places.own.some((place) => reached(path, place)));
    if (own !== undefined) return held(shown(own, ctx));
    const shared = written.find((path) => places.shared.some((place) => reached(path, place)));
    return shared === undefined ? NOTHING : asked(shown(shared, ctx));
  },
};

function pathsWritten(event: Event & { readonly call: ToolCall }, places: Places, ctx: Context): string[] {
  const { call } = event;
  const base = isAbsolute(event.cwd) ? event.cwd : ctx.projectRoot;
  if (call.command !== undefined) {
    const { writes } = ctx.effects({
      command: call.command,
      testCommands: [],
      watched: [...places.own, ...places.shared],
    });
    const named = writes.flatMap(({ path }) => optionsOf(path)).filter((path) => path !== undefined);
    return named.flatMap((path) => throughLinks(resolve(base, path), ctx));
  }
  if (call.mcp !== undefined)
    return READING.test(call.mcp.tool)
      ? []
      : textsIn(call.input).flatMap((text) => throughLinks(resolve(base, text), ctx));
  return WRITING.includes(call.op) ? call.paths.flatMap((path) => throughLinks(path, ctx)) : [];
}

/** A path as it is written, and where it leads. */
function throughLinks(path: string, ctx: Context): string[] {
  return [path, ctx.realPath(path)];
}

const LONGEST_PATH = 4096;

/** Every text in a call that may be a path. */
function textsIn(value: Json): string[] {
  if (typeof value === 'string') return value.length < LONGEST_PATH && !value.includes('\n') ? [value] : [];
  return typeof value === 'object' && value !== null
    ? Object.values(value).flatMap((one) => textsIn(one as Json))
    : [];
}

export function isWithin(path: string, place: string): boolean {
  return path === place || path.startsWith(`${place}/`);
}

function shown(path: string, { projectRoot, home }: Context): string {
  if (isWithin(path, projectRoot)) return path.slice(projectRoot.length + 1) || '.';
  return isWithin(path, home) ? join('~', path.slice(home.length)) : path;
}

function held(file: string): Verdict {
  const { reason, ...grounds } = heldAlways(file);
  return { kind: 'deny', reason, grounds: [{ rule: 'own files', ...grounds }] };
}

function asked(file: string): Verdict {
  const { reason, ...grounds } = askedBefore(file);
  return { kind: 'ask', reason, grounds: [{ rule: 'config and settings', ...grounds }] };
}
