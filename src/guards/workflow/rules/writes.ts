import { isJsonObject, type JsonObject, jsonObjectIn } from '../../../core/json';
import type { Operation, ToolCall } from '../../../core/tool-call';
import { personCommand } from '../attempts';
import { type BranchWrite, branchWrite, type Guarded, guardedRepository } from '../branch-writes';
import { commandEffects, commandWords, type Facts, type Finding, type Rule } from '../facts';
import { isStatePath } from '../place';
import { activeWorkflow, isReviewNeeded } from '../state';
import { type Fault, faultOf, suspicionsIn } from '../state-faults';
import { stateWrite, storeOf } from '../state-writes';

/** While a workflow has a branch of its own, nothing is committed to a protected one. */
export const branchGuard: Rule = (facts) => {
  const branch = facts.workflow?.branch;
  const found = branch?.status === 'active' ? protectedWrite(facts) : undefined;
  if (branch === undefined || found === undefined) return undefined;
  const { what, branch: written, certainty } = found.write;
  const expected = branch.name ?? 'the branch of the workflow';
  const clear = `git switch ${branch.name ?? 'BRANCH'}`;
  if (certainty === 'unknown') {
    const command = what === 'git unknown' ? 'this git command' : `\`${what}\``;
    const target = written === '' ? 'a protected branch' : `'${written}'`;
    const text = [
      `Nobody can tell beforehand whether ${command} writes ${target}, which nothing does while a workflow is active.`,
      `Expected branch: ${expected}`,
    ].join('\n');
    const fact = `${what} may write ${written === '' ? 'a protected branch' : written}`;
    return { weight: 'ask', text, fact, clear };
  }
  const current = found.guarded.current ?? 'none';
  const next =
    current === expected
      ? `stay on '${expected}'; it may be merged when the workflow is finished`
      : `\`git switch ${expected}\`, then do it there`;
  const text = [
    `COMMIT TO MAIN BLOCKED: \`${what}\` would write '${written}', which is protected while a workflow is active.`,
    `Current branch: ${current}`,
    `Expected branch: ${expected}`,
    `Next: ${next}.`,
  ].join('\n');
  return { weight: 'deny', text, fact: `${what} writes ${written}`, clear };
};

/** The write to a protected branch that a command is about to make, or may make. */
export function protectedWrite(facts: Facts): { write: BranchWrite; guarded: Guarded } | undefined {
  const { event, call, ctx, model } = facts;
  if (event.kind !== 'tool.before' || call?.op !== 'shell' || ctx.git === undefined) return undefined;
  const known = { git: ctx.git, defaultBranch: ctx.defaultBranch() };
  const guarded = guardedRepository(known, model.protectedBranches);
  const effects = commandEffects(facts);
  const write = guarded && effects && branchWrite(effects, guarded);
  return write && { write, guarded };
}

/** A commit in a team without code review: somebody should look at it. */
export const reviewReminder: Rule = (facts) => {
  const { event, state } = facts;
  if (event.kind !== 'tool.after' || event.outcome === 'failure' || !isReviewNeeded(state)) return undefined;
  const isCommit = commandEffects(facts)?.git.some(
    ({ operation, dryRun }) => operation === 'commit' && !dryRun,
  );
  if (!isCommit) return undefined;
  const text =
    'This team has more than one member and code review is switched off. Have the commit reviewed before it is merged.';
  return { weight: 'warn', text, fact: 'a commit was made and code review is switched off' };
};

/** The state is written by rules and commands. What a tool makes of it is judged; a shell's writes cannot be. */
export const stateWriteValidator: Rule = (facts) => {
  const { event } = facts;
  if (event.kind === 'tool.before') return personFinding(facts) ?? shellFinding(facts) ?? editFinding(facts);
  const isDone = event.kind === 'tool.after' && event.outcome !== 'failure';
  return isDone ? suspicionFinding(facts) : undefined;
};

const PERSONS = {
  approve: 'approves a gate',
  suspend: 'suspends a workflow, since its rules rest then',
  cancel: 'cancels a workflow, since its rules end with it',
};

/** The command itself looks for an agent in its environment, which a line may have emptied before. */
function personFinding(facts: Facts): Finding | undefined {
  const { call, state } = facts;
  if (call?.op !== 'shell' || activeWorkflow(state) === undefined) return undefined;
  const verb = personCommand(call.command ?? '', commandWords(facts));
  if (verb === undefined) return undefined;
  return {
    weight: 'deny',
    text: [
      `STATE WRITE BLOCKED: \`holdpoint flow ${verb}\` is for a person only: nobody else ${PERSONS[verb]}.`,
      `Next: tell the person what is needed and why; they run \`holdpoint flow ${verb}\` in a terminal of their own.`,
    ].join('\n'),
    fact: `the command runs holdpoint flow ${verb}`,
    clear: `a person runs holdpoint flow ${verb}`,
  };
}

