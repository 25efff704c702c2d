import { type JsonObject, jsonObjectIn } from '../../../core/json';
import { type ProgramEnded, runProgram } from './run-program';

/** Where the real Claude Code is started, and with which model. */
export interface ClientPlace {
  readonly program: string;
  /** Where the scripted model listens. */
  readonly modelUrl: string;
  readonly home: string;
  readonly cwd: string;
  /** Laid over the whole environment that the client gets; nothing of ours is inherited. */
  readonly env?: Readonly<Record<string, string>>;
  /** After so many milliseconds it is killed. */
  readonly deadline?: number;
}

/** One headless run with a prompt. */
export interface ClientRun extends ClientPlace {
  readonly prompt: string;
  readonly args?: readonly string[];
}

export interface ClientEnded extends ProgramEnded {
  /** The client's own record of the run, a document a line. */
  readonly stream: readonly JsonObject[];
}

/** Keeps the client from asking for anything but the model; root may do without questions only in a sandbox. */
const QUIET = {
  ANTHROPIC_API_KEY: 'test-key',
  CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC: '1',
  DISABLE_AUTOUPDATER: '1',
  DISABLE_ERROR_REPORTING: '1',
  DISABLE_TELEMETRY: '1',
  IS_SANDBOX: '1',
};

/** Runs the client to the end of its turn, with no question asked before a tool runs: only hooks decide. */
export async function runClient(run: ClientRun): Promise<ClientEnded> {
  const record = ['--output-format', 'stream-json', '--verbose'];
  const args = ['-p', run.prompt, ...record, '--permission-mode', 'bypassPermissions', ...(run.args ?? [])];
  const ended = await callClient(run, args);
  return { ...ended, stream: ended.stdout.split('\n').flatMap(documentOf) };
}

/** Any other call of the client. */
export function callClient(place: ClientPlace, args: readonly string[]): Promise<ProgramEnded> {
  const { program: path, cwd, deadline = 60_000 } = place;
  return runProgram({ path, args, cwd, env: clientEnvironment(place), deadline });
}

/** Everything that the client sees of the environment. */
export function clientEnvironment({ home, modelUrl, env }: ClientPlace): Record<string, string> {
  return {
    PATH: '/usr/local/bin:/usr/bin:/bin',
    HOME: home,
    SHELL: '/bin/bash',
    LANG: 'C.UTF-8',
    TERM: 'dumb',
    GIT_CONFIG_NOSYSTEM: '1',
    ANTHROPIC_BASE_URL: modelUrl,
    ...QUIET,
    ...env,
  };
}

function documentOf(line: string): JsonObject[] {
  const document = jsonObjectIn(line);
  return document === undefined ? [] : [document];
}
