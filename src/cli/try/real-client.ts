import { spawnSync } from 'node:child_process';
import { existsSync, realpathSync } from 'node:fs';
import { homedir, networkInterfaces, tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import type { ExitCode } from '../context';
import { ownDist } from '../install/launch';
import type { Output } from '../ui/output';
import { runClient } from './client/claude-code';
import { isolated, isolationProblem } from './client/isolation';
import { type Asked, bash, call, say, startModel, type Turn } from './client/scripted-model';
import type { Stage } from './stage';
import { PROMPT, STORY, type Step, showQuoted, showStep, type Verdict, verdictMark } from './story';

/** Runs the real client in the scratch repository, with a scripted model. 1 if the client fails. */
export async function playInClient(program: string, stage: Stage, out: Output): Promise<ExitCode> {
  let next = 0;
  const model = await startModel((asked) => {
    if (next === 0) {
      // The first request also contains the output of the SessionStart hook.
      showQuoted(out, /SessionStart hook additional context: ([\s\S]*?)\n\n/.exec(asked.news)?.[1] ?? '');
      out.line();
    } else showOutcome(out, asked, STORY[next - 1]);
    const step = STORY[next];
    next += 1;
    if (step === undefined) return say('The story is over.');
    showStep(out, next, step);
    return turnOf(step);
  });
  try {
    const { home, repository: cwd, path } = stage;
    out.line('The real Claude Code works in it, cut off from every network. Only its model is scripted.\n');
    out.line(`${out.style('bold', 'A person asks:')} ${PROMPT}`);
    const env = { PATH: path };
    const run = { program, modelUrl: model.url, home, cwd, prompt: PROMPT, env };
    const { exitCode, stderr } = await runClient(run);
    if (exitCode === 0) out.line(`    ${verdictMark(out, 'allowed')}\n`);
    else out.error(`${program} ended with exit code ${exitCode}. ${stderr}`);
    return exitCode === 0 ? 0 : 1;
  } finally {
    await model.close();
  }
}

function turnOf({ does }: Step): Turn {
  if ('says' in does) return say(does.says);
  return call('command' in does ? bash(does.command) : { name: does.tool, input: does.input });
}

/** Shows the result of the last step, as the model read it. */
function showOutcome(out: Output, { news, hasErrors }: Asked, last: Step | undefined): void {
  const feedback = /^Stop hook feedback:\n([\s\S]*?)(?:\nStop hook blocking error|$)/.exec(news)?.[1];
  const verdict: Verdict = feedback !== undefined || hasErrors ? 'held' : 'allowed';
  const isCommand = last !== undefined && 'command' in last.does;
  if (!isCommand) out.line(`    ${verdictMark(out, verdict)}`);
  if (isCommand || verdict === 'held')
    showQuoted(out, feedback ?? news.replace(/^PreToolUse:\w+ hook error: /, ''));
  out.line();
}

/** Whether this process has only a loopback network. */
export function isCutOff(): boolean {
  return Object.values(networkInterfaces())
    .flat()
    .every((one) => one?.internal === true);
}

/** Runs `holdpoint try` again without a network, or says why that is impossible. */
export function runCutOff(
  client: string,
  args: readonly string[],
): { problem: string } | { exitCode: number } {
  const problem = isolationProblem();
  if (problem !== undefined) return { problem };
  const dist = ownDist();
  const command = [process.execPath, `${dist}/holdpoint.cjs`, 'try', ...args];
  const npm = join(dirname(process.execPath), 'npm');
  const needed = [dist, client, realpathSync(client), process.execPath, tmpdir()];
  if (existsSync(npm)) needed.push(npm, dirname(dirname(realpathSync(npm))));
  const [program = '', ...rest] = isolated(command, homedir(), needed);
  const { status } = spawnSync(program, rest, { stdio: 'inherit' });
  return { exitCode: status ?? 1 };
}
