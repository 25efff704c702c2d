import { spawnSync } from 'node:child_process';
import { mkdirSync, realpathSync, writeFileSync } from 'node:fs';
import { homedir, networkInterfaces, tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import type { ExitCode } from '../context';
import type { Output } from '../ui/output';
import { runClient } from './client/claude-code';
import { isolated, isolationProblem } from './client/isolation';
import { type Asked, bash, type Call, call, say, startModel, type Turn } from './client/scripted-model';
import { DIST, type Stage } from './stage';
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
    told: 'The agent reads a file. Nobody asked about reading, so nothing happens.',
    ...doing('Read src/login.ts', { name: 'Read', input: { file_path: 'src/login.ts' } }),
  },
  { told: 'The agent edits without a plan.', ...editing('42', '43') },
  {
    told: 'It does what it has read: the plan is there, and it says so in its own shell.',
    ...running('req satisfy commit_plan'),
    tellsReply: true,
  },
  { told: 'It tries again.', ...editing('42', '43') },
  { told: 'It switches to main …', ...running('git checkout --quiet main') },
  { told: '… and goes on editing there.', ...editing('43', '44') },
  { told: 'It goes back to its branch.', ...running('git checkout --quiet feature/login') },
  {
    told: 'It wants to end its turn, but the edit called for a changelog entry.',
    shown: 'end of the turn',
    turn: say('All done.'),
  },
  { told: 'The entry is written and recorded.', ...running('req satisfy changelog'), tellsReply: true },
  { told: 'The agent ends its turn.', shown: 'end of the turn', turn: say('The changelog is written.') },
];

function doing(shown: string, one: Call): Pick<Step, 'shown' | 'turn'> {
  return { shown, turn: call(one) };
}

function running(command: string): Pick<Step, 'shown' | 'turn'> {
  return doing(`Bash ${command}`, bash(command));
}

function editing(before: string, after: string): Pick<Step, 'shown' | 'turn'> {
  const input = { file_path: 'src/login.ts', old_string: before, new_string: after };
  return doing('Edit src/login.ts', { name: 'Edit', input });
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
    const script = `#!/bin/sh\nexec '${process.execPath}' '${join(DIST, `${name}.cjs`)}' "$@"\n`;
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
  const command = [process.execPath, `${DIST}/holdpoint.cjs`, 'try', ...args];
  const needed = [DIST, client, realpathSync(client), process.execPath, tmpdir()];
  const [program = '', ...rest] = isolated(command, homedir(), needed);
  const { status } = spawnSync(program, rest, { stdio: 'inherit' });
  return { exitCode: status ?? 1 };
}
