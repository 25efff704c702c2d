import { join } from 'node:path';
import { attempt, readText } from '../../../core/failure';
import { HOST_VARIABLES } from '../../../core/host-name';
import { isJsonObject, jsonObjectIn } from '../../../core/json';
import { isoTime } from '../../../core/text';
import { type RunResult, runCommand } from '../../../exec/run';
import { missingProgram } from '../run/check';
import { replaceFile } from '../run/logs';
import { plainText } from '../run/messages';
import type { Env } from '../run/run';

export const USAGE_LIMIT = 'Usage limit exceeded';

/** Reviewers by their names in the config. */
export const REVIEWERS = ['claude', 'codex', 'gemini', 'cursor', 'github-copilot'] as const;

export type ReviewerName = (typeof REVIEWERS)[number];

/** The prompt is not part of it: it goes to stdin. */
interface ReviewerCall {
  readonly cwd: string;
  readonly env: Env;
  readonly model?: string | undefined;
}

/** A program that can review; its arguments keep it from changing anything. */
export interface Reviewer {
  readonly program: string;
  args(call: ReviewerCall): readonly string[];
  /** For a minimal question that shows whether quota is left. Default: `args`. */
  probeArgs?(call: ReviewerCall): readonly string[];
  /** Default: 10. */
  readonly probeSeconds?: number;
}

/** Each reviewer gets tools that read, and none that write. */
export const REVIEWER_TABLE: Readonly<Record<ReviewerName, Reviewer>> = {
  claude: {
    program: 'claude',
    args: ({ model }) => [
      '-p',
      ...option('--model', model),
      ...['--allowedTools', 'Read,Glob,Grep'],
      ...['--disallowedTools', 'Edit,Write,NotebookEdit,Bash'],
      ...['--max-turns', '10'],
    ],
    probeArgs: () => ['-p', '--max-turns', '1'],
    probeSeconds: 30,
  },
  codex: {
    program: 'codex',
    args: ({ cwd, model }) => [
      ...['exec', '--cd', cwd, '--sandbox', 'read-only'],
      ...['-c', 'approval_policy="never"'],
      ...option('-m', model),
      '-',
    ],
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
    probeArgs: (call) => [...sandboxed(call), '--output-format', 'text'],
    probeSeconds: 30,
  },
  cursor: {
    program: 'agent',
    args: ({ model }) => [
      ...['-p', '--mode=ask', '--trust', '--output-format', 'text'],
      ...option('--model', model),
    ],
  },
  'github-copilot': {
    program: 'copilot',
    args: ({ model }) => [
      ...['cat', 'grep', 'ls', 'find', 'head', 'tail'].flatMap((command) => [
        '--allow-tool',
        `shell(${command})`,
      ]),
      ...['--deny-tool', 'write'],
      ...option('--model', model),
    ],
    probeArgs: () => ['--allow-tool', 'shell(echo)'],
  },
};

function option(name: string, value: string | undefined): readonly string[] {
  return value === undefined ? [] : [name, value];
}

/** Gemini refuses to start with `--sandbox` if none of these tools is installed. */
function sandboxed({ cwd, env }: ReviewerCall): readonly string[] {
  const tools = ['docker', 'podman', 'sandbox-exec'];
  return tools.some((tool) => missingProgram(tool, cwd, env) === undefined) ? ['--sandbox'] : [];
}

/** Variables of the calling session, which make a reviewer believe it is part of it, or refuse to start. */
const OF_OUR_SESSION = [
  ...Object.values(HOST_VARIABLES).flatMap(({ session, agent }) => [...session, ...agent]),
  'CLAUDE_CODE_ENTRYPOINT',
  'CLAUDE_CODE_CHILD_SESSION',
  'CLAUDE_PID',
];

/** A reviewer is an agent with hooks too; hooks of ours or of older programs must not hold it. */
const SWITCHED_OFF = {
  GAUNTLET_STOP_HOOK_ACTIVE: '1',
  HOLDPOINT_DISABLE: '1',
  CLAUDE_SKIP_REQUIREMENTS: '1',
  IDLE_LOOP_DISABLE: '1',
};

export function reviewerEnvironment(env: Env): Env {
  const rest = Object.entries(env).filter(([name]) => !OF_OUR_SESSION.includes(name));
  return { ...Object.fromEntries(rest), ...SWITCHED_OFF };
}

export type Health =
  | { readonly state: 'healthy' }
  | { readonly state: 'missing' | 'unhealthy'; readonly message: string };

interface HealthOptions {
  readonly root: string;
  readonly env: Env;
  readonly logDir: string;
  /** Whether to probe each reviewer, which costs a little quota. */
  readonly checkUsageLimit: boolean;
  readonly signal?: AbortSignal;
}

const PROBE = 'hello';
const MISSING: Health = { state: 'missing', message: 'Command not found' };

/** Which reviewers are usable in one run. Each is looked up and probed once. */
export class ReviewerHealth {
  readonly #options: HealthOptions;
  readonly #known = new Map<string, Promise<Health>>();

  constructor(options: HealthOptions) {
    this.#options = options;
  }

