import { dirname, isAbsolute, join, resolve } from 'node:path';
import { HEARTBEATS, startProjectOf } from '../../state/sessions';
import { SHELLS, WRITING_OPERATIONS } from '../effect-kinds';
import { type Event, mcpToolOf, type ToolCall } from '../event';
import type { Context, Guard } from '../guard';
import { isBelow } from '../project-paths';
import { NOTHING, type Verdict } from '../verdict';

/** Files that only Holdpoint or only a person changes. A directory stands for everything in it. */
export type Places = {
  /** State, journal, caches and what starts the hook: no agent has any business there. */
  readonly own: readonly string[];
  /** Config and settings: an agent may change them if a person allows the call. */
  readonly shared: readonly string[];
};

export type ToolEvent = Event & { readonly call: ToolCall };

/** Protects the files that the rules depend on from the agents that they hold. */
export const guard: Guard<Places> = {
  name: 'own-files',
  isQuick: () => true,
  interest: () => [
    { kind: 'tool.before', tools: ['Edit', 'Write', 'MultiEdit', 'NotebookEdit', 'apply_patch', 'mcp__*'] },
    { kind: 'tool.before', tools: SHELLS, plain: false },
  ],
  async decide(event, given, ctx) {
    if (event.kind !== 'tool.before') return NOTHING;
    const { call, transcriptPath: record } = event;
    // The transcript proves that a person has approved something, so it is protected too.
    const places = record === undefined ? given : { ...given, own: [...given.own, record] };
    if (call.command !== undefined || mcpToolOf(call) !== undefined)
      return ctx.part('own-files-calls').decideCall(event, places, ctx);
    if (!WRITING_OPERATIONS.includes(call.op)) return NOTHING;
    const written = call.paths.flatMap((path) => pathsTo(path, false, event, places, ctx));
    return verdictOn(written, places, event, ctx) ?? NOTHING;
  },
};

/** A path that a call writes; `whole`: with everything in it, as when it is removed or moved. */
export interface Written {
  readonly path: string;
  readonly whole: boolean;
}

/** What reaching these paths means; `undefined` if none of our files is among them. */
export function verdictOn(
  written: readonly Written[],
  places: Places,
  event: ToolEvent,
  ctx: Context,
  isOther: (path: Written) => boolean = isLoopFile,
): Verdict | undefined {
  const found = written.filter((one) => !isUnusedCopy(one, event, ctx));
  for (const one of found) {
    const place = placeReached(one, places.own);
    if (place !== undefined) return held(one, place, ctx);
  }
  const shared = found.find((one) => placeReached(one, places.shared) !== undefined || isOther(one));
  return shared && asked(shown(shared.path, ctx), canAsk(event, ctx));
}

/** Whether all of a project is removed in which no session has begun, such as a clone for a trial. */
function isUnusedCopy({ path, whole }: Written, { sessionId }: Event, ctx: Context): boolean {
  const { projectRoot, git, home } = ctx;
  if (!whole || git === undefined || !isBelow(projectRoot, path) || !isBelow(git.commonDir, path))
    return false;
  const start = startProjectOf(home, sessionId);
  if (start === undefined || isBelow(start, path)) return false;
  return ctx.file({ path: join(git.commonDir, 'holdpoint', HEARTBEATS.path) }).kind === 'missing';
}

function placeReached({ path, whole }: Written, places: readonly string[]): string | undefined {
  // A lock that a killed git has left: git itself says to remove it.
  const isLock = path.endsWith('.lock');
  return places.find((place) => {
    if (isBelow(path, place)) return !(isLock && place.endsWith('/refs'));
    return whole && isBelow(place, path) && !place.includes('/node_modules/');
  });
}

/** In these modes the host shows no dialog, and an unattended session has nobody to see one. */
export function canAsk({ permissionMode }: Event, ctx: Context): boolean {
  if (ctx.env('CLAUDE_CODE_SESSION_ATTENDED') === '0') return false;
  return permissionMode === undefined || !['bypass', 'deny'].includes(permissionMode.canonical);
}

