import { join } from 'node:path';
import { COMMAND_TEXTS } from '../command-texts';
import type { Ground, HostSetup, OwnFile, Scope } from '../setup';
import { commandFile } from './command-file';
import { pluginFile } from './plugin-file';

export const opencodeSetup: HostSetup = {
  name: 'opencode',
  title: 'OpenCode',
  scopes: ['project', 'user'],
  signs: {
    project: ['.opencode', 'opencode.json', 'opencode.jsonc'],
    home: ['.config/opencode'],
    programs: ['opencode'],
  },
  afterwards: () => [
    'In `opencode run` no stop can be refused: the program ends with the agent’s turn, so loops, gates and requirements at a stop do not hold there. In the terminal program and the server they do.',
    'OpenCode loads plugins when it starts: start it anew.',
  ],
  sheet: (scope, ground, { start }) => {
    const dir = folder(scope, ground);
    const commands = COMMAND_TEXTS.map(
      (text): OwnFile => ({ file: join(dir, 'command', `${text.name}.md`), text: commandFile(text) }),
    );
    const file = join(dir, 'plugin', 'holdpoint.js');
    return { kind: 'own-file', file, text: pluginFile(start.library), files: commands };
  },
  isOurs: () => false,
  rival: () => undefined,
  examine: () => [],
};

function folder(scope: Scope, { project, home, env }: Ground): string {
  if (scope !== 'user') return join(project, '.opencode');
  return join(env['XDG_CONFIG_HOME'] || join(home, '.config'), 'opencode');
}