  of(name: ReviewerName): Promise<Health> {
    const health = this.#known.get(name) ?? this.#look(name);
    this.#known.set(name, health);
    return health;
  }

  /** Sequential, since probing costs quota. `further` can be asked if the healthy ones fail. */
  async available(preference: readonly ReviewerName[], wanted: number) {
    const healthy: ReviewerName[] = [];
    const refused: string[] = [];
    const further = [...preference];
    for (const name of preference) {
      if (healthy.length >= wanted) break;
      further.shift();
      const found = await this.of(name);
      if (found.state === 'healthy') healthy.push(name);
      else refused.push(`${name}: ${found.message}`);
    }
    return { healthy, further, refused };
  }

  /** Marks a reviewer as out of quota, so it is not asked again soon. */
  limited(name: ReviewerName): void {
    this.#known.set(name, Promise.resolve(unhealthy(USAGE_LIMIT)));
    startCooldown(this.#options.logDir, name, Date.now());
  }

  async #look(name: ReviewerName): Promise<Health> {
    const { root, env, logDir, checkUsageLimit } = this.#options;
    const reviewer = REVIEWER_TABLE[name];
    if (missingProgram(reviewer.program, root, env) !== undefined) return MISSING;
    const until = readCooldowns(logDir, Date.now())[name];
    if (until !== undefined) return unhealthy(`${USAGE_LIMIT}, asked again after ${isoTime(until)}`);
    return checkUsageLimit ? this.#probe(name, reviewer) : { state: 'healthy' };
  }

  async #probe(name: string, reviewer: Reviewer): Promise<Health> {
    const { program, probeSeconds = 10 } = reviewer;
    const { root, env, signal, logDir } = this.#options;
    const ended = await runCommand({
      command: program,
      args: (reviewer.probeArgs ?? reviewer.args)({ cwd: root, env }),
      cwd: root,
      env: reviewerEnvironment(env),
      input: PROBE,
      timeoutMs: probeSeconds * 1000,
      maxBytesInMemory: 64 * 1024,
      ...(signal && { signal }),
    });
    if (saysUsageLimit(`${ended.stdout}\n${ended.stderr}`, PROBE)) {
      startCooldown(logDir, name, Date.now());
      return unhealthy(USAGE_LIMIT);
    }
    if (ended.kind === 'exited' && ended.code === 0) return { state: 'healthy' };
    const said = ended.kind === 'timed-out' ? `Timed out after ${probeSeconds}s` : firstLine(ended);
    return unhealthy(`Error: ${said}`);
  }
}

function unhealthy(message: string): Health {
  return { state: 'unhealthy', message };
}

const LONGEST_LINE = 200;

/** The output line that most likely says what went wrong. */
export function firstLine(ended: RunResult): string {
  if (ended.kind === 'not-started') return ended.detail;
  const said = [ended.stderr, ended.stdout]
    .flatMap((text) => plainText(text).split('\n'))
    .map((line) => line.trim())
    .filter((line) => line !== '');
  const line =
    said.find((one) => /\b(?:error|fatal|failed|limit|denied|invalid)\b/i.test(one)) ?? said[0] ?? '';
  if (line === '' && ended.kind === 'signalled') return `Ended by signal ${ended.signal}`;
  return line.length > LONGEST_LINE ? `${line.slice(0, LONGEST_LINE)}…` : line;
}

/** Remembers between runs which reviewers are out of quota. Not a log, so cleaning keeps it. */
const HEALTH_NAME = '.reviewer-health.json';

const COOLDOWN_MS = 15 * 60_000;

/** Reviewers not to ask, with the end in milliseconds since the epoch. An unreadable file has none. */
function readCooldowns(logDir: string, now: number): Readonly<Record<string, number>> {
  const entries = Object.entries(jsonObjectIn(readText(join(logDir, HEALTH_NAME)) ?? '') ?? {});
  return Object.fromEntries(
    entries.flatMap(([name, entry]) => {
      const until = isJsonObject(entry) ? Date.parse(String(entry['until'])) : Number.NaN;
      return until > now && until <= now + COOLDOWN_MS ? [[name, until]] : [];
    }),
  );
}

/** Stops asking a reviewer for a while. If that cannot be saved, the next run asks it again. */
function startCooldown(logDir: string, reviewer: string, now: number): void {
  const all = { ...readCooldowns(logDir, now), [reviewer]: now + COOLDOWN_MS };
  const entries = Object.entries(all).map(([name, until]) => [
    name,
    { until: isoTime(until), reason: USAGE_LIMIT },
  ]);
  attempt(() => replaceFile(join(logDir, HEALTH_NAME), Object.fromEntries(entries), false));
}

/** How reviewers say that their quota is used up. */
const USED_UP =
  /usage limit|quota exceeded|quota will reset|credit balance is too low|out of (?:extra )?usage|hit your limit|exhausted your|insufficient_quota|resource_exhausted/i;

/** Lines that only repeat the prompt do not count. */
export function saysUsageLimit(printed: string, asked: string): boolean {
  return printed.split('\n').some((line) => USED_UP.test(line) && !asked.includes(line.trim()));
}
