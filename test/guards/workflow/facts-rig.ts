import type { Event } from '../../../src/core/event';
import type { Context, FileFact } from '../../../src/core/guard';
import type { JsonObject } from '../../../src/core/json';
import { builtinModel } from '../../../src/guards/workflow/config/compile';
import { type Facts, factsOf } from '../../../src/guards/workflow/facts';
import type { WorkflowModel } from '../../../src/guards/workflow/model';
import { claudeCode } from '../../../src/hosts/claude-code/index';
import { commandLines, effectsOf } from '../../../src/shell';

export const MODEL = builtinModel();
export const NOW = Date.parse('2026-03-01T10:00:00.000Z');
const ROOT = '/r';

/** A document of the host as an event. */
export function eventOf(raw: JsonObject): Event {
  return claudeCode.parse({ session_id: 's', cwd: ROOT, ...raw }, NOW);
}

export function delegating(agent: string, prompt = 'go'): Event {
  const tool_input = { subagent_type: agent, prompt };
  return eventOf({ hook_event_name: 'PreToolUse', tool_name: 'Task', tool_input });
}

interface Surroundings {
  readonly files?: Readonly<Record<string, FileFact>>;
  readonly model?: WorkflowModel;
}

/** What the rules look at, for an event in a state; the plan is there unless the test says otherwise. */
export function factsFor(
  event: Event,
  state: JsonObject | undefined,
  { files = {}, model = MODEL }: Surroundings = {},
): Facts {
  return factsOf(event, model, contextFor(state, files));
}

/** A project at `/r` without git, with a state of the older program. */
export function contextFor(
  state: JsonObject | undefined,
  files: Readonly<Record<string, FileFact>> = {},
): Context {
  const known: Record<string, FileFact> = {
    '.isdlc': { kind: 'directory', mtimeMs: NOW },
    'docs/isdlc/tasks.md': { kind: 'file', size: 1, mtimeMs: NOW, text: 'x' },
    ...files,
  };
  return {
    now: NOW,
    decisionId: 'd-test',
    ancestors: () => [],
    answeringHooks: () => [],
    projectRoot: ROOT,
    home: '/home',
    git: undefined,
    pid: 1,
    refusedStops: { byGuard: {}, inRow: 0 },
    startedAt: () => undefined,
    stopLimit: 8,
    earlier: [],
    rules: [],
    gauntletCompat: false,
    env: () => '',
    document: () =>
      state === undefined ? { kind: 'missing' } : { kind: 'present', value: state, version: '1' },
    file: ({ path }) => known[path] ?? { kind: 'missing' },
    realPath: (path) => path,
    sessions: () => [],
    hostProcess: () => ({ pid: 0 }),
    client: () => ({ args: [], isAttended: false, isSender: false }),
    commandLines: (text) => commandLines(text, ROOT),
    effects: ({ command }) => effectsOf(command, { cwd: ROOT }),
    refs: () => undefined,
    moves: () => [],
    isIn: () => false,
    addsMerge: () => false,
    part: () => {
      throw new Error('no part of a guard is needed');
    },
    compile: () => {
      throw new Error('nothing is to be compiled');
    },
    defaultBranch: () => undefined,
    transcript: () => ({}),
    run: async () => null,
    change: () => undefined,
    trouble: () => undefined,
    armed: () => undefined,
    note: () => undefined,
    commands: () => undefined,
    asked: () => undefined,
    shadow: () => undefined,
    unknown: () => undefined,
  };
}

export function inPhase(type: string, phase: string, status = 'in_progress'): JsonObject {
  return { active_workflow: { type, current_phase: phase }, phases: { [phase]: { status } } };
}
