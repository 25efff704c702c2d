import { type Effects, type FileWrite, optionsOf, type UnknownEffect } from '../../../core/command-effects';
import type { Operation, ToolCall } from '../../../core/event';
import type { GitHead } from '../../../core/git-head';
import { globMatches } from '../../../core/glob';
import { isJsonObject, type JsonObject, jsonObjectIn } from '../../../core/json';
import { personCommand } from '../attempts';
import { commandEffects, commandWords, type Facts, type Finding, type Rule } from '../facts';
import { isStatePath } from '../place';
import { activeWorkflow } from '../state';
import { faultOf, suspicionsIn } from '../state-faults';

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
  const fault = isJsonObject(after)
    ? faultOf(model, before, after)
    : { what: 'would leave a file that is no JSON object', how: '`holdpoint flow …` changes the state' };
  if (fault === undefined) return undefined;
  const { what, how } = fault;
  return {
    weight: 'deny',
    text: [`STATE WRITE BLOCKED: this write to ${file} ${what}.`, `Next: ${how}.`].join('\n'),
    fact: `the write ${what}`,
    clear: how,
  };
}

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

/** The directories of the state, absolute, which no command of an agent may write. */
type Store = {
  /** Where the older program keeps the state. */
  readonly seed: string;
  readonly own: string | undefined;
};

/** Where a project's state is protected. */
export function storeOf(projectRoot: string, git: GitHead | undefined): Store {
  return { seed: `${projectRoot}/.isdlc`, own: git && `${git.commonDir}/holdpoint` };
}

/**
 * The first write to the state that a line brings, by the word that names the file or by the program that does it.
 * What is written cannot be told from a line, so none is allowed.
 */
export function stateWrite(effects: Effects, command: string, store: Store) {
  for (const write of effects.writes) {
    const file = writtenFile(write, command, store);
    if (file !== undefined) return { what: write.text === '' ? write.how : write.text, file };
  }
  for (const unknown of effects.unknown) {
    const file = fileInCode(unknown, command);
    if (file !== undefined) return { what: unknown.text.split(/\s/, 1)[0] ?? '', file };
  }
  return undefined;
}

function writtenFile(write: FileWrite, command: string, store: Store): string | undefined {
  const paths = optionsOf(write.path);
  for (const path of paths) {
    if (path === undefined) return hintedFile(write, command);
    if (isState(path, store) || (paths.length === 1 && coversState(path, write.how, store))) return path;
  }
  return undefined;
}

function isState(path: string, { seed, own }: Store): boolean {
  if (own !== undefined && isWithin(own, path) && path !== own) return true;
  return isWithin(seed, path) && /^\/(?:projects\/[^/]+\/)?state\.json$/.test(path.slice(seed.length));
}

/**
 * A directory stands for what is in it. Removing one takes the state with it however far above it is;
 * anything else is taken to mean the state only where the directory is the state's own, since every
 * archive is unpacked somewhere above it.
 */
function coversState(path: string, how: FileWrite['how'], { seed, own }: Store): boolean {
  const places = own === undefined ? [seed] : [seed, own];
  if ((how === 'rm' || how === 'mv') && places.some((place) => isWithin(path, place))) return true;
  if (how === 'mkdir' || how === 'touch') return false;
  const isProjects = isWithin(seed, path) && /^\/projects(?:\/[^/]+)?$/.test(path.slice(seed.length));
  return places.includes(path) || isProjects;
}

const SEED_FILE = '.isdlc/state.json';
const OWN_FILE = 'holdpoint/workflow.json';

/** A path that only the machine knows is taken for the state's where its text says so. */
function hintedFile({ text }: FileWrite, command: string): string | undefined {
  const bare = text.replace(/["']/g, '');
  if (/\.isdlc\b.*state\.json$/.test(bare)) return SEED_FILE;
  if (bare.endsWith(OWN_FILE)) return OWN_FILE;
  // Files that `find` or `xargs` hand over: only the rest of the line can tell which.
  if (['{}', '…', 'find -delete'].includes(bare) && /\.isdlc(?!\/config)/.test(command)) return SEED_FILE;
  const matches = (name: string): boolean => globMatches(bare.replace(/^\.\//, ''), name);
  return bare.includes('*') && [SEED_FILE, '.isdlc'].some(matches) ? SEED_FILE : undefined;
}

/** Words by which programs of the usual languages write files. */
const WRITING =
  /write|dump\(|unlink|rename|remove|rmSync|rmtree|copy|truncate|append|\breplace\(|\bmove\(|\bsave|put_contents|File\.(?:delete|open)|open\([^)]*,\s*["'](?:[wax]|r\+)|mode\s*=\s*["'][wax]|\b(?:rm|cp|mv|tee)\s|>|sed -i/;
/** An arrow, a comparison, and output that goes nowhere: none of them writes a file. */
const NO_WRITING = /[=-]>|>=|\d?>\s*(?:&\d|\/dev\/null)/g;

function fileInCode({ kind, text }: UnknownEffect, command: string): string | undefined {
  if (kind === 'program') return undefined;
  // A program that is given no code reads it from the pipe, so the rest of the line tells it.
  const code = /^\S+(?:\s+-)?$/.test(text) && command.includes('|') ? command : text;
  if (!WRITING.test(code.replace(NO_WRITING, ''))) return undefined;
  // The path may be put together: `join('.isdlc', 'state.json')`.
  if (code.includes('.isdlc') && code.includes('state.json')) return SEED_FILE;
  return code.includes('holdpoint') && code.includes('workflow.json') ? OWN_FILE : undefined;
}

function isWithin(directory: string, path: string): boolean {
  return path === directory || path.startsWith(`${directory}/`);
}
