import { statSync } from 'node:fs';
import { resolve } from 'node:path';
import type { JsonObject } from '../../core/json';
import { readAll } from '../../exec/processes';
import { branchLabel, findGit, readHead } from '../../git/head';
import { endedState, pushedState, resumingState, startedState } from '../../guards/loop/new-state';
import { stampOf } from '../../guards/loop/state';
import { addStates, recordHeartbeat } from '../../guards/loop/store';
import { removeLeftFiles, TASKS } from '../../guards/loop/task-files';
import { trustCommand } from '../../guards/loop/verification';
import { type DocumentRef, documentFile, isKept, type Layout } from '../../state/documents';
import { whoOf } from '../caller';
import { type Context, type ExitCode, type Options, Refusal } from '../context';
import { mayBeAgent, refuseAgent } from '../req/context';
import { findOrAskSession, hostOf, notStartedNote } from '../req/find-session';
import {
  changeLoops,
  fullSessionId,
  type Loop,
  type LoopPlace,
  type Loops,
  loopOf,
  noPlace,
  requireLoopPlace,
} from './loops';
import { endingOf, loopName, noSession, progressOf, stateJson } from './status';

type StartOptions = Options<
  'includePrompt' | 'force' | 'push',
  'session' | 'mode' | 'max' | 'issue' | 'worktree' | 'branch' | 'verify' | 'maxMinutes' | 'maxTokens'
>;

export async function start(context: Context, values: StartOptions, positionals: readonly string[]) {
  const wrong = wrongUsage(values, positionals);
  if (wrong !== undefined) throw refusal(wrong, 2);
  const place = requireLoopPlace(context, 'start', values.session, true);
  if (place.layout.messages === undefined && !isKept(place.layout, 'own')) throw noPlace();
  if (values.verify !== undefined && place.git === undefined) throw refusal(VERIFY_WITHOUT_GIT, 2);
  const session = await findOrAskSession(values.session, place);
  if (session.kind === 'none') throw new Refusal(noSession(session, place.root));
  const prompt = promptFrom(positionals[0]);
  const frame = frameFor(values, prompt, place);
  const taskFile = taskDocumentOf(frame.id, place.layout);
  const isTask = prompt !== undefined;
  const isAgent = mayBeAgent(place);
  const notStarted = notStartedNote(session, place);
  return changeLoops('start', place, (loops, now) => {
    const sessionId = fullSessionId(loops, session.id);
    const { states, ref, replaced } = startIn(loops, frame, { ...values, isAgent }, sessionId, now);
    const state = states.at(-1) ?? {};
    if (replaced !== undefined) refuseAgent('replace a loop', place);
    const { id, verify: command, worktree_path: cwd } = frame;
    const how = session.how === 'explicit' ? '' : ` (${session.rule})`;
    return {
      changes: [
        addStates(ref, states, 'started a loop', whoOf(place.caller())),
        ...(isTask ? [{ document: taskFile, what: 'wrote the task', apply: () => prompt }] : []),
        ...(command ? [trustCommand(id, { command, ...(cwd && { cwd }) })] : []),
      ],
      also: [
        ...(replaced ? removeLeftFiles(replaced.state.stack, state, place.layout.own) : []),
        recordHeartbeat(sessionId, now, false),
      ],
      session: session.id,
      json: stateJson(state, 'active'),
      lines: [
        ...notStarted,
        `Loop started for session ${session.id}${how}: ${progressOf(state)}.`,
        `It ends ${endingOf(state)}, at a limit, or when a person runs \`holdpoint loop cancel\`.`,
        ...uncountedTokens(frame.budget?.tokens, hostOf(session, place)),
      ],
    };
  });
}

/** Only Claude Code's transcripts tell how many tokens a turn used. */
function uncountedTokens(tokens: number | undefined, host: string | undefined): string[] {
  if (tokens === undefined || host === undefined || host === 'Claude Code') return [];
  return [`${host} does not report tokens, so the limit of ${tokens} tokens has no effect.`];
}

function refusal(why: string, code: ExitCode = 1): Refusal {
  return new Refusal(`holdpoint loop start: ${why}`, code);
}

const MODES = ['loop', 'issue', 'grind'] as const;

function modeOf({ mode, issue }: StartOptions) {
  return MODES.find((one) => one === (mode ?? (issue === undefined ? 'loop' : 'issue')));
}

