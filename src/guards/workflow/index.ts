import type { Event } from '../../core/event';
import { fromSnapshots } from '../../core/old-guard';
import type { FileAsk, Needs, Snapshot } from '../../core/snapshot';
import type { ToolCall } from '../../core/tool-call';
import { decide } from './decide';
import { type Facts, factsOf } from './facts';
import { interest } from './interest';
import type { WorkflowModel } from './model';
import { PROJECT_VARIABLE, SEED_DIR } from './place';
import { PLAN_BYTES, planFiles } from './plan';
import { MODEL_VARIABLE } from './rules/model-provider-router';
import { targetOf } from './rules/state-write-validator';
import { isReviewNeeded } from './state';

/** Hold work to its order: phases, who does each, what must have been shown, which branch it touches. */
export const guard = fromSnapshots<WorkflowModel>({
  name: 'workflow',
  interest,
  needs,
  decide,
});

const LARGEST_STATE = 4 * 1024 * 1024;

/** First where the state is, then the state, and from it what the rules will ask about. */
function needs(event: Event, model: WorkflowModel, known: Snapshot): Needs {
  const env = [...(model.projects === undefined ? [] : [PROJECT_VARIABLE]), ...routing(event, model)];
  const base: Needs = { files: [{ path: SEED_DIR }], env };
  if (!known.files.has(SEED_DIR)) return base;
  const facts = factsOf(event, model, known);
  const { call } = facts;
  return {
    ...base,
    documents: [facts.place.document],
    files: [{ path: SEED_DIR }, ...filesFor(facts)],
    ...(call?.command !== undefined && commandNeeds(facts, call, call.command)),
  };
}

function routing({ kind }: Event, { rules }: WorkflowModel): string[] {
  return kind === 'tool.before' && rules['model-provider-router'].mode !== 'disabled' ? [MODEL_VARIABLE] : [];
}

/** The plan, where it may be asked for; the state file that a tool writes. */
function filesFor(facts: Facts): FileAsk[] {
  const { model, place, delegation, workflow } = facts;
  const target = targetOf(facts);
  if (target !== undefined) return [{ path: target, maxTextBytes: LARGEST_STATE }];
  if (delegation.kind !== 'phase' || workflow === undefined) return [];
  return planFiles(model, place.project).map((path) => ({ path, maxTextBytes: PLAN_BYTES }));
}

/** Without state there is nothing to guard; after a command, only what somebody keeps is of interest. */
function commandNeeds(facts: Facts, call: ToolCall, command: string): Needs {
  const { event, model, workflow, state, unreadable } = facts;
  if (call.op !== 'shell' || (state === undefined && unreadable === undefined)) return {};
  const effects = { command, testCommands: model.testCommands };
  if (event.kind === 'tool.before') return { command, effects };
  return workflow !== undefined || unreadable !== undefined || isReviewNeeded(state) ? { effects } : {};
}
