import { basename, dirname, join } from 'node:path';
import { isDeepStrictEqual } from 'node:util';
import { listAt, numberAt, objectAt, textAt, valueAt } from '../../../config/pointer';
import type { Effects, FileWrite, UnknownEffect } from '../../../core/command-effects';
import { WRITING_OPERATIONS } from '../../../core/effect-kinds';
import { editedText } from '../../../core/event';
import type { Context } from '../../../core/guard';
import { isJsonObject, type Json, type JsonObject, jsonObjectIn } from '../../../core/json';
import { isChanging } from '../../../core/own-files/calls';
import { isBelow } from '../../../core/project-paths';
import { expandBraces, isGlob, matchesPath } from '../../../core/text';
import { commandEffects, type Facts, type Finding, holdFinding, holdHeading, type Rule } from '../facts';
import { missingFor } from '../gate';
import { isSamePhase, requirementsOf, type WorkflowModel, workflowNamed } from '../model';
import { ABSENT_PATH } from '../phase-requirements';
import { ISDLC_DIR, isStatePath, usesIsdlcDir } from '../place';
import {
  type ActiveWorkflow,
  activeWorkflow,
  EVIDENCE,
  evidencePath,
  isEnforced,
  phaseRecords,
  skillEnforcement,
} from '../state';

/** Only rules and commands write the state. The result of a tool's edit is checked; a shell's cannot be. */
export const stateWriteValidator: Rule = (facts) => {
  const { event } = facts;
  if (event.kind === 'tool.before') return shellFinding(facts) ?? editFinding(facts);
  const isDone = event.kind === 'tool.after' && event.outcome !== 'failure';
  return isDone ? suspicionFinding(facts) : undefined;
};

function heading(facts: Facts): string {
  return holdHeading(facts, 'state-write-validator', 'STATE WRITE BLOCKED');
}

function shellFinding(facts: Facts): Finding | undefined {
  const { call, ctx, place, state, unreadable } = facts;
  // In iSDLC's directory, a first state could come with the rules switched off.
  const isKept = state !== undefined || unreadable !== undefined || usesIsdlcDir(place);
  const effects = isKept ? commandEffects(facts) : undefined;
  if (effects === undefined) return undefined;
  const write = stateWrite(effects, call?.command ?? '', stateDirs(ctx.projectRoot, ctx.realPath));
  return write && unjudgeable(facts, write.what, write.file);
}

function unjudgeable(facts: Facts, what: string, file: string): Finding {
  return holdFinding(
    `${what} writes ${file}`,
    'holdpoint flow status',
    `${heading(facts)} ${what} would write to ${file}, and its result cannot be checked beforehand.`,
    'Next: change the state with `holdpoint flow` (begin, record, advance, redo), or leave the file out of the command, as `git clean -e .isdlc` does. Reading it is allowed.',
  );
}

const LARGEST_STATE = 4 * 1024 * 1024;
/** The state file of iSDLC that a tool writes in this project, with its current text. */
function stateTarget({ call, ctx, place }: Facts): { file: string; text: string | undefined } | undefined {
  if (call === undefined || !WRITING_OPERATIONS.includes(call.op)) return undefined;
  const state = usesIsdlcDir(place) ? ctx.realPath(place.file) : undefined;
  const file = call.paths
    .flatMap((path) => [path, ctx.realPath(path)])
    .find((path) => path === state || (path.startsWith(`${ctx.projectRoot}/`) && isStatePath(path)));
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
  if (!isJudged) return unjudgeable(facts, call.nativeName, file);
  const text = call.op === 'write' ? call.newText : editedText(call.input, current);
  if (text === undefined)
    return call.isInexact === true ? unjudgeable(facts, call.nativeName, file) : undefined;
  const before = parsed(current);
  if (before === 'broken') {
    const question = `${file} is not valid JSON, so Holdpoint cannot tell what this write changes.`;
    return { weight: 'ask', text: question, fact: `${file} cannot be read`, waive: 'a person' };
  }
  const after = parsed(text);
  const fault = isJsonObject(after)
    ? findFault(model, before, after)
    : { what: 'does not leave a JSON object', how: 'change the state with `holdpoint flow`' };
  if (fault === undefined) return undefined;
  const { what, how } = fault;
  const told = `${heading(facts)} this write to ${file} ${what}.`;
  return holdFinding(`the write ${what}`, how, told, `Next: ${how}.`);
}

