import { spawn } from 'node:child_process';
import { existsSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { SESSION } from './events';
import {
  type Circumstances,
  commandFile,
  type Ended,
  type HostDocument,
  makeRig,
  type Rig,
  runNow,
  template,
} from './rig';

/** What the gates' own command prints. */
export interface Printed {
  readonly decision: string;
  readonly status: string;
  readonly message: string;
  readonly reason?: string;
  readonly stopReason?: string;
  readonly systemMessage?: string;
}

export interface Started {
  readonly pid: number;
  kill(signal: NodeJS.Signals): void;
  readonly ended: Promise<Ended & { readonly signal: NodeJS.Signals | null }>;
}

/** A repository on branch `feat` with one uncommitted change in `src`, and a check `c` for it. */
export interface StopHookProject {
  readonly rig: Rig;
  /** The gates' own command; its one line, after its form was looked at. */
  stopHook(input?: HostDocument | string, how?: Circumstances): Printed;
  /** The same, with all that it left behind. */
  run(input?: HostDocument | string, how?: Circumstances): Ended;
  start(command: 'agent-gauntlet' | 'hook', input?: HostDocument, how?: Circumstances): Started;
  gauntlet(args: readonly string[], how?: Circumstances): Ended;
  /** A stop of the session of most scenarios, through `holdpoint hook`. */
  stop(more?: HostDocument, how?: Circumstances): Ended;
  stopEvent(more?: HostDocument): HostDocument;
  check(yaml: string, name?: string): void;
  config(more: string, entryPoints?: string): void;
  /** A file of the log directory; `undefined` where there is none. */
  log(name: string): string | undefined;
  /** Names in the log directory or one below, hidden ones left out. */
  logs(dir?: string): string[];
  state(): Record<string, unknown>;
  writeState(state: object | string): void;
  minutesAgo(minutes: number): string;
}

const ENTRY = '[{ path: src, checks: [c] }]';
/** Each stop runs the gates, whatever the last run was. */
export const ALWAYS = { GAUNTLET_STOP_HOOK_INTERVAL_MINUTES: '0' };

export function stopHookProject(checkCommand: string): StopHookProject {
  const like = template('stop hook', (rig) => {
    rig.write('.gitignore', 'gauntlet_logs\n');
    rig.write('src/a.txt', 'one\n');
    rig.write('.gauntlet/config.yml', 'x\n');
    rig.write('.gauntlet/checks/c.yml', 'x\n');
    rig.git('add', '.');
    rig.git('commit', '--quiet', '-m', 'start');
    rig.git('checkout', '--quiet', '-b', 'feat');
  });
  const rig = makeRig('', '', like);
  const logDir = (name = ''): string => join(rig.repo, 'gauntlet_logs', name);
  const options = (how: Circumstances = {}) => ({
    cwd: how.cwd ?? rig.repo,
    env: rig.environment(how.env),
  });
  const text = (input: HostDocument | string): string =>
    typeof input === 'string' ? input : JSON.stringify(input);
  const run: StopHookProject['run'] = (input = { stop_hook_active: false }, how) =>
    runNow('agent-gauntlet', ['stop-hook'], text(input), options(how));
  const stopEvent: StopHookProject['stopEvent'] = (more) => ({
    session_id: SESSION,
    hook_event_name: 'Stop',
    prompt_id: 'p1',
    stop_hook_active: false,
    cwd: rig.repo,
    ...more,
  });
  const project: StopHookProject = {
    rig,
    run,
    stopEvent,
    stopHook: (input, how) => soundLine(run(input, how)),
    start: (command, input = { stop_hook_active: false }, how = {}) =>
      started(command, text(input), options(how)),
    gauntlet: (args, how) => runNow('agent-gauntlet', args, '', options(how)),
    stop: (more, how) => rig.hook(stopEvent(more), how),
    check: (yaml, name = 'c') => rig.write(`.gauntlet/checks/${name}.yml`, yaml),
    config: (more, entryPoints = ENTRY) =>
      rig.write(
        '.gauntlet/config.yml',
        `cli: { default_preference: [claude] }\nentry_points: ${entryPoints}\n${more}\n`,
      ),
    log: (name) => (existsSync(logDir(name)) ? readFileSync(logDir(name), 'utf8') : undefined),
    logs: (dir = '') =>
      existsSync(logDir(dir))
        ? readdirSync(logDir(dir))
            .filter((name) => !name.startsWith('.'))
            .sort()
        : [],
    state: () => JSON.parse(readFileSync(logDir('.execution_state'), 'utf8')),
    writeState: (state) => {
      mkdirSync(dirname(logDir('.execution_state')), { recursive: true });
      writeFileSync(logDir('.execution_state'), typeof state === 'string' ? state : JSON.stringify(state));
    },
    minutesAgo: (minutes) => new Date(Date.now() - minutes * 60_000).toISOString(),
  };
  project.config('');
  project.check(`command: ${JSON.stringify(checkCommand)}\n`);
  rig.git('commit', '--quiet', '-am', 'gates');
  rig.git('update-ref', 'refs/remotes/origin/main', 'HEAD');
  rig.write('src/a.txt', 'two\n');
  return project;
}

/** One line of JSON with the fields that every answer has, and exit code 0; the test fails here otherwise. */
function soundLine({ stdout, stderr, exitCode }: Ended): Printed {
  if (exitCode !== 0 || stdout.split('\n').length !== 2 || !stdout.endsWith('\n')) {
    throw new Error(`not one line: ${exitCode} ${stdout}${stderr}`);
  }
  const printed = JSON.parse(stdout) as Printed;
  const blocks = printed.decision === 'block';
  const fields = [printed.decision, printed.status, printed.message].every((field) => field !== '');
  const reasons = blocks
    ? printed.reason !== undefined && printed.stopReason === printed.reason
    : printed.reason === undefined && printed.stopReason === undefined;
  if (!fields || !reasons || (blocks ? printed.status !== 'failed' : printed.decision !== 'approve')) {
    throw new Error(`not the form that is agreed: ${stdout}`);
  }
  return printed;
}

function started(
  command: string,
  input: string,
  options: { cwd: string; env: Record<string, string> },
): Started {
  const args = command === 'agent-gauntlet' ? ['stop-hook'] : [];
  const child = spawn(process.execPath, [commandFile(command), ...args], options);
  const [out, err]: [Buffer[], Buffer[]] = [[], []];
  child.stdout.on('data', (data: Buffer) => out.push(data));
  child.stderr.on('data', (data: Buffer) => err.push(data));
  child.stdin.on('error', () => undefined);
  child.stdin.end(input);
  return {
    pid: child.pid ?? 0,
    kill: (signal) => child.kill(signal),
    ended: new Promise((resolve) => {
      child.on('close', (exitCode, signal) => {
        const stdout = Buffer.concat(out).toString();
        const json = stdout === '' ? undefined : JSON.parse(stdout);
        resolve({ stdout, stderr: Buffer.concat(err).toString(), exitCode, signal, json });
      });
    }),
  };
}

/** Waits for something that another process does. */
export async function until(condition: () => boolean): Promise<void> {
  const deadline = Date.now() + 60_000;
  while (!condition()) {
    if (Date.now() > deadline) throw new Error('it did not happen');
    await new Promise((next) => setTimeout(next, 10));
  }
}
