import { join } from 'node:path';
import type { Guard } from '../../../src/core/guard';
import type { JsonObject } from '../../../src/core/json';
import { guard as rules } from '../../../src/guards/rules/index';
import { makeRig, preTool, type Rig, realChunks, spoken, stopEvent } from '../../core/rig';

/** What the host is told: the kind of the answer, and its words. */
export interface Heard {
  readonly kind: 'hold' | 'ask' | 'advise' | 'nothing';
  readonly text: string;
}

/** A project with one built-in rule, and the whole pipeline in front of it. */
export interface RuleRig extends Rig {
  heard(document: JsonObject): Promise<Heard>;
  /** A tool call that ran, told before and after. */
  did(tool: string, input: JsonObject, session?: string): Promise<void>;
  path(name: string): string;
}

let calls = 0;

export function ruleRig(rule: string): RuleRig {
  const chunks = {
    ...realChunks,
    guard: (name: string) =>
      name === 'rules' ? (rules as unknown as Guard) : realChunks.guard(name as never),
  };
  const rig = makeRig(chunks);
  rig.write('.holdpoint/config.yaml', `rules: {${rule}: {}}\n`);
  const path = (name: string): string => join(rig.root, name);
  return {
    ...rig,
    path,
    heard: async (document) => {
      const answer = await rig.send({ ...document, tool_use_id: `call-${calls++}` });
      if (answer.stderr !== '') throw new Error(answer.stderr);
      return heardIn(spoken(answer));
    },
    did: async (tool, input, session) => {
      const { stderr } = await rig.send({
        ...preTool(tool, input),
        hook_event_name: 'PostToolUse',
        tool_use_id: `call-${calls++}`,
        tool_response: { stdout: '' },
        ...(session !== undefined && { session_id: session }),
      });
      if (stderr !== '') throw new Error(stderr);
    },
  };
}

function heardIn(document: JsonObject): Heard {
  const said = (document['hookSpecificOutput'] ?? {}) as JsonObject;
  const reason = String(said['permissionDecisionReason'] ?? document['reason'] ?? '');
  if (said['permissionDecision'] === 'deny' || document['decision'] === 'block')
    return { kind: 'hold', text: reason };
  if (said['permissionDecision'] === 'ask') return { kind: 'ask', text: reason };
  const advice = said['additionalContext'];
  return typeof advice === 'string' ? { kind: 'advise', text: advice } : { kind: 'nothing', text: '' };
}

export const bash = (command: string): JsonObject => preTool('Bash', { command });
export const write = (file_path: string, content: string): JsonObject =>
  preTool('Write', { file_path, content });
export const edit = (file_path: string, old_string: string, new_string: string): JsonObject =>
  preTool('Edit', { file_path, old_string, new_string });
export const stop = (): JsonObject => stopEvent();