const SUSPICIONS_TOLD = 2;

/** After a write: warns about claims of work that was never done. */
function suspicionFinding(facts: Facts): Finding | undefined {
  const target = stateTarget(facts);
  const state = parsed(target?.text);
  const found = isJsonObject(state) ? suspicionsIn(state) : [];
  const [first] = found;
  if (target === undefined || first === undefined) return undefined;
  const told = found
    .slice(0, SUSPICIONS_TOLD)
    .map(({ phase, issue, rule }) => `  Phase: ${phase}\n  Issue: ${issue}\n  Rule: ${rule}\n`);
  const others = found.slice(SUSPICIONS_TOLD).map(({ phase, issue }) => `  Also: ${phase}: ${issue}\n`);
  const title = '[state-write-validator] WARNING: Suspicious state.json write detected.';
  const text = `${title}\n${[...told, ...others].join('')}  Path: ${target.file}`;
  return { weight: 'warn', text, fact: `${first.phase}: ${first.issue}` };
}

function parsed(text: string | undefined): JsonObject | 'broken' | undefined {
  return text === undefined ? undefined : (jsonObjectIn(text) ?? 'broken');
}

type State = JsonObject | undefined;

/** What a write to the state does that an agent may not do, and what to do instead. */
function fault(what: string, how: string) {
  return { what, how };
}

type Fault = ReturnType<typeof fault>;

/** The first change in a new state that an agent may not make by writing the file. */
export function findFault(model: WorkflowModel, before: State, after: JsonObject): Fault | undefined {
  return (
    switchOffFault(before, after) ??
    markFault(before, after) ??
    claimFault(model, before, after) ??
    moveFault(model, before, after) ??
    restartFault(before, after)
  );
}

function switchOffFault(before: State, after: JsonObject): Fault | undefined {
  const how = 'a person can switch rules off in the config';
  if (isEnforced(before) && !isEnforced(after)) return fault('switches the iteration rules off', how);
  const isOff = skillEnforcement(before).enabled && !skillEnforcement(after).enabled;
  return isOff ? fault('switches skill enforcement off', how) : undefined;
}

/** Approvals, and the time from which evidence counts, are changed by commands only. */
function markFault(before: State, after: JsonObject): Fault | undefined {
  const shelf = ['suspended_workflows'];
  // Shelved workflows come back with their approvals, so nothing may be slipped in there either.
  const isShelfChanged = !isDeepStrictEqual(valueAt(before, shelf), valueAt(after, shelf));
  const [known = [], approved = []] = [before, after].map((state) =>
    approvedEscalations(state?.['phases'], ''),
  );
  const isApproved = approved.some((path) => !known.includes(path));
  if (isMarkChanged('gate_approval', before, after) || isApproved || isShelfChanged)
    return fault('changes an approval', 'a person can run `holdpoint flow approve GATE`');
  const how = 'run `holdpoint flow redo` or `holdpoint flow rollback`, which set it';
  const isMoved = isMarkChanged('evidence_since', before, after);
  if (isMoved) return fault('changes the time from which evidence counts', how);
  const isTaken = activeWorkflow(after) !== undefined;
  return isTaken && !isDeepStrictEqual(valueAt(before, ABSENT_PATH), valueAt(after, ABSENT_PATH))
    ? fault(
        'changes the list of what the project lacks',
        '`holdpoint flow start` and `flow begin` find that out',
      )
    : undefined;
}

/** If no workflow was active, marks of an earlier one may be removed, but none added. */
function isMarkChanged(key: string, before: State, after: JsonObject): boolean {
  const mayGo = activeWorkflow(before) === undefined;
  return [...phaseRecords(before), ...phaseRecords(after)].some(([phase]) => {
    const path = ['phases', phase, key];
    const next = valueAt(after, path);
    return !isDeepStrictEqual(valueAt(before, path), next) && !(mayGo && next === undefined);
  });
}

