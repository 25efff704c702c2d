import { type JsonObject, jsonObjectIn } from '../../../core/json';
import type { Operation } from '../../../core/tool-call';
import type { Facts } from '../facts';
import type { Finding, Rule } from '../finding';
import { personCommand } from '../flow-commands';
import { isStatePath } from '../place';
import { resultingText } from '../resulting-text';
import { activeWorkflow } from '../state';
import { faultOf } from '../state-faults';
import { stateWrite, storeOf } from '../state-writes';
import { suspicionsIn } from '../suspicions';
import * as say from '../write-messages';

/** The state is written by rules and commands. What a tool makes of it is judged; a shell's writes cannot be. */
export const stateWriteValidator: Rule = (facts) => {
  const { event, call } = facts;
  if (call === undefined) return undefined;
  if (event.kind === 'tool.before')
    return (call.op === 'shell' && (personFinding(facts) ?? shellFinding(facts))) || editFinding(facts);
  return event.kind === 'tool.after' && event.outcome !== 'failure' ? writtenFinding(facts) : undefined;
};

const WRITES: readonly Operation[] = ['write', 'edit', 'patch', 'delete'];

/** The state file that a tool writes, if it is one of this project. A command names paths only where it is a patch. */
export function targetOf({ call, root, place }: Pick<Facts, 'call' | 'root' | 'place'>): string | undefined {
  if (call === undefined || !(WRITES.includes(call.op) || call.op === 'shell')) return undefined;
  return call.paths.find((path) => path === place.file || (path.startsWith(`${root}/`) && isStatePath(path)));
}

/** The command itself looks for an agent in its environment, which a line may have emptied before. */
function personFinding({ call, commandLines, state }: Facts): Finding | undefined {
  if (activeWorkflow(state) === undefined) return undefined;
  const verb = personCommand(call?.command ?? '', commandLines);
  if (verb === undefined) return undefined;
  return {
    weight: 'deny',
    text: say.personOnly(verb),
    fact: `the command runs holdpoint flow ${verb}`,
    clear: `a person runs holdpoint flow ${verb}`,
  };
}

function shellFinding({ effects, call, root, git, state, unreadable }: Facts): Finding | undefined {
  if (effects === undefined || (state === undefined && unreadable === undefined)) return undefined;
  const write = stateWrite(effects, call?.command ?? '', storeOf({ projectRoot: root, git }));
  return write && unjudgeable(write.what, write.file);
}

function unjudgeable(what: string, file: string): Finding {
  return {
    weight: 'deny',
    text: say.unjudgedWrite(what, file),
    fact: `${what} writes ${file}`,
    clear: 'holdpoint flow status',
  };
}

function editFinding(facts: Facts): Finding | undefined {
  const { call, targetText, model } = facts;
  const file = targetOf(facts);
  if (call === undefined || file === undefined) return undefined;
  const isJudged = (call.op === 'write' || call.op === 'edit') && call.input['notebook_path'] === undefined;
  if (!isJudged) return unjudgeable(call.nativeName, file);
  const text = resultingText(call, targetText);
  if (text === undefined) return call.isInexact === true ? unjudgeable(call.nativeName, file) : undefined;
  const before = parsed(targetText);
  if (before === 'broken') {
    return { weight: 'ask', text: say.repairState(file), fact: `${file} cannot be read`, waive: 'a person' };
  }
  const after = parsed(text);
  const fault =
    after === 'broken' || after === undefined ? say.LEAVES_UNREADABLE : faultOf(model, before, after);
  if (fault === undefined) return undefined;
  return {
    weight: 'deny',
    text: say.stateWriteBlocked(file, fault),
    fact: `the write ${fault.what}`,
    clear: fault.how,
  };
}

/** A write that has happened: what it claims without ever having done it. */
function writtenFinding(facts: Facts): Finding | undefined {
  const file = targetOf(facts);
  const state = file === undefined ? undefined : parsed(facts.targetText);
  if (file === undefined || state === undefined || state === 'broken') return undefined;
  const found = suspicionsIn(state);
  const [first] = found;
  if (first === undefined) return undefined;
  return { weight: 'warn', text: say.suspiciousWrite(found, file), fact: `${first.phase}: ${first.issue}` };
}

function parsed(text: string | undefined): JsonObject | 'broken' | undefined {
  return text === undefined ? undefined : (jsonObjectIn(text) ?? 'broken');
}
