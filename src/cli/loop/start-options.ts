import { parseArgs } from 'node:util';
import { fail, type Result, succeed } from '../../core/failure';
import { type Bounds, boundsOf } from './bounds';
import * as say from './messages';

const MODES = ['loop', 'issue', 'grind'] as const;

export type Mode = (typeof MODES)[number];

/** What `loop start` was asked for; what is absent is decided by the config. */
export interface StartOptions {
  readonly session?: string;
  readonly mode: Mode;
  readonly bounds: Bounds;
  readonly issue?: string;
  readonly worktree?: string;
  readonly branch?: string;
  readonly includePrompt: boolean;
  readonly verify?: string;
  /** What happens to a loop that is live already. */
  readonly onLive: 'refuse' | 'replace' | 'push';
  /** The task as it was typed, or that it comes on standard input. */
  readonly prompt: { readonly text: string } | 'none' | 'stdin';
  readonly json: boolean;
}

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

/** Reads the arguments of `loop start`; an error is a sentence for the user. */
export function startOptions(args: readonly string[]): Result<StartOptions, string> {
  const { values, positionals } = parse(args);
  const mode = modeOf(values);
  if (!mode.ok) return mode;
  const wrong = wrongTexts(values, mode.value, positionals);
  if (wrong !== undefined) return fail(wrong);
  const bounds = boundsOf({
    max: values.max,
    minutes: values['max-minutes'],
    tokens: values['max-tokens'],
  });
  if (!bounds.ok) return bounds;
  const { session, issue, worktree, branch, verify, push, force, json } = values;
  return succeed({
    ...(session !== undefined && { session }),
    mode: mode.value,
    bounds: bounds.value,
    ...(issue !== undefined && { issue }),
    ...(worktree !== undefined && { worktree }),
    ...(branch !== undefined && { branch }),
    includePrompt: values['include-prompt'],
    ...(verify !== undefined && { verify }),
    onLive: force ? 'replace' : push ? 'push' : 'refuse',
    prompt: promptOf(positionals),
    json,
  });
}

/** The name of an issue as it may stand in a file or a branch; empty where nothing of it is left. */
export function safeId(issue: string): string {
  return issue.replace(/[^A-Za-z0-9_-]/g, '');
}

function parse(args: readonly string[]) {
  return parseArgs({ args: withTextLast(args), allowPositionals: true, options: OPTIONS });
}

/** A task may begin with a dash, as lists do; no option has a space in its name. */
function withTextLast(args: readonly string[]): string[] {
  const end = args.indexOf('--');
  const [before, after] = end < 0 ? [args, []] : [args.slice(0, end), args.slice(end + 1)];
  const isText = (arg: string): boolean => /^-[^=\s]*\s/.test(arg);
  return [...before.filter((arg) => !isText(arg)), '--', ...before.filter(isText), ...after];
}

function modeOf({ mode, issue }: Values): Result<Mode, string> {
  if (mode === undefined) return succeed(issue === undefined ? 'loop' : 'issue');
  const known = MODES.find((one) => one === mode);
  return known === undefined ? fail(say.badMode(mode, MODES)) : succeed(known);
}

function wrongTexts(values: Values, mode: Mode, positionals: readonly string[]): string | undefined {
  const { session, verify, force, push } = values;
  if (session?.trim() === '') return say.emptySession('start');
  if (verify?.trim() === '') return say.EMPTY_VERIFY;
  if (force && push) return say.FORCE_AND_PUSH;
  return wrongIssue(values, mode) ?? wrongPrompt(values, positionals);
}

function wrongIssue({ issue, branch, worktree }: Values, mode: Mode): string | undefined {
  if (mode === 'issue' && issue === undefined) return say.NO_ISSUE;
  if (mode !== 'issue' && issue !== undefined) return say.issueOutside(mode);
  if (issue !== undefined && (safeId(issue) === '' || isUnfit(issue))) return say.badIssue(issue);
  if (branch !== undefined && worktree === undefined) return say.BRANCH_ALONE;
  if (branch !== undefined && isUnfit(branch)) return say.badName('--branch');
  return worktree !== undefined && isUnfit(worktree) ? say.badName('--worktree') : undefined;
}

function wrongPrompt(values: Values, positionals: readonly string[]): string | undefined {
  if (positionals.length > 1) return say.SEVERAL_PROMPTS;
  if (positionals[0]?.trim() === '') return say.EMPTY_PROMPT;
  return values['include-prompt'] && positionals.length === 0 ? say.NO_PROMPT_TO_INCLUDE : undefined;
}

/** Names stand in lines that the agent is told; a line end in one would pass for another line. */
function isUnfit(name: string): boolean {
  return name.trim() === '' || /[\u0000-\u001f\u007f]/.test(name) || name.length > 4096;
}

function promptOf([text]: readonly string[]): StartOptions['prompt'] {
  if (text === undefined) return 'none';
  return text === '-' ? 'stdin' : { text };
}
