import { describe, expect, it } from 'vitest';
import type { Cli } from '../../src/cli/command';
import { holdpoint } from '../../src/cli/commands/holdpoint';
import { COMMANDS } from '../../src/cli/commands/table';
import { eventsIn, KEY } from '../e2e/events';
import { makeRig } from '../e2e/rig';

/** Every command that does something itself; `help` and those that only say that they are not there are left out. */
function commandsBelow(cli: Cli): string[] {
  const below = (cli.commands as Cli[]).filter((one) => one.name() !== 'help');
  if (below.length === 0) return cli.summary() === '' ? [] : [cli.words];
  return below.flatMap(commandsBelow);
}

it('every command says who may run it', () => {
  const unsaid = commandsBelow(holdpoint()).filter((words) => COMMANDS[words] === undefined);
  expect(unsaid).toEqual([]);
});

/** What each needs to get as far as the question who asks. */
const ARGUMENTS: Readonly<Record<string, readonly string[]>> = {
  trust: ['--accept'],
  approve: ['plan'],
  reject: ['plan'],
  'flow cancel': ['--reason', 'x'],
  'flow approve': ['01-requirements'],
};

describe('what is for people only is refused in the shell of an agent', () => {
  const all = commandsBelow(holdpoint()).filter((words) => COMMANDS[words]?.[0] === 'people');
  it(`all ${all.length} of them`, () => {
    const rig = makeRig(
      'requirements: {plan: {enabled: true, agent_may_satisfy: false}}\n',
      '.holdpoint/config.yaml',
    );
    try {
      const client = { CLAUDE_PID: String(process.pid) };
      rig.hook(eventsIn(rig).start('startup'), { env: client });
      rig.holdpoint(['loop', 'start', '--session', KEY, 'work']);
      rig.holdpoint(['flow', 'start', 'fix']);
      rig.write('.holdpoint/config.local.yaml', 'requirements: {plan: {enabled: false}}\n');
      const answers = all.map((words) => {
        const session = /pause|loop/.test(words) ? ['--session', KEY] : [];
        const ended = rig.holdpoint([...words.split(' '), ...(ARGUMENTS[words] ?? []), ...session], {
          env: { CLAUDECODE: '1' },
        });
        return [words, ended.exitCode, /[Oo]nly a person|person/.test(ended.stderr)];
      });
      expect(answers).toEqual(all.map((words) => [words, 1, true]));
    } finally {
      rig.remove();
    }
  });
});
