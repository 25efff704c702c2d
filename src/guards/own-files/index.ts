import { existsSync } from 'node:fs';
import { basename, isAbsolute, join, resolve } from 'node:path';
import { optionsOf } from '../../core/command-effects';
import { type Event, possiblePaths, type ToolCall } from '../../core/event';
import type { Context, Guard } from '../../core/guard';
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

const MOVING = /(?:^|_)(?:delete|remove|rm|move|mv|rename|trash)/i;
/** Ways of a shell to change a directory with all that is in it. */
const REMOVING: readonly string[] = ['rm', 'mv'];

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
    if (record !== undefined && isRewritten(record, event.call)) return held(shown(record, ctx));
    const changes = changesBy(event, places, ctx);
    const reached = ({ path, whole }: Change, place: string): boolean =>
      isWithin(path, place) || (whole && isWithin(place, path));
    const own = changes.find((change) => places.own.some((place) => reached(change, place)));
    if (own !== undefined) return held(shown(own.path, ctx));
    const shared = changes.find((change) => places.shared.some((place) => reached(change, place)));
    return shared === undefined ? NOTHING : asked(shown(shared.path, ctx));
  },
};

/** Programs that may do anything with a file that they are told of. */
const INTERPRETERS =
  /(?:^|[\s/;&|("'`])(?:python[\d.]*|node|deno|bun|perl|ruby|php|lua|awk|gawk|osascript)(?=\s)/;

/** Whether a program of the agent's own is told the name of the session's record. */
function isRewritten(record: string, { command = '' }: ToolCall): boolean {
  return command.includes(basename(record)) && INTERPRETERS.test(command);
}

interface Change {
  readonly path: string;
  /** A directory is removed or moved with all that is in it. */
  readonly whole: boolean;
}

function changesBy(event: Event & { readonly call: ToolCall }, places: Places, ctx: Context): Change[] {
  const { call } = event;
  const base = isAbsolute(event.cwd) ? event.cwd : ctx.projectRoot;
  const changed = (path: string, whole = false): Change[] =>
    throughLinks(resolve(base, path), ctx).map((one) => ({ path: one, whole }));
  if (call.command !== undefined) {
    // Git and formatters find files by themselves; what they change of ours is seen afterwards.
    const watched = [...places.own, ...places.shared].filter((place) => existsSync(place));
    const { writes } = ctx.effects({ command: call.command, testCommands: [], watched, offline: true });
    return writes
      .filter(({ how }) => how !== 'git')
      .flatMap(({ path, how }) =>
        optionsOf(path).flatMap((option) =>
          option === undefined ? [] : changed(option, REMOVING.includes(how)),
        ),
      );
  }
  if (call.mcp !== undefined) {
    const { tool } = call.mcp;
    if (READING.test(tool)) return [];
    return possiblePaths(call.input).flatMap((text) => changed(text, MOVING.test(tool)));
  }
  return WRITING.includes(call.op) ? call.paths.flatMap((path) => changed(path)) : [];
}

/** A path as it is written, and where it leads. */
function throughLinks(path: string, ctx: Context): string[] {
  return [path, ctx.realPath(path)];
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
