import { spawnSync } from 'node:child_process';
import { mkdirSync, realpathSync, writeFileSync } from 'node:fs';
import { homedir, networkInterfaces, tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import type { ExitCode } from '../context';
import { ownDist } from '../install/launch';
import type { Output } from '../ui/output';
import { runClient } from './client/claude-code';
import { isolated, isolationProblem } from './client/isolation';
import { type Asked, bash, call, say, startModel, type Turn } from './client/scripted-model';
import type { Stage } from './stage';
import { showQuoted, type Verdict, verdictMark } from './story';

/** One answer of the scripted model, and what a watcher is told of it. */
interface Step {
  readonly told: string;
  readonly shown: string;
  readonly turn: Turn;
  /** Shows what the tool answered even where the agent was not held. */
  readonly tellsReply?: true;
}

/** The same session as in the scripted story, lived by an agent in its real host. */
const STEPS: readonly Step[] = [
  {
    told: 'The agent reads a file. No rule is about reading, so nothing happens.',
    shown: 'Read src/login.ts',
    turn: call({ name: 'Read', input: { file_path: 'src/login.ts' } }),
  },
  editing('The agent edits without a plan.', '42', '43'),
  {
    ...running('It does as told: it has a plan, and says so in its own shell.', 'req satisfy commit_plan'),
    tellsReply: true,
  },
  editing('It tries again.', '42', '43'),
  running('It switches to main …', 'git checkout --quiet main'),
  editing('… and goes on editing there.', '43', '44'),
  running('It goes back to its branch.', 'git checkout --quiet feature/login'),
  {
    told: 'It wants to end its turn, but an edit needs a changelog entry.',
    shown: 'end of the turn',
    turn: say('All done.'),
  },
  { ...running('The entry is written and recorded.', 'req satisfy changelog'), tellsReply: true },
  { told: 'The agent ends its turn.', shown: 'end of the turn', turn: say('The changelog is written.') },
];

function running(told: string, command: string): Step {
  return { told, shown: `Bash ${command}`, turn: call(bash(command)) };
}

function editing(told: string, before: string, after: string): Step {
  const input = { file_path: 'src/login.ts', old_string: before, new_string: after };
  return { told, shown: 'Edit src/login.ts', turn: call({ name: 'Edit', input }) };
}

/** Lets the real client work in the scratch repository, with a model that follows the steps. 1 if the client fails. */
export async function playInClient(program: string, stage: Stage, out: Output): Promise<ExitCode> {
  let next = 0;
  const model = await startModel((asked) => {
    if (next === 0) showStart(out, asked);
    else showOutcome(out, asked, STEPS[next - 1]);
    const step = STEPS[next];
    next += 1;
    if (step === undefined) return say('The story is over.');
    out.line(`${out.style('dim', `${next}.`.padStart(3))} ${out.style('bold', step.told)}`);
    out.line(`    ${out.style('dim', step.shown)}`);
    return step.turn;
  });
  try {
    const env = { PATH: installHook(stage) };
    const { home, repository: cwd } = stage;
    out.line('The real Claude Code works in it, cut off from every network. Only its model is scripted.\n');
    const prompt = 'Make the answer 43.';
    out.line(`${out.style('bold', 'A person asks:')} ${prompt}`);
    const { exitCode, stderr } = await runClient({ program, modelUrl: model.url, home, cwd, prompt, env });
    if (exitCode === 0) out.line(`    ${verdictMark(out, 'allowed')}\n`);
    else out.error(`${program} ended with exit code ${exitCode}. ${stderr}`);
    return exitCode === 0 ? 0 : 1;
  } finally {
    await model.close();
  }
}

/** The first request also holds what the session starts with. */
function showStart(out: Output, { news }: Asked): void {
  showQuoted(out, /SessionStart hook additional context: ([\s\S]*?)\n\n/.exec(news)?.[1] ?? '');
  out.line();
}

/** What came of the last step, as the model read it. */
function showOutcome(out: Output, { news, hasErrors }: Asked, last: Step | undefined): void {
  const feedback = /^Stop hook feedback:\n([\s\S]*?)(?:\nStop hook blocking error|$)/.exec(news)?.[1];
  const verdict: Verdict = feedback !== undefined ? 'held' : hasErrors ? 'denied' : 'allowed';
  out.line(`    ${verdictMark(out, verdict)}`);
  if (verdict !== 'allowed' || last?.tellsReply)
    showQuoted(out, feedback ?? news.replace(/^PreToolUse:\w+ hook error: /, ''));
  out.line();
}

/** Installs the hook for the client, and returns a PATH on which our commands are found. Throws where that fails. */
function installHook(stage: Stage): string {
  const bin = join(stage.home, 'bin');
  mkdirSync(bin);
  for (const name of ['holdpoint', 'req']) {
    const script = `#!/bin/sh\nexec '${process.execPath}' '${join(ownDist(), `${name}.cjs`)}' "$@"\n`;
    writeFileSync(join(bin, name), script, { mode: 0o755 });
  }
  const { exitCode, stdout, stderr } = stage.run('holdpoint', ['install', '--host', 'claude-code']);
  if (exitCode !== 0) throw new Error(`holdpoint install: ${stdout}${stderr}`);
  return [bin, dirname(process.execPath), process.env['PATH'] ?? ''].join(':');
}

/** Whether this process can reach nothing but itself. */
export function isCutOff(): boolean {
  return Object.values(networkInterfaces())
    .flat()
    .every((one) => one?.internal === true);
}

/** Starts `holdpoint try` once more where no network can be reached, or says why that cannot be done. */
export function tryCutOff(
  client: string,
  args: readonly string[],
): { problem: string } | { exitCode: number } {
  const problem = isolationProblem();
  if (problem !== undefined) return { problem };
  const dist = ownDist();
  const command = [process.execPath, `${dist}/holdpoint.cjs`, 'try', ...args];
  const needed = [dist, client, realpathSync(client), process.execPath, tmpdir()];
  const [program = '', ...rest] = isolated(command, homedir(), needed);
  const { status } = spawnSync(program, rest, { stdio: 'inherit' });
  return { exitCode: status ?? 1 };
}
