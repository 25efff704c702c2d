import { lstatSync, readdirSync, statSync } from 'node:fs';
import { resolve } from 'node:path';
import { parseArgs } from 'node:util';
import type { Change, DocumentRef } from '../../core/document';
import { fail, type Result, succeed } from '../../core/failure';
import { branchLabel } from '../../core/git-head';
import type { JsonObject } from '../../core/json';
import { readAll } from '../../exec/standard-io';
import { findGit } from '../../git/find-git';
import { readHead } from '../../git/head';
import { idOf } from '../../guards/loop/leftovers';
import { beat } from '../../guards/loop/live';
import {
  abortedState,
  type FrameAsk,
  newFrame,
  pushedState,
  startedState,
} from '../../guards/loop/new-state';
import { TASKS, taskDocument } from '../../guards/loop/task-file';
import { unvouch, vouch } from '../../guards/loop/vouched';
import { documentFile, isKept } from '../../state/layout';
import { refuse } from '../req/refuse';
import { printable } from '../ui/output';
import type { Context, Verb } from '../verb';
import { addStates, changeLoops, isPlainFile, type ReadableLoops, remove, removeLeftovers } from './change';
import {
  askForSession,
  type Loop,
  type LoopPlace,
  type Loops,
  loopOf,
  NO_PLACE,
  requireLoopPlace,
  wholeId,
} from './loops';
import { endingOf, loopName, noSession, progressOf, stateJson } from './text';

const START = 'holdpoint loop start:';

const OPTIONS = {
  session: { type: 'string', short: 's' },
  mode: { type: 'string' },
  max: { type: 'string' },
  issue: { type: 'string' },
  worktree: { type: 'string' },
  branch: { type: 'string' },
  'include-prompt': { type: 'boolean', default: false },
  verify: { type: 'string' },
  'max-minutes': { type: 'string' },
  'max-tokens': { type: 'string' },
  force: { type: 'boolean', default: false },
  push: { type: 'boolean', default: false },
  json: { type: 'boolean', default: false },
} as const;

type Values = ReturnType<typeof parse>['values'];

export const verb: Verb = {
  usage: [
    'holdpoint loop start [--session ID] [--mode loop|issue|grind] [--max N] [--issue ID]',
    '         [--worktree PATH [--branch B]] [--include-prompt] [--verify CMD]',
    '         [--max-minutes M] [--max-tokens T] [--force | --push] [--json] [PROMPT | -]',
  ].join('\n'),
  async run(args, context) {
    const { values, positionals } = parse(args);
    const wrong = wrongUsage(values, positionals);
    if (wrong !== undefined) return refuse(context, `${START} ${wrong}`, 2);
    const place = requireLoopPlace(context, 'start', values.session);
    if (place === undefined) return 2;
    if (place.layout.messages === undefined && !isKept(place.layout, 'own'))
      return refuse(context, NO_PLACE, 2);
    if (values.verify !== undefined && !place.hasGit) return refuse(context, VERIFY_WITHOUT_GIT, 2);
    const session = await askForSession(values.session, place, context.env);
    if (session.kind === 'none') return refuse(context, noSession(session, place.root), 1);
    const prompt = readPrompt(positionals[0]);
    if (!prompt.ok) return refuse(context, `${START} ${prompt.failure}`, 2);
    const worktree = worktreeAt(values, context);
    if (!worktree.ok) return refuse(context, `${START} ${worktree.failure}`, 1);
    const mode = modeOf(values) ?? 'loop';
    const id = frameId(mode, values.issue);
    const task = prompt.value === undefined ? undefined : taskFile(place, id, prompt.value);
    const frame = frameFor(id, mode, values, worktree.value, task?.file, place);
    return changeLoops({ command: 'start', json: values.json }, place, context, (loops, now) => {
      const sessionId = wholeId(loops, session.id);
      const started = startIn(loops, newFrame(frame, now), values, sessionId, now);
      if (!started.ok) return started;
      const { states, state, ref, replaced } = started.value;
      const { verify: command, worktree: cwd } = frame;
      const trusted =
        command === undefined ? [] : [vouch(id, { command, ...(cwd && { cwd }) }, now, liveIds(loops))];
      const how = session.how === 'explicit' ? '' : ` (${session.rule})`;
      return succeed({
        changes: [...(task ? [task.write] : []), ...trusted, addStates(ref, states, 'started a loop')],
        undo: [...(task ? [task.undo] : []), ...(command === undefined ? [] : [unvouch([id])])],
        also: [
          ...(replaced === undefined ? [] : removeLeftovers(replaced, place, state)),
          beat(sessionId, now, false),
          ...removeOldTasks(place, loops, now),
        ],
        session: session.id,
        json: stateJson(state, 'active'),
        lines: [
          `Loop started for session ${printable(session.id)}${printable(how)}: ${progressOf(state)}.`,
          `It ends ${endingOf(state)}, at a bound, or by \`holdpoint loop cancel\`.`,
        ],
      });
    });
  },
};

