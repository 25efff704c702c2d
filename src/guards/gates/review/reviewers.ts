import { readFileSync, renameSync } from 'node:fs';
import { join } from 'node:path';
import { detailOf } from '../../../core/failure';
import { HOST_VARIABLES } from '../../../core/host-variables';
import { isJsonObject } from '../../../core/json';
import type { CancelSignal } from '../../../exec/cancel-signal';
import { runCommand } from '../../../exec/run';
import { discard, writeTemporary } from '../../../state/write-file';
import type { ReviewJob } from '../detect';
import type { GateContext } from '../run/plan';
import { type Env, missingProgram } from '../run/run';
import {
  COMMAND_NOT_FOUND,
  coolingDown,
  healthNotWritten,
  probeFailed,
  timedOut,
  USAGE_LIMIT,
} from './messages';
import { firstLine } from './slot-file';

/** The reviewers that can be asked, by the names that the config has for them. */
export const REVIEWERS = ['claude', 'codex', 'gemini', 'cursor', 'github-copilot'] as const;

export type ReviewerName = (typeof REVIEWERS)[number];

/** What a reviewer is called with. Its prompt comes on standard input. */
export interface ReviewerCall {
  readonly cwd: string;
  readonly model?: string | undefined;
  /** Whether a program can be found. */
  has(program: string): boolean;
}

/** A program that can be asked for a review, and how it is kept from changing anything. */
export interface Reviewer {
  readonly program: string;
  args(call: ReviewerCall): readonly string[];
  /** A question as small as can be, to learn whether there is quota left. */
  readonly probe: { args(call: ReviewerCall): readonly string[]; readonly seconds: number };
}

const READING = ['cat', 'grep', 'ls', 'find', 'head', 'tail'];
const NEVER_ASKING = ['-c', 'approval_policy="never"'];

/** Those that the config may name. Each is given tools that read, and none that write. */
const REVIEWER_TABLE: Readonly<Record<ReviewerName, Reviewer>> = {
  claude: {
    program: 'claude',
    args: ({ model }) => [
      '-p',
      ...option('--model', model),
      ...['--allowedTools', 'Read,Glob,Grep'],
      ...['--disallowedTools', 'Edit,Write,NotebookEdit,Bash'],
      ...['--max-turns', '10'],
    ],
    probe: { args: () => ['-p', '--max-turns', '1'], seconds: 30 },
  },
  codex: {
    program: 'codex',
    args: ({ cwd, model }) => [
      ...['exec', '--cd', cwd, '--sandbox', 'read-only'],
      ...NEVER_ASKING,
      ...option('-m', model),
      '-',
    ],
    probe: {
      args: ({ cwd }) => ['exec', '--cd', cwd, '--sandbox', 'read-only', ...NEVER_ASKING, '-'],
      seconds: 10,
    },
  },
  gemini: {
    program: 'gemini',
    args: (call) => [
      ...sandboxed(call),
      ...['--approval-mode', 'default'],
      ...['--allowed-tools', 'read_file,list_directory,glob,search_file_content'],
      ...['--output-format', 'text'],
      ...option('-m', call.model),
    ],
    probe: { args: (call) => [...sandboxed(call), '--output-format', 'text'], seconds: 30 },
  },
  cursor: {
    program: 'agent',
    args: ({ model }) => [
      ...['-p', '--mode=ask', '--trust', '--output-format', 'text'],
      ...option('--model', model),
    ],
    probe: { args: () => ['-p', '--mode=ask', '--trust', '--output-format', 'text'], seconds: 10 },
  },
  'github-copilot': {
    program: 'copilot',
    args: ({ model }) => [
      ...READING.flatMap((command) => ['--allow-tool', `shell(${command})`]),
      ...['--deny-tool', 'write'],
      ...option('--model', model),
    ],
    probe: { args: () => ['--allow-tool', 'shell(echo)'], seconds: 10 },
  },
};

/** The reviewer of a name; `undefined` for one that nobody knows. */
export function reviewerNamed(name: string): Reviewer | undefined {
  const known = REVIEWERS.find((one) => one === name);
  return known && REVIEWER_TABLE[known];
}

function option(name: string, value: string | undefined): readonly string[] {
  return value === undefined ? [] : [name, value];
}

