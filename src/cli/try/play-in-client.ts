import type { Output } from '../ui/output';
import type { ExitCode } from '../verb';
import type { Asked } from './client/asked';
import { runClient } from './client/claude-code';
import { startModel } from './client/scripted-model';
import { say } from './client/turn';
import { CLIENT_STORY, type Step } from './client-story';
import type { Stage } from './stage';
import { indent, marked, type Told } from './tell';
import { wireClient } from './wire-client';

/** Lets the real client work in the scratch repository, with a model that follows the story. 1 if the client fails. */
export async function playInClient(program: string, stage: Stage, out: Output): Promise<ExitCode> {
  let next = 0;
  const model = await startModel((asked) => {
    if (next === 0) tellStart(out, asked);
    else tellSeen(out, asked, CLIENT_STORY[next - 1]);
    const step = CLIENT_STORY[next];
    next += 1;
    if (step === undefined) return say('The story is over.');
    out.line(`${out.style('dim', `${next}.`.padStart(3))} ${out.style('bold', step.told)}`);
    out.line(`    ${out.style('dim', step.shown)}`);
    return step.turn;
  });
  try {
    const env = { PATH: wireClient(stage) };
    const { home, repository: cwd } = stage;
    out.line('The real Claude Code works in it, cut off from every network. Only its model is scripted.\n');
    const prompt = 'Make the answer 43.';
    out.line(`${out.style('bold', 'A person asks:')} ${prompt}`);
    const { exitCode, stderr } = await runClient({ program, modelUrl: model.url, home, cwd, prompt, env });
    if (exitCode === 0) out.line(`    ${marked(out, 'allowed')}\n`);
    else out.error(`${program} ended with exit code ${exitCode}. ${stderr}`);
    return exitCode === 0 ? 0 : 1;
  } finally {
    await model.close();
  }
}

/** The first question also holds what the session starts with. */
function tellStart(out: Output, { news }: Asked): void {
  indent(out, /SessionStart hook additional context: ([\s\S]*?)\n\n/.exec(news)?.[1] ?? '');
  out.line();
}

/** What came of the last step, as the model read it. */
function tellSeen(out: Output, { news, hasErrors }: Asked, last: Step | undefined): void {
  const feedback = /^Stop hook feedback:\n([\s\S]*?)(?:\nStop hook blocking error|$)/.exec(news)?.[1];
  const verdict: Told = feedback !== undefined ? 'held' : hasErrors ? 'denied' : 'allowed';
  out.line(`    ${marked(out, verdict)}`);
  if (verdict !== 'allowed' || last?.tellsReply)
    indent(out, feedback ?? news.replace(/^PreToolUse:\w+ hook error: /, ''));
  out.line();
}
