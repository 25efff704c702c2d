import { REVIEWERS, type ReviewerName } from '../reviewers';

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