/** It refuses to start where there is nothing to build the sandbox with. */
function sandboxed({ has }: ReviewerCall): readonly string[] {
  return ['docker', 'podman', 'sandbox-exec'].some(has) ? ['--sandbox'] : [];
}

/** Who can be asked for a review, in the order of preference, and who cannot. */
export interface Available {
  readonly healthy: readonly string[];
  /** Not looked at, since there were enough before them; they may be asked should those fail. */
  readonly further: readonly string[];
  readonly refused: readonly { readonly name: string; readonly why: string }[];
  readonly health: ReviewerHealth;
}

/** All reviews of a run share what is known, so that nobody is probed twice. */
const byRun = new WeakMap<GateContext, ReviewerHealth>();

/** Looks at one after the other, as probing may cost something, until so many are found. */
export async function availableReviewers(
  { gate }: ReviewJob,
  context: GateContext,
  wanted: number,
): Promise<Available> {
  const { root, env, logDir, signal, config } = context;
  const { checkUsageLimit } = config.reviewers;
  const health = byRun.get(context) ?? new ReviewerHealth({ root, env, logDir, checkUsageLimit, signal });
  byRun.set(context, health);
  const healthy: string[] = [];
  const refused: { name: string; why: string }[] = [];
  const further = [...gate.preference];
  while (healthy.length < wanted && further.length > 0) {
    const name = further.shift() ?? '';
    const found = await health.of(name);
    if (found.state === 'healthy') healthy.push(name);
    else refused.push({ name, why: found.message });
  }
  return { healthy, further, refused, health };
}

/** Of the session that we are called from: a reviewer that finds them takes itself for a part of it, or refuses. */
const OF_OUR_SESSION = [
  ...Object.values(HOST_VARIABLES).flatMap(({ session, agent }) => [...session, ...agent]),
  'CLAUDE_CODE_ENTRYPOINT',
  'CLAUDE_CODE_CHILD_SESSION',
  'CLAUDE_PID',
];

/** A reviewer is an agent with hooks of its own; it must not be held by what we or older programs installed. */
const SWITCHED_OFF = {
  GAUNTLET_STOP_HOOK_ACTIVE: '1',
  HOLDPOINT_DISABLE: '1',
  CLAUDE_SKIP_REQUIREMENTS: '1',
  IDLE_LOOP_DISABLE: '1',
};

/** The environment of a reviewer. */
export function reviewerEnvironment(env: Env): Env {
  const rest = Object.entries(env).filter(([name]) => !OF_OUR_SESSION.includes(name));
  return { ...Object.fromEntries(rest), ...SWITCHED_OFF };
}

/** Whether a reviewer can be asked. */
export type Health =
  | { readonly state: 'healthy' }
  | { readonly state: 'missing' | 'unhealthy'; readonly message: string };

/** What is looked at to tell. */
export interface HealthScene {
  readonly root: string;
  readonly env: Env;
  readonly logDir: string;
  /** Whether to ask each for a word, which costs a little. */
  readonly checkUsageLimit: boolean;
  readonly signal?: CancelSignal;
}

const PROBE = 'hello';
const MOST_BYTES = 64 * 1024;

/** What is known of the reviewers in one run. Each is looked at, and probed, once. */
export class ReviewerHealth {
  readonly #scene: HealthScene;
  readonly #known = new Map<string, Promise<Health>>();

  constructor(scene: HealthScene) {
    this.#scene = scene;
  }

  of(name: string): Promise<Health> {
    const known = this.#known.get(name);
    if (known !== undefined) return known;
    const found = this.#look(name);
    this.#known.set(name, found);
    return found;
  }

  /** It has said that its quota is used up: nobody asks it again soon. Answers with a warning, if there is one. */
  limited(name: string): string | undefined {
    this.#known.set(name, Promise.resolve({ state: 'unhealthy', message: USAGE_LIMIT }));
    return startCooldown(this.#scene.logDir, name, Date.now());
  }

  async #look(name: string): Promise<Health> {
    const reviewer = reviewerNamed(name);
    const { root, env, logDir, checkUsageLimit } = this.#scene;
    if (reviewer === undefined || missingProgram(reviewer.program, root, env) !== undefined) {
      return { state: 'missing', message: COMMAND_NOT_FOUND };
    }
    const until = readCooldowns(logDir, Date.now())[name];
    if (until !== undefined) return { state: 'unhealthy', message: coolingDown(until) };
    return checkUsageLimit ? this.#probe(name) : { state: 'healthy' };
  }

