import { spawnSync } from 'node:child_process';
import { type Context, cannotRun, type ExitCode } from '../context';
import { buildStage } from '../try/stage';
import { playStory, showQuoted } from '../try/story';

export function tryOut({ out }: Context, { keep }: { keep: boolean }): ExitCode {
  if (spawnSync('git', ['--version']).status !== 0)
    throw cannotRun('holdpoint try: git is needed for the scratch repository, but is not on the PATH.');
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
    playStory(stage, out);
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
