import { spawnSync } from 'node:child_process';
import { type Context, cannotRun, type ExitCode } from '../context';
import { buildStage } from '../try/stage';
import { playStory, showQuoted } from '../try/story';
import { print, styled } from '../ui/output';

export function tryOut(_context: Context, { keep }: { keep: boolean }): ExitCode {
  if (spawnSync('git', ['--version']).status !== 0)
    throw cannotRun('holdpoint try: git is needed for the scratch repository, but is not on the PATH.');
  const stage = buildStage();
  process.once('SIGINT', () => {
    stage.remove();
    process.exit(130);
  });
  try {
    print(`A scratch repository: ${stage.repository}\n`);
    const line = 'holdpoint init --yes --host claude-code';
    const { exitCode, stdout, stderr } = stage.run(line);
    if (exitCode !== 0) throw new Error(`${line}: ${stdout}${stderr}`);
    print(`    ${styled('cyan', `$ ${line}`)}`);
    showQuoted(stdout.split('\nNext\n')[0] ?? '');
    print();
    playStory(stage);
    print(styled('bold', 'Afterwards, the log shows what was held:'));
    print(`    ${styled('cyan', '$ holdpoint log')}`);
    showQuoted(stage.run('holdpoint log').stdout);
    print();
  } finally {
    if (!keep) stage.remove();
  }
  print('In your own repository, start with `holdpoint init`.');
  return 0;
}