const VERIFY_WITHOUT_GIT =
  '--verify needs a git repository: the command is stored in its git directory, so that a cloned state can never run one. Nothing was started.';

/** The first problem with the arguments. */
function wrongUsage(values: StartOptions, positionals: readonly string[]): string | undefined {
  const { session, issue, worktree, branch, verify, force, push } = values;
  const mode = modeOf(values);
  const [prompt] = positionals;
  const rules: readonly (readonly [isBroken: boolean, message: string])[] = [
    [mode === undefined, `--mode takes ${MODES.join(', ')}, not '${values.mode ?? ''}'.`],
    [isBlank(session), '--session needs the id of a session.'],
    [isBlank(verify), '--verify needs a command.'],
    [force && push, 'use --force (replaces the active loop) or --push (starts inside it), not both.'],
    [mode === 'issue' && issue === undefined, '--mode issue needs --issue ID.'],
    [
      mode !== 'issue' && issue !== undefined,
      `--issue only works with --mode issue, not with --mode ${mode}.`,
    ],
    [
      issue !== undefined && (safeId(issue) === '' || isUnfit(issue)),
      `--issue takes one line with at least one letter, digit, '_' or '-', not '${issue ?? ''}'.`,
    ],
    [branch !== undefined && worktree === undefined, '--branch needs --worktree PATH.'],
    [isUnfit(branch), '--branch takes a single line of text.'],
    [isUnfit(worktree), '--worktree takes a single line of text.'],
    [positionals.length > 1, "give the prompt as one argument, in quotes, or on standard input with '-'."],
    [isBlank(prompt), 'the prompt is empty.'],
    [values.includePrompt && prompt === undefined, '--include-prompt needs a prompt.'],
  ];
  return rules.find(([isBroken]) => isBroken)?.[1] ?? wrongBound(values);
}

function isBlank(text: string | undefined): boolean {
  return text?.trim() === '';
}

/** Names are part of lines that the agent reads, so a line break in one could fake another line. */
function isUnfit(name: string | undefined): boolean {
  return name !== undefined && (isBlank(name) || /[\u0000-\u001f\u007f]/.test(name) || name.length > 4096);
}

/** An issue's name, made safe for a file name. */
function safeId(issue: string): string {
  return issue.replace(/[^A-Za-z0-9_-]/g, '');
}

const BOUNDS = [
  ['max', 'max', /^\d+$/, 1_000_000, 'a whole number from 1 to'],
  ['maxMinutes', 'max-minutes', /^\d+(\.\d+)?$/, 1_000_000, 'minutes, more than 0 and at most'],
  ['maxTokens', 'max-tokens', /^\d+$/, 1_000_000_000_000, 'a whole number from 1 to'],
] as const;

function wrongBound(values: StartOptions): string | undefined {
  for (const [key, option, form, most, unit] of BOUNDS) {
    const text = values[key];
    const isFine = text === undefined || (form.test(text) && Number(text) > 0 && Number(text) <= most);
    if (!isFine) return `--${option} takes ${unit} ${most}, not '${text}'. A loop cannot be unlimited.`;
  }
  return undefined;
}

function promptFrom(given: string | undefined): string | undefined {
  if (given !== '-') return given;
  const input = readAll(0);
  if (input.ok && input.value.trim() !== '') return input.value;
  if (input.ok) throw refusal('the prompt is empty.', 2);
  const { failure } = input;
  const why = failure.code === 'input.too-large' ? `it is larger than ${failure.limit} bytes` : failure.code;
  throw refusal(`the prompt could not be read from standard input (${why}).`, 2);
}

/**
 * The absolute path of the directory in which the loop works. If a branch is given, it must be checked out there:
 * on some file systems two issues may share a directory unnoticed.
 */
function worktreeAt(path: string, branch: string | undefined, { cwd, chunks }: Context): string {
  const dir = resolve(cwd, path);
  if (statSync(dir, { throwIfNoEntry: false })?.isDirectory() !== true)
    throw refusal(`--worktree: there is no directory ${dir}.`);
  if (branch === undefined) return dir;
  const git = findGit(dir);
  const here = git === undefined ? undefined : branchLabel(readHead(git, chunks.askGit));
  if (here === branch) return dir;
  const found = here === undefined ? 'is in no git repository' : `is on branch ${here}`;
  throw refusal(`${dir} ${found}, not on ${branch}. Nothing was started.`);
}

