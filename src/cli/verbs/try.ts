import { spawnSync } from 'node:child_process';
import { parseArgs } from 'node:util';
import { buildStage } from '../try/stage';
import { STORY } from '../try/story';
import { tell } from '../try/tell';
import type { Verb } from '../verb';

export const verb: Verb = {
  usage: 'holdpoint try [--keep]',
  run(args, { out }) {
    const { values } = parseArgs({ args: [...args], options: { keep: { type: 'boolean', default: false } } });
    if (spawnSync('git', ['--version']).status !== 0) {
      out.error('holdpoint try: git is needed for the scratch repository, and it is not on the PATH.');
      return 2;
    }
    const stage = buildStage();
    process.once('SIGINT', () => {
      stage.remove();
      process.exit(130);
    });
    try {
      out.line(`A scratch repository: ${stage.repository}`);
      out.line(
        'A scripted agent works in it. Every event goes through the hook that a real host would call.\n',
      );
      for (const [index, scene] of STORY.entries()) {
        const reply =
          scene.kind === 'event' ? stage.sendEvent(scene.event) : stage.run(scene.command, scene.args);
        tell(out, index + 1, scene, reply);
      }
      out.line(out.style('bold', 'The journal knows it all (holdpoint log):'));
      out.line(stage.run('holdpoint', ['log']).stdout);
    } finally {
      if (!values.keep) stage.remove();
    }
    for (const line of NEXT_STEPS) out.line(line);
    return 0;
  },
};

const NEXT_STEPS = [
  'What to do next, in a repository of your own:',
  '  1. Write .holdpoint/config.yaml; three lines are enough:',
  '       requirements:',
  '         commit_plan:',
  '           enabled: true',
  '  2. Let the host call the hook: in .claude/settings.json, for PreToolUse, Stop and SessionStart,',
  '       {"type": "command", "command": "holdpoint hook"}',
  '  3. `holdpoint log` shows what was decided, `holdpoint why ID` why.',
];