function approvedEscalations(value: Json | undefined, path: string): string[] {
  if (!isJsonObject(value)) return [];
  return Object.entries(value).flatMap(([key, member]) => {
    const here = `${path}/${key}`;
    return key === 'escalation_approved' && member === true ? [here] : approvedEscalations(member, here);
  });
}

/** The kinds of evidence, each with its counter, the rule that doubts it, and how to get it properly. */
const CLAIMS = [
  {
    kind: 'tests',
    count: 'current_iteration',
    rule: 'V3',
    what: 'how the tests of',
    how: 'run the tests, and the result is recorded',
  },
  {
    kind: 'elicitation',
    count: 'menu_interactions',
    rule: 'V2',
    what: 'how the elicitation of',
    how: 'ask the user, then run `holdpoint flow record elicitation --final save`',
  },
  {
    kind: 'constitution',
    count: 'iterations_used',
    rule: 'V1',
    what: 'how the constitution check of',
    how: 'check the articles, then run `holdpoint flow record constitution --articles I,II,…`',
  },
] as const;

/** Evidence and delegations are recorded by the hook; the agent may not write them. */
function claimFault(model: WorkflowModel, before: State, after: JsonObject): Fault | undefined {
  const isOn = activeWorkflow(before) !== undefined && activeWorkflow(after) !== undefined;
  // In an active workflow records may not be removed either: that would reset the circuit breaker.
  const phases = [...phaseRecords(after), ...(isOn ? phaseRecords(before) : [])].map(([name]) => name);
  for (const { kind, what, how } of CLAIMS) {
    const phase = phases.find((name) => {
      const path = evidencePath(name, kind);
      const [known, claim] = [before, after].map((state) => objectAt(state, path));
      if (isDeepStrictEqual(known, claim) || (claim === undefined && !isOn)) return false;
      const asked = requirementsOf(model, activeWorkflow(after)?.type, name);
      const most = kind === 'elicitation' ? undefined : asked[kind]?.maxIterations;
      return !(isBlank(known, most) && isBlank(claim, most));
    });
    if (phase !== undefined) return fault(`claims ${what} ${phase} went`, how);
  }
  const limits = [before, after].map((state) => valueAt(state, ['iteration_config']));
  if (isOn && !isDeepStrictEqual(limits[0], limits[1]))
    return fault('changes the iteration limits', 'a person can change `iteration_config` between workflows');
  const [known, log] = [before, after].map((state) =>
    listAt(state, ['skill_usage_log']).map((entry) => JSON.stringify(entry)),
  );
  const isNew = log?.some((entry) => !known?.includes(entry));
  if (isNew) return fault('claims a delegation', 'delegate, and it is recorded');
  const owed = objectAt(before, ['pending_delegation']);
  if (owed === undefined || isDeepStrictEqual(owed, after['pending_delegation'])) return undefined;
  const agent = textAt(owed, 'required_agent') ?? 'an agent';
  return fault(`changes the delegation to ${agent} that a skill requires`, 'delegate, and it is cleared');
}

/** Members of an evidence record that claim nothing, whatever their value. */
const PLAIN_MEMBERS = /^(?:required|max_.*|.*_required|started_at|phase|notes?)$/;
const OPEN_STATUS = ['pending', 'in_progress', 'iterating', 'not_started'];

/** A record that is only opened: nothing counted, listed, decided or completed, and no limit above `most`. */
function isBlank(record: State, most = Number.POSITIVE_INFINITY): boolean {
  if ((numberAt(record, 'max_iterations') ?? 0) > most) return false;
  return Object.entries(record ?? {}).every(([key, value]) => {
    if (PLAIN_MEMBERS.test(key) || !value) return true;
    if (key === 'status') return OPEN_STATUS.includes(String(value));
    return typeof value === 'object' && Object.keys(value).length === 0;
  });
}

const CANCEL = 'a person can run `holdpoint flow cancel --reason TEXT`';