/** The requested frame, with defaults from the config. Only frames of this `origin` end for making no progress. */
function frameFor(values: StartOptions, prompt: string | undefined, place: LoopPlace) {
  const { config, layout } = place;
  const { issue, worktree, branch, verify } = values;
  const mode = modeOf(values) ?? 'loop';
  const about = issue === undefined ? mode : `${mode}-${safeId(issue).slice(0, 64)}`;
  // Also the name of the task's file.
  const id = `${about}-${Math.floor(Date.now() / 1000)}-${process.pid}`;
  return {
    id,
    mode,
    iter: 1,
    max: Number(values.max ?? (mode === 'grind' ? config.grindMax : config.maxIterations)),
    started_at: stampOf(Date.now()),
    issue_id: issue,
    worktree_path: worktree === undefined ? undefined : worktreeAt(worktree, branch, place),
    branch,
    prompt_file: prompt === undefined ? undefined : documentFile(layout, taskDocumentOf(id, layout)),
    include_prompt: (prompt !== undefined && (values.includePrompt || config.includePrompt)) || undefined,
    verify,
    on_child_done: mode === 'grind' ? 'resume' : undefined,
    budget: budgetFor(values, place),
    origin: 'holdpoint',
  };
}

function budgetFor(values: StartOptions, { config }: LoopPlace) {
  const [minutes, tokens] = [values.maxMinutes ?? config.maxMinutes, values.maxTokens ?? config.maxTokens];
  if (minutes === undefined && tokens === undefined) return undefined;
  return {
    seconds: minutes === undefined ? undefined : Math.max(1, Math.round(Number(minutes) * 60)),
    tokens: tokens === undefined ? undefined : Number(tokens),
  };
}

/** The task is kept in a file beside the loop's state: in our own directory, else in the message store. */
function taskDocumentOf(id: string, layout: Layout): DocumentRef {
  const base = isKept(layout, 'own') ? 'own' : 'messages';
  return { base, path: `${TASKS}/${id}.txt`, format: 'text', durability: 'durable' };
}

/** The states to write at once, the last of which is the requested loop, and where to write them. */
function startIn(
  loops: Loops & { readonly home: DocumentRef },
  frame: JsonObject,
  { force, push, isAgent }: StartOptions & { readonly isAgent: boolean },
  sessionId: string,
  now: number,
): { states: JsonObject[]; ref: DocumentRef; replaced?: Loop } {
  const { home } = loops;
  const live = loopInTheWay(loops, sessionId);
  const fresh = startedState(frame, sessionId, now);
  if (live?.status !== 'active' && live?.status !== 'paused') return { states: [fresh], ref: home };
  const { envelope, sessionId: owner } = live.state;
  const isPaused = live.status === 'paused';
  if (push) {
    const only = isPaused ? 'it is paused, so resume it first' : `${live.file} can hold only one`;
    if (isPaused || live.ref.format === 'text')
      throw new Refusal(`Cannot start a loop inside that one: ${only}, or replace it with --force.`);
    // The end of an inner loop that an agent started must not end the outer one.
    const outer = isAgent ? resumingState(envelope) : envelope;
    return { states: [pushedState(outer, frame, now)], ref: live.ref };
  }
  if (!force) {
    const paused = isPaused ? ', `holdpoint loop resume` continues it' : '';
    throw new Refusal(`${loopName(live)} is already ${live.status}: ${progressOf(envelope)}. Nothing was started.
  --force replaces it, --push starts this one inside it, \`holdpoint loop cancel\` ends it${paused}.`);
  }
  // A state without a session would continue in every other session, so it is ended too.
  const isNobodys = owner === undefined && live.ref.format === 'topic';
  const over = isNobodys ? [endedState(envelope, 'ABORT', 'USER_CANCELLED', now)] : [];
  return { states: [...over, fresh], ref: home, replaced: live };
}

/** The session's loop, or one in a loop file, even of another session: a new topic would silence it. */
function loopInTheWay(loops: Loops, sessionId: string): Loop | undefined {
  return loopOf(loops, sessionId) ?? loops.known.find(({ ref }) => ref.format === 'text');
}