  async #probe(name: string): Promise<Health> {
    const reviewer = reviewerNamed(name);
    if (reviewer === undefined) return { state: 'missing', message: COMMAND_NOT_FOUND };
    const { root, env, signal } = this.#scene;
    const ended = await runCommand({
      command: reviewer.program,
      args: reviewer.probe.args(callOf(root, env)),
      cwd: root,
      env: reviewerEnvironment(env),
      input: PROBE,
      timeoutMs: reviewer.probe.seconds * 1000,
      maxBytesInMemory: MOST_BYTES,
      ...(signal && { signal }),
    });
    if (saysUsageLimit(`${ended.stdout}\n${ended.stderr}`, PROBE)) {
      startCooldown(this.#scene.logDir, name, Date.now());
      return { state: 'unhealthy', message: USAGE_LIMIT };
    }
    if (ended.kind === 'exited' && ended.code === 0) return { state: 'healthy' };
    const said = ended.kind === 'timed-out' ? timedOut(reviewer.probe.seconds) : firstLine(ended);
    return { state: 'unhealthy', message: probeFailed(said) };
  }
}

/** How a reviewer is called from a directory. */
export function callOf(cwd: string, env: Env, model?: string): ReviewerCall {
  return { cwd, model, has: (program) => missingProgram(program, cwd, env) === undefined };
}

/** Remembers from run to run who has no quota left. It is no log, so cleaning leaves it. */
const HEALTH_NAME = '.reviewer-health.json';

const COOLDOWN_MS = 15 * 60_000;

/** Reviewers that are to be left alone, and until when, in milliseconds since the epoch. */
export type Cooldowns = Readonly<Record<string, number>>;

/** A file that cannot be read knows of none. */
export function readCooldowns(logDir: string, now: number): Cooldowns {
  const kept = contentOf(join(logDir, HEALTH_NAME));
  const entries = isJsonObject(kept) ? Object.entries(kept) : [];
  return Object.fromEntries(
    entries.flatMap(([name, entry]) => {
      const until = isJsonObject(entry) ? Date.parse(String(entry['until'])) : Number.NaN;
      return until > now && until <= now + COOLDOWN_MS ? [[name, until]] : [];
    }),
  );
}

/** Leaves a reviewer alone for some time from now on. Answers with what went wrong, if anything did. */
export function startCooldown(logDir: string, reviewer: string, now: number): string | undefined {
  const all = { ...readCooldowns(logDir, now), [reviewer]: now + COOLDOWN_MS };
  const content = Object.fromEntries(
    Object.entries(all).map(([name, until]) => [
      name,
      { until: new Date(until).toISOString(), reason: USAGE_LIMIT },
    ]),
  );
  const file = join(logDir, HEALTH_NAME);
  let temporary: string | undefined;
  try {
    temporary = writeTemporary(file, `${JSON.stringify(content, null, 2)}\n`, false, 0o644);
    renameSync(temporary, file);
    return undefined;
  } catch (error) {
    if (temporary !== undefined) discard(temporary);
    return healthNotWritten(file, detailOf(error));
  }
}

function contentOf(file: string): unknown {
  try {
    return JSON.parse(readFileSync(file, 'utf8'));
  } catch {
    return undefined;
  }
}

/** What reviewers say when they have used up what they were paid for, in any case. */
const SIGNS = [
  'usage limit',
  'quota exceeded',
  'quota will reset',
  'credit balance is too low',
  'out of extra usage',
  'out of usage',
  'hit your limit',
  'exhausted your',
  'insufficient_quota',
  'resource_exhausted',
];

/** Whether a reviewer says that its quota is used up. What it only repeats of the question does not count. */
export function saysUsageLimit(printed: string, asked: string): boolean {
  return printed.split('\n').some((line) => {
    const lower = line.toLowerCase();
    return SIGNS.some((sign) => lower.includes(sign)) && !asked.includes(line.trim());
  });
}