/** A write may move the workflow only where its gates would let it go. */
function moveFault(model: WorkflowModel, before: State, after: JsonObject): Fault | undefined {
  const old = activeWorkflow(before);
  const next = activeWorkflow(after);
  if (old === undefined) return undefined;
  const phases = phasesIn(model, old);
  // After the last gate, or without a phase, there is nothing left to hold.
  const isOpen =
    old.phase === undefined || missingFor({ model, state: before, phase: old.phase }).length === 0;
  const mayEnd = isOpen && [undefined, phases.at(-1)].includes(old.phase);
  if (next === undefined || next.type !== old.type)
    return mayEnd ? undefined : fault('ends the workflow', CANCEL);
  if (!isDeepStrictEqual(phases, phasesIn(model, next)))
    return fault('changes the phases of the workflow', CANCEL);
  if (old.phase === undefined) return undefined;
  if (next.suspended && !old.suspended)
    return fault('suspends the workflow', 'a person can run `holdpoint flow suspend`');
  const hasBranch = old.branch?.status === 'active';
  if (hasBranch && !isDeepStrictEqual(old.branch, next.branch) && !mayEnd)
    return fault('gives up the branch', CANCEL);
  if (next.phase === undefined) return fault('removes the current phase', '`holdpoint flow status` shows it');
  if (isSamePhase(model, old.phase, next.phase)) return undefined;
  return movedPhase(phases, old.phase, next.phase, isOpen);
}

/** Delegations from before the start belong to another workflow, and so does an older plan. */
function restartFault(before: State, after: JsonObject): Fault | undefined {
  const [old, next] = [activeWorkflow(before), activeWorkflow(after)];
  if (old?.startedAt === undefined || next === undefined || next.type !== old.type) return undefined;
  return next.startedAt === old.startedAt
    ? undefined
    : fault('changes when the workflow was started', 'leave `started_at` as it is');
}

function movedPhase(phases: readonly string[], from: string, to: string, isOpen: boolean): Fault | undefined {
  const [at, next] = [phases.indexOf(from), phases.indexOf(to)];
  if (next >= 0 && next < at) return fault(`goes back to ${to}`, `run \`holdpoint flow rollback ${to}\``);
  if (isOpen && (at < 0 || next === at + 1)) return undefined;
  return fault(`moves on to ${to} before the gate of ${from} is passed`, 'run `holdpoint flow advance`');
}

function phasesIn(model: WorkflowModel, workflow: ActiveWorkflow): readonly string[] {
  return workflow.phases.length > 0 ? workflow.phases : (workflowNamed(model, workflow.type)?.phases ?? []);
}

/** Claims without any work behind them: completed after not a single iteration. */
export function suspicionsIn(state: JsonObject) {
  return phaseRecords(state).flatMap(([phase, record]) =>
    CLAIMS.flatMap(({ kind, count, rule }) => {
      const claim = objectAt(record, EVIDENCE[kind]);
      if (claim?.['completed'] !== true || (numberAt(claim, count) ?? 0) >= 1) return [];
      const value = claim[count];
      const found = value === undefined ? 'undefined (missing)' : JSON.stringify(value);
      return [{ phase, issue: `${EVIDENCE[kind].at(-1)}.completed is true but ${count} is ${found}`, rule }];
    }),
  );
}

type StateDirs = ReturnType<typeof stateDirs>;

/** iSDLC's directory, in which no command may write a state. Our own files are protected from any write. */
export function stateDirs(projectRoot: string, realPath: Context['realPath']) {
  const dir = `${projectRoot}/${ISDLC_DIR}`;
  return { dirs: [...new Set([dir, realPath(dir)])], file: realPath(`${dir}/state.json`), realPath };
}

/**
 * The first write to the state in a line: by a word that names the file, or by a program that writes it. The
 * new content is unknown before the command runs, so none is allowed.
 */
export function stateWrite(effects: Effects, command: string, store: StateDirs) {
  for (const write of effects.writes) {
    const file = writtenFile(write, command, store);
    if (file !== undefined) return { what: 'this command', file };
  }
  for (const unknown of effects.unknown) {
    const file = fileInCode(unknown, command);
    if (file !== undefined) return { what: `\`${unknown.text.split(/\s/, 1)[0] ?? ''}\``, file };
  }
  return undefined;
}

/** These replace or remove a symlink itself; all others write to its target. */
const ON_LINKS = 'rm mv ln install sed-i perl-i git archive'.split(' ');

