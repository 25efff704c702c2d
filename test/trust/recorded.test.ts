import { execFileSync } from 'node:child_process';
import { readFileSync, writeFileSync } from 'node:fs';
import { expect, it } from 'vitest';
import { SESSION } from '../e2e/events';
import type { HostDocument, Rig } from '../e2e/rig';
import { RECORDED } from './recording';
import { approve, said, strictRig } from './strict';

interface Recorded extends HostDocument {
  readonly hook_event_name: string;
  readonly tool_name?: string;
  readonly tool_input?: Readonly<Record<string, string>>;
}

const PASSED = /^\{"decision":"approve","status":"passed",.*"Holdpoint: \d+ checks? passed [^"]*"\}\n$/;

function eventsFor({ repo, home, dir }: Rig): Recorded[] {
  const text = readFileSync(RECORDED, 'utf8')
    .replaceAll('$PROJECT', repo)
    .replaceAll('$HOME', home)
    .replaceAll('$DIR', dir)
    .replaceAll('$SESSION', SESSION);
  return text
    .trim()
    .split('\n')
    .map((line) => JSON.parse(line) as Recorded);
}

/** Does what the client did between two events; the project's tests are not run. */
function carryOut({ tool_name: tool, tool_input: input = {} }: Recorded, rig: Rig): void {
  const { file_path: file = '', content = '', old_string: old = '', new_string: text = '' } = input;
  if (tool === 'Write') writeFileSync(file, content);
  if (tool === 'Edit') writeFileSync(file, readFileSync(file, 'utf8').replace(old, text));
  if (tool !== 'Bash' || /\bnode\b|npm|check\.sh 2|missing/.test(input['command'] ?? '')) return;
  const identity = { GIT_AUTHOR_NAME: 'A', GIT_AUTHOR_EMAIL: 'a@example.invalid' };
  const committer = { GIT_COMMITTER_NAME: 'A', GIT_COMMITTER_EMAIL: 'a@example.invalid' };
  execFileSync('sh', ['-c', input['command'] ?? ''], {
    cwd: rig.repo,
    env: rig.environment({ ...identity, ...committer }),
    stdio: 'ignore',
  });
}

it('a recorded session of a hundred calls is never held, asked about or told of', () => {
  const rig = strictRig({
    'package.json': '{"name": "functions", "scripts": {"test": "node --test"}}\n',
    'README.md': '# Functions of all kinds\n\n## Functions\n',
    '.gitignore': 'node_modules/\n',
  });
  try {
    approve(rig);
    const events = eventsFor(rig).filter(({ hook_event_name: name }) => name !== 'SessionStart');
    const alarms = events.flatMap((event) => {
      const told = said(rig.hook(event, { env: { CLAUDE_PID: String(process.pid) } })).replace(PASSED, '');
      if (event.hook_event_name === 'PreToolUse') carryOut(event, rig);
      return told === '' ? [] : [`${JSON.stringify(event.tool_input ?? event.hook_event_name)}: ${told}`];
    });
    expect(alarms).toEqual([]);
    expect(events.filter(({ hook_event_name: name }) => name === 'PreToolUse').length).toBeGreaterThanOrEqual(
      100,
    );
    expect(rig.git('rev-list', '--count', 'HEAD')).toBe('11');
  } finally {
    rig.remove();
  }
});