const LOOP_FILE = /\/(?:\.idle-disabled|\.(?:jwz|zawinski)\/messages\.jsonl|\.claude\/idle-loop\.local\.md)$/;
const LOOP_STORE = /\/\.(?:jwz|zawinski)$/;

/** The files of a loop count in any directory that the agent may go to, and in the git directory. */
export function isLoopFile({ path, whole }: Written): boolean {
  return LOOP_FILE.test(path) || (whole && LOOP_STORE.test(path));
}

/** A path that a call names, as written and behind links. */
export function pathsTo(text: string, whole: boolean, event: Event, places: Places, ctx: Context): Written[] {
  const base = isAbsolute(event.cwd) ? event.cwd : ctx.projectRoot;
  const all = [...places.own, ...places.shared];
  const path = resolve(base, text.replace(/^file:\/\//, ''));
  return pathsBehindLinks(path, all, ctx).map((one) => ({ path: one, whole }));
}

/** A path as written, its target, and other hard links to it among the places. */
function pathsBehindLinks(path: string, places: readonly string[], ctx: Context): string[] {
  const linkedAs = (one: string): string | undefined => {
    const file = ctx.file({ path: one, linksOnly: true });
    return file.kind === 'file' ? file.linked : undefined;
  };
  const linked = linkedAs(path);
  const others = linked === undefined ? [] : places.filter((place) => linkedAs(place) === linked);
  return [path, ctx.realPath(path), ...others];
}

function shown(path: string, { projectRoot, home }: Context): string {
  if (path !== projectRoot && isBelow(path, projectRoot)) return path.slice(projectRoot.length + 1);
  return isBelow(path, home) ? join('~', path.slice(home.length)) : path;
}

const PERSON_ONLY = 'Only a person can change it, outside of the agent.';

/** The files of the gates among our own. They are in the directory of their logs. */
const GATES_FILE = /\/\.(?:execution_state|gauntlet-run\.lock)$/;
const CLEANS_LOGS =
  '`holdpoint gates clean` archives the logs of the gates; after a failure only a person can run it.';

/** For files that no agent may write; `place` is the one of them that the call reaches. */
export function held({ path }: Written, place: string, ctx: Context): Verdict {
  const isAround = path !== place && isBelow(place, path);
  const fact = `${shown(path, ctx)} ${isAround ? 'contains' : 'is'} what Holdpoint relies on, and the call would change it.`;
  const clear = GATES_FILE.test(place) && isBelow(path, dirname(place)) ? 'holdpoint gates clean' : undefined;
  const next =
    clear === undefined
      ? 'Leave it as it is. If it has to change, tell the user: only a person can do that, in their own terminal.'
      : CLEANS_LOGS;
  const reason = `Held by Holdpoint: ${fact}\n${next}`;
  return {
    kind: 'deny',
    reason,
    grounds: [{ rule: 'own files', fact, ...(clear && { clear }), waive: PERSON_ONLY }],
  };
}

/** For files that an agent may write if a person allows it; held if the host cannot ask anybody. */
export function asked(file: string, canAsk: boolean): Verdict {
  const rule = 'config and settings';
  if (canAsk) {
    const fact = `${file} decides what Holdpoint holds, and the agent wants to change it.`;
    const reason = `Holdpoint: ${fact}`;
    return { kind: 'ask', reason, grounds: [{ rule, fact, waive: 'A person says yes to the call.' }] };
  }
  const fact = `${file} decides what Holdpoint holds, and there is nobody to ask in this session.`;
  const reason = `Held by Holdpoint: ${fact}\nTell the user what you want to change; they can do it themselves.`;
  return { kind: 'deny', reason, grounds: [{ rule, fact, waive: PERSON_ONLY }] };
}
