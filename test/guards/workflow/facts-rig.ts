import type { Event } from '../../../src/core/event';
import type { JsonObject } from '../../../src/core/json';
import type { FileFact, Snapshot } from '../../../src/core/snapshot';
import { builtinModel } from '../../../src/guards/workflow/config/builtin-model';
import { type Facts, factsOf } from '../../../src/guards/workflow/facts';
import type { WorkflowModel } from '../../../src/guards/workflow/model';
import { parse } from '../../../src/hosts/claude-code/parse';

export const MODEL = builtinModel();
export const NOW = Date.parse('2026-03-01T10:00:00.000Z');
const ROOT = '/r';

/** A document of the host as an event. */
export function eventOf(raw: JsonObject): Event {
  return parse({ session_id: 's', cwd: ROOT, ...raw }, NOW);
}

export function delegating(agent: string, prompt = 'go'): Event {
  const tool_input = { subagent_type: agent, prompt };
  return eventOf({ hook_event_name: 'PreToolUse', tool_name: 'Task', tool_input });
}

/** What the rules look at, for an event in a state; the plan is there unless somebody says otherwise. */
export function factsFor(
  event: Event,
  state: JsonObject | undefined,
  { files = {}, model = MODEL }: { files?: Record<string, FileFact>; model?: WorkflowModel } = {},
): Facts {
  const plan: FileFact = { kind: 'file', size: 1, mtimeMs: NOW, text: 'x' };
  const known: Record<string, FileFact> = {
    '.isdlc': { kind: 'directory', mtimeMs: NOW },
    'docs/isdlc/tasks.md': plan,
    ...files,
  };
  const snapshot: Snapshot = {
    now: NOW,
    projectRoot: ROOT,
    home: '/home',
    git: undefined,
    env: {},
    documents: new Map(
      state === undefined
        ? []
        : [['project:.isdlc/state.json', { kind: 'present', value: state, version: '1' }]],
    ),
    files: new Map(Object.entries(known)),
    sessions: [],
    hostProcess: { pid: 0 },
    pid: 1,
    refusedStops: { byGuard: {}, inRow: 0 },
    stopLimit: 8,
  };
  return factsOf(event, model, snapshot);
}

export function inPhase(type: string, phase: string, status = 'in_progress'): JsonObject {
  return { active_workflow: { type, current_phase: phase }, phases: { [phase]: { status } } };
}