/** A task may begin with a dash, as lists do; no option has a space in its name. */
function parse(args: readonly string[]) {
  const end = args.indexOf('--');
  const [before, after] = end < 0 ? [args, []] : [args.slice(0, end), args.slice(end + 1)];
  const isText = (arg: string): boolean => /^-[^=\s]*\s/.test(arg);
  const sorted = [...before.filter((arg) => !isText(arg)), '--', ...before.filter(isText), ...after];
  return parseArgs({ args: sorted, allowPositionals: true, options: OPTIONS });
}

const MODES = ['loop', 'issue', 'grind'] as const;

function modeOf({ mode, issue }: Values): FrameAsk['mode'] | undefined {
  return MODES.find((one) => one === (mode ?? (issue === undefined ? 'loop' : 'issue')));
}

const VERIFY_WITHOUT_GIT = `${START} --verify needs a git repository: the command is noted in its git directory, since a state that came with somebody's files must never have a command run. Nothing was started.`;

/** The first thing that is wrong with the arguments. */
function wrongUsage(values: Values, positionals: readonly string[]): string | undefined {
  const { session, issue, worktree, branch, verify, force, push } = values;
  const mode = modeOf(values);
  const [prompt] = positionals;
  const rules: readonly (readonly [isBroken: boolean, message: string])[] = [
    [mode === undefined, `--mode takes ${MODES.join(', ')}, not '${printable(values.mode ?? '')}'.`],
    [isBlank(session), '--session takes the id of a session, not an empty text.'],
    [isBlank(verify), '--verify takes a command, not an empty text.'],
    [force && push, '--force replaces the live loop, --push puts one on top of it; choose.'],
    [mode === 'issue' && issue === undefined, '--mode issue needs the issue: --issue ID.'],
    [mode !== 'issue' && issue !== undefined, `--issue goes with --mode issue, not with --mode ${mode}.`],
    [
      issue !== undefined && (safeId(issue) === '' || isUnfit(issue)),
      `--issue takes an id of one line with at least one letter, digit, '_' or '-', not '${printable(issue ?? '')}'.`,
    ],
    [branch !== undefined && worktree === undefined, '--branch goes with --worktree PATH.'],
    [isUnfit(branch), '--branch takes one line that is not empty.'],
    [isUnfit(worktree), '--worktree takes one line that is not empty.'],
    [positionals.length > 1, "give the prompt as one argument, in quotes, or on standard input with '-'."],
    [isBlank(prompt), 'the prompt is empty.'],
    [values['include-prompt'] && prompt === undefined, '--include-prompt needs a prompt.'],
  ];
  return rules.find(([isBroken]) => isBroken)?.[1] ?? wrongBound(values);
}

function isBlank(text: string | undefined): boolean {
  return text?.trim() === '';
}