function writtenFile(write: FileWrite, command: string, store: StateDirs): string | undefined {
  const { realPath } = store;
  const paths = write.path;
  // Formatting a directory keeps what its files say; any program may be told to `--write` a file that is named.
  const isFormat = write.how === 'format';
  for (const path of paths) {
    if (path === undefined) return !isFormat && isLikeState(write, command) ? ISDLC_STATE_FILE : undefined;
    const real = ON_LINKS.includes(write.how)
      ? join(realPath(dirname(path)), basename(path))
      : realPath(path);
    const isHit = (one: string): boolean =>
      isState(one, store) || (!isFormat && paths.length === 1 && coversState(one, write.how, store));
    if (isHit(path)) return path;
    if (isHit(real)) return real;
  }
  return undefined;
}

function isState(path: string, { dirs, file }: StateDirs): boolean {
  const isIn = (dir: string): boolean =>
    isBelow(path, dir) && /^\/(?:projects\/[^/]+\/)?state\.json$/.test(path.slice(dir.length));
  return path === file || dirs.some(isIn);
}

/**
 * A directory includes its contents. Removing one removes the state however far below it is; other writes
 * count only for the state's own directory: if they reach the state, the effects list its own path.
 */
function coversState(path: string, how: FileWrite['how'], { dirs }: StateDirs): boolean {
  if ((how === 'rm' || how === 'mv') && dirs.some((dir) => isBelow(dir, path))) return true;
  if (how === 'mkdir' || how === 'touch') return false;
  return dirs.some(
    (dir) => isBelow(path, dir) && /^(?:\/projects(?:\/[^/]+)?)?$/.test(path.slice(dir.length)),
  );
}

const ISDLC_STATE_FILE = '.isdlc/state.json';

/** Whether the text of an unknown path looks like the state's. */
function isLikeState({ text }: FileWrite, command: string): boolean {
  const bare = text.replace(/["']/g, '');
  if (/\.isdlc\b.*state\.json$/.test(bare)) return true;
  // Files that `find` or `xargs` passes on: only the rest of the line shows which.
  if (['{}', '…', 'find -delete'].includes(bare) && /\.isdlc(?!\/config)/.test(command)) return true;
  // `*` matches neither a slash nor a leading dot.
  const glob = bare.replace(/^\.\/|^.*\/(?=\.isdlc)/, '');
  const matches = (one: string): boolean =>
    (one.startsWith('.') || command.includes('dotglob')) &&
    [ISDLC_STATE_FILE, ISDLC_DIR].some((name) => matchesPath(one, name));
  return isGlob(glob) && expandBraces([glob]).some(matches);
}

/** Code by which the usual languages write files. */
const WRITING =
  /write|dump\(|unlink|rename|remove|rmSync|rmtree|copy|truncate|append|\breplace\(|\bmove\(|\bsave|put_contents|File\.(?:delete|open)|open\([^)]*,\s*["'](?:[wax]|r\+)|mode\s*=\s*["'][wax]|\b(?:rm|cp|mv|tee)\s|>|sed -i/;
/** An arrow, a comparison, and discarded output: none of them writes a file. */
const NO_WRITING = /[=-]>|>=|\d?>\s*(?:&\d|\/dev\/null)/g;

/** Code that may write in ways of its own, or in another language. */
const STARTS_OTHERS = /exec|eval|spawn|system|popen|subprocess|base64|['"]r\+|\bos\./;

function fileInCode({ kind, text }: UnknownEffect, command: string): string | undefined {
  if (kind === 'program') return undefined;
  // An interpreter without code in its arguments reads it from the pipe, so look at the whole line.
  const code = /^\S+(?:\s+-)?$/.test(text) && command.includes('|') ? command : text;
  const isProgram = /^(?:\S*\/)?(?:python[\d.]*|node|deno|bun)\s/.test(code) && !STARTS_OTHERS.test(code);
  const isWriting = isProgram ? isChanging(code) : WRITING.test(code.replace(NO_WRITING, ''));
  if (!isWriting) return undefined;
  // The path may be joined from parts: `join('.isdlc', 'state.json')`.
  if (code.includes('.isdlc') && code.includes('state.json')) return ISDLC_STATE_FILE;
  return code.includes('holdpoint') && code.includes('workflow.json') ? 'holdpoint/workflow.json' : undefined;
}
