import { spawnSync } from 'node:child_process';
import { existsSync } from 'node:fs';
import { resolve } from 'node:path';
import { type Context, cannotRun, type ExitCode } from '../context';
import { isCutOff, playInClient, runCutOff } from '../try/real-client';
import { buildStage, type Stage } from '../try/stage';
import { playStory, showQuoted } from '../try/story';
import type { Output } from '../ui/output';

const CLIENT_VARIABLE = 'HOLDPOINT_TRY_CLIENT';

export async function tryOut({ cwd, env, out }: Context, values: { keep: boolean }): Promise<ExitCode> {
  if (spawnSync('git', ['--version']).status !== 0)
    throw cannotRun('holdpoint try: git is needed for the scratch repository, but is not on the PATH.');
  const named = env[CLIENT_VARIABLE] || undefined;
  if (named === undefined) return playOnStage(out, values.keep, playStory);
  const client = resolve(cwd, named);
  if (!existsSync(client))
    throw cannotRun(`holdpoint try: ${client}, which ${CLIENT_VARIABLE} names, does not exist.`);
  if (isCutOff()) return playOnStage(out, values.keep, (stage) => playInClient(client, stage, out));
  const started = runCutOff(client, values.keep ? ['--keep'] : []);
  if (!('problem' in started)) return started.exitCode === 0 ? 0 : 1;
  out.error(
    `holdpoint try: not using the real client, since it cannot be cut off from the network (${started.problem}).`,
  );
  return playOnStage(out, values.keep, playStory);
}

async function playOnStage(
  out: Output,
  keep: boolean,
  play: (stage: Stage, out: Output) => ExitCode | Promise<ExitCode>,
): Promise<ExitCode> {
  const stage = buildStage();
  process.once('SIGINT', () => {
    stage.remove();
    process.exit(130);
  });
  try {
    out.line(`A scratch repository: ${stage.repository}\n`);
    const line = 'holdpoint init --yes --host claude-code';
    const { exitCode, stdout, stderr } = stage.run(line);
    if (exitCode !== 0) throw new Error(`${line}: ${stdout}${stderr}`);
    out.line(`    ${out.style('cyan', `$ ${line}`)}`);
    showQuoted(out, stdout.split('\nNext\n')[0] ?? '');
    out.line();
    const played = await play(stage, out);
    if (played !== 0) return played;
    out.line(out.style('bold', 'Afterwards, the log shows what was held:'));
    out.line(`    ${out.style('cyan', '$ holdpoint log')}`);
    showQuoted(out, stage.run('holdpoint log').stdout);
    out.line();
  } finally {
    if (!keep) stage.remove();
  }
  out.line('In your own repository, start with `holdpoint init`.');
  return 0;
}