/** Names end up in lines that the agent reads; a line end in one would pass for another line. */
function isUnfit(name: string | undefined): boolean {
  return name !== undefined && (isBlank(name) || /[\u0000-\u001f\u007f]/.test(name) || name.length > 4096);
}

/** An issue's name as it may be part of a file name. */
function safeId(issue: string): string {
  return issue.replace(/[^A-Za-z0-9_-]/g, '');
}

const BOUNDS = [
  { option: 'max', form: /^\d+$/, most: 1_000_000, unit: 'a whole number' },
  { option: 'max-minutes', form: /^\d+(\.\d+)?$/, most: 1_000_000, unit: 'minutes' },
  { option: 'max-tokens', form: /^\d+$/, most: 1_000_000_000_000, unit: 'a whole number' },
] as const;

function wrongBound(values: Values): string | undefined {
  for (const { option, form, most, unit } of BOUNDS) {
    const text = values[option];
    const isFine = text === undefined || (form.test(text) && Number(text) > 0 && Number(text) <= most);
    if (!isFine)
      return `--${option} takes ${unit} from 1 to ${most}, not '${printable(text)}'. There is no unlimited loop.`;
  }
  return undefined;
}

function readPrompt(given: string | undefined): Result<string | undefined, string> {
  if (given !== '-') return succeed(given);
  const input = readAll(0);
  if (input.ok) return input.value.trim() === '' ? fail('the prompt is empty.') : input;
  const { failure } = input;
  const why = failure.code === 'input.too-large' ? `it is larger than ${failure.limit} bytes` : failure.code;
  return fail(`the prompt could not be read from standard input (${why}).`);
}

/**
 * The directory in which the loop shall work, as an absolute path. A branch that is named too must be checked
 * out there: on some file systems two issues may share a directory unnoticed.
 */
function worktreeAt(
  { worktree, branch }: Values,
  { cwd, chunks }: Context,
): Result<string | undefined, string> {
  if (worktree === undefined) return succeed(undefined);
  const dir = resolve(cwd, worktree);
  if (statSync(dir, { throwIfNoEntry: false })?.isDirectory() !== true)
    return fail(`--worktree: there is no directory ${printable(dir)}.`);
  if (branch === undefined) return succeed(dir);
  const git = findGit(dir);
  const here = git === undefined ? undefined : branchLabel(readHead(git, chunks.askGit));
  if (here === branch) return succeed(dir);
  const found = here === undefined ? 'is in no git repository' : `is on branch ${printable(here)}`;
  return fail(`${printable(dir)} ${found}, not on ${printable(branch)}. Nothing was started.`);
}

/** Also the name of the task's file. */
function frameId(mode: string, issue: string | undefined): string {
  const about = issue === undefined ? mode : `${mode}-${safeId(issue).slice(0, 64)}`;
  return `${about}-${Math.floor(Date.now() / 1000)}-${process.pid}`;
}

/** The frame that was asked for; the config decides what was not said. */
function frameFor(
  id: string,
  mode: FrameAsk['mode'],
  values: Values,
  worktree: string | undefined,
  promptFile: string | undefined,
  { config }: LoopPlace,
): FrameAsk {
  const { issue, branch, verify } = values;
  const minutes = values['max-minutes'] ?? config.maxMinutes;
  const tokens = values['max-tokens'] ?? config.maxTokens;
  return {
    id,
    mode,
    max: Number(values.max ?? (mode === 'grind' ? config.grindMax : config.maxIterations)),
    ...(minutes !== undefined && { seconds: Math.max(1, Math.round(Number(minutes) * 60)) }),
    ...(tokens !== undefined && { tokens: Number(tokens) }),
    ...(issue !== undefined && { issue }),
    ...(worktree !== undefined && { worktree }),
    ...(branch !== undefined && { branch }),
    ...(promptFile !== undefined && { promptFile }),
    includePrompt: promptFile !== undefined && (values['include-prompt'] || config.includePrompt),
    ...(verify !== undefined && { verify }),
  };
}

