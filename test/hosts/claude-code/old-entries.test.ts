import { expect, it } from 'vitest';
import { olderProgram } from '../../../src/hosts/claude-code/old-entries';

it.each<[string, string | undefined]>([
  ['agent-gauntlet stop-hook', 'agent-gauntlet'],
  ['npx agent-gauntlet stop-hook', 'agent-gauntlet'],
  ['node "/opt/x y/agent-gauntlet.cjs" stop-hook', 'agent-gauntlet'],
  ['agent-gauntlet run', undefined],
  ['python3 ~/.claude/hooks/check-requirements.py', 'claude-requirements-framework'],
  ['"$HOME"/.claude/hooks/handle-stop.py', 'claude-requirements-framework'],
  ['python3 "$CLAUDE_PROJECT_DIR/.claude/hooks/auto-satisfy-skills.py"', 'claude-requirements-framework'],
  ['python3 .claude/hooks/check-requirements.pyc', undefined],
  ['python3 ~/.claude/hooks/handle-mine.py', undefined],
  ['bash ~/src/idle/hooks/stop-hook.sh', 'idle'],
  ['/usr/local/bin/idle stop', 'idle'],
  ['bash hooks/stop-hook.sh', undefined],
  ['idle stop-watch', undefined],
  ['node $CLAUDE_PROJECT_DIR/.claude/hooks/branch-guard.cjs', 'iSDLC'],
  ['node "$CLAUDE_PROJECT_DIR"/.claude/hooks/dispatchers/pre-task-dispatcher.cjs', 'iSDLC'],
  ['node .claude/hooks/branch-guard.cjs.bak', undefined],
  ['node $CLAUDE_PROJECT_DIR/.claude/hooks/my-own.cjs', undefined],
])('%s is a line of %s', (command, program) => {
  expect(olderProgram({ hooks: [{ type: 'command', command }] })?.program).toBe(program);
});

it('the exec form has its arguments apart', () => {
  expect(olderProgram({ hooks: [{ command: 'agent-gauntlet', args: ['stop-hook'] }] })?.command).toBe(
    'agent-gauntlet stop-hook',
  );
});