function shellFinding(facts: Facts): Finding | undefined {
  const { call, ctx, state, unreadable } = facts;
  const effects = state === undefined && unreadable === undefined ? undefined : commandEffects(facts);
  if (effects === undefined) return undefined;
  const write = stateWrite(effects, call?.command ?? '', storeOf(ctx.projectRoot, ctx.git));
  return write && unjudgeable(write.what, write.file);
}

function unjudgeable(what: string, file: string): Finding {
  return {
    weight: 'deny',
    text: [
      `STATE WRITE BLOCKED: \`${what}\` would write ${file}, and what it writes there cannot be judged.`,
      'Next: `holdpoint flow …` changes the state (begin, record, advance, redo); reading the file is free.',
    ].join('\n'),
    fact: `${what} writes ${file}`,
    clear: 'holdpoint flow status',
  };
}

const LARGEST_STATE = 4 * 1024 * 1024;
/** A command names paths only where it is a patch. */
const WRITES: readonly Operation[] = ['write', 'edit', 'patch', 'delete', 'shell'];

/** The state file of this project that a tool writes, with its present text. */
function stateTarget({ call, ctx, place }: Facts): { file: string; text: string | undefined } | undefined {
  if (call === undefined || !WRITES.includes(call.op)) return undefined;
  const file = call.paths.find(
    (path) => path === place.file || (path.startsWith(`${ctx.projectRoot}/`) && isStatePath(path)),
  );
  if (file === undefined) return undefined;
  const fact = ctx.file({ path: file, maxTextBytes: LARGEST_STATE });
  return { file, text: fact.kind === 'file' ? fact.text : undefined };
}

function editFinding(facts: Facts): Finding | undefined {
  const { call, model } = facts;
  const target = stateTarget(facts);
  if (call === undefined || target === undefined) return undefined;
  const { file, text: current } = target;
  const isJudged = (call.op === 'write' || call.op === 'edit') && call.input['notebook_path'] === undefined;
  if (!isJudged) return unjudgeable(call.nativeName, file);
  const text = resultingText(call, current);
  if (text === undefined) return call.isInexact === true ? unjudgeable(call.nativeName, file) : undefined;
  const before = parsed(current);
  if (before === 'broken') {
    const question = `${file} cannot be read, so nobody can tell what this write changes in it. A person should look at it first.`;
    return { weight: 'ask', text: question, fact: `${file} cannot be read`, waive: 'a person' };
  }
  const after = parsed(text);
  const fault = isJsonObject(after) ? faultOf(model, before, after) : LEAVES_UNREADABLE;
  if (fault === undefined) return undefined;
  const { what, how } = fault;
  return {
    weight: 'deny',
    text: [`STATE WRITE BLOCKED: this write to ${file} ${what}.`, `Next: ${how}.`].join('\n'),
    fact: `the write ${what}`,
    clear: how,
  };
}

const LEAVES_UNREADABLE: Fault = {
  what: 'would leave a file that is no JSON object',
  how: '`holdpoint flow …` changes the state',
};

/** What a file will hold after the tool has run; `undefined` where the tool will not get that far. */
function resultingText(call: ToolCall, current: string | undefined): string | undefined {
  if (call.op === 'write') return call.newText;
  const listed = call.input['edits'];
  const edits = Array.isArray(listed) ? listed.filter(isJsonObject) : [call.input];
  return edits.reduce<string | undefined>((text, edit) => {
    const { old_string: before, new_string: after, replace_all: all } = edit;
    if (typeof before !== 'string' || typeof after !== 'string' || !text?.includes(before)) return undefined;
    // As a function, so that no `$` in it means anything.
    return all === true ? text.replaceAll(before, () => after) : text.replace(before, () => after);
  }, current);
}

const SUSPICIONS_TOLD = 2;

/** A write that has happened: what it claims without ever having done it. */
function suspicionFinding(facts: Facts): Finding | undefined {
  const target = stateTarget(facts);
  const state = parsed(target?.text);
  const found = isJsonObject(state) ? suspicionsIn(state) : [];
  const [first] = found;
  if (target === undefined || first === undefined) return undefined;
  const told = found
    .slice(0, SUSPICIONS_TOLD)
    .map(({ phase, issue, rule }) => `  Phase: ${phase}\n  Issue: ${issue}\n  Rule: ${rule}`);
  const text = [
    '[state-write-validator] WARNING: Suspicious state.json write detected.',
    ...told,
    `  Path: ${target.file}`,
  ].join('\n');
  return { weight: 'warn', text, fact: `${first.phase}: ${first.issue}` };
}

function parsed(text: string | undefined): JsonObject | 'broken' | undefined {
  return text === undefined ? undefined : (jsonObjectIn(text) ?? 'broken');
}