/** The task in a file of its own beside the loop's state: in our own directory, else in the message store. */
function taskFile({ layout }: LoopPlace, id: string, text: string) {
  const document: DocumentRef = {
    base: isKept(layout, 'own') ? 'own' : 'messages',
    path: `${TASKS}/${id}.txt`,
    format: 'text',
    keeping: 'durable',
  };
  const write: Change = { document, what: 'wrote the task', apply: () => text };
  return { file: documentFile(layout, document), write, undo: remove(document, 'removed the task') };
}

interface Started {
  /** To be written at once; the last one is the loop that was asked for. */
  readonly states: readonly JsonObject[];
  readonly state: JsonObject;
  readonly ref: DocumentRef;
  readonly replaced?: Loop;
}

function startIn(
  loops: ReadableLoops,
  frame: JsonObject,
  { force, push }: Values,
  sessionId: string,
  now: number,
): Result<Started, string> {
  const { home } = loops;
  const loop = loopOf(loops, sessionId);
  const live = loop !== undefined && isGoingOn(loop) ? loop : undefined;
  const fresh = startedState(frame, sessionId, now);
  if (live === undefined) return succeed({ states: [fresh], state: fresh, ref: home });
  if (push) {
    const isPaused = live.standing === 'paused';
    if (live.ref.format === 'text' || isPaused) {
      const why = isPaused ? 'it is paused; resume it first' : `${printable(live.file)} holds one loop only`;
      return fail(`Nothing can be put on top of that loop: ${why}, or replace it with --force.`);
    }
    const pushed = pushedState(live.state.envelope, frame, now);
    return succeed({ states: [pushed], state: pushed, ref: live.ref });
  }
  if (!force) return fail(alreadyLive(live));
  // A state of nobody's would go on in every other session, so it is ended and not only overtaken.
  const ownerless = live.state.sessionId === undefined && live.ref.format === 'topic';
  const over = ownerless ? [abortedState(live.state.envelope, 'USER_CANCELLED', now)] : [];
  return succeed({ states: [...over, fresh], state: fresh, ref: home, replaced: live });
}

function alreadyLive(loop: Loop): string {
  const paused = loop.standing === 'paused' ? ', or `holdpoint loop resume` goes on with it' : '';
  return [
    `${loopName(loop)} is ${loop.standing} already: ${progressOf(loop.state.envelope)}. Nothing was started.`,
    `  --force replaces it, --push starts this one inside of it, \`holdpoint loop cancel\` ends it${paused}.`,
  ].join('\n');
}

function isGoingOn({ standing }: Loop): boolean {
  return standing === 'active' || standing === 'paused';
}

/** The frames of the loops that go on, or wait for somebody. */
function liveIds({ known }: Loops): string[] {
  return known.filter(isGoingOn).flatMap(({ state }) => state.stack.flatMap((frame) => idOf(frame) ?? []));
}

const OLD_MS = 30 * 24 * 3_600_000;

/** Removes tasks that nobody has needed for a month: their loops went stale, made no progress, or crashed. */
function removeOldTasks({ layout }: LoopPlace, loops: Loops, now: number): Change[] {
  const dir = isKept(layout, 'own') ? layout.own : layout.messages;
  if (dir === undefined) return [];
  const live = new Set(liveIds(loops).map((id) => `${id}.txt`));
  return namesIn(`${dir}/${TASKS}`).flatMap((name) => {
    const path = `${dir}/${TASKS}/${name}`;
    const document = live.has(name) ? undefined : taskDocument({ path, dir }, layout);
    const isOld = isPlainFile(path) && now - lstatSync(path).mtimeMs > OLD_MS;
    return document !== undefined && isOld ? [remove(document, 'removed an old task')] : [];
  });
}

function namesIn(dir: string): string[] {
  try {
    return readdirSync(dir);
  } catch {
    return [];
  }
}
