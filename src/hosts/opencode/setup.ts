import { join } from 'node:path';
import { COMMAND_TEXTS, type CommandText } from '../command-texts';
import type { HostSetup, InstallTarget, Scope } from '../setup';
import { LIBRARY_FILE } from '../start-line';

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
    '`opencode run` exits when the agent’s turn ends, so nothing can hold the end of a turn there: no loop, gate or requirement at a stop. In the terminal UI and the server they do hold.',
    'OpenCode loads plugins when it starts: restart it.',
  ],
  installSpec: (scope, target) => {
    const file = join(folder(scope, target), 'plugin', 'holdpoint.js');
    const commands = COMMAND_TEXTS.map((text) => ({
      file: join(folder(scope, target), 'command', `${text.name}.md`),
      text: commandFile(text),
    }));
    return { file, entries: [], files: [{ file, text: PLUGIN }, ...commands] };
  },
};

function folder(scope: Scope, { project, home, env }: InstallTarget): string {
  if (scope !== 'user') return join(project, '.opencode');
  return join(env['XDG_CONFIG_HOME'] || join(home, '.config'), 'opencode');
}

/** A command in OpenCode's format: Markdown, with the output of a shell line and the typed arguments filled in. */
export function commandFile({ description, shows, takes, prompt }: CommandText): string {
  const shown = shows === undefined ? '' : `!\`${shows}\`\n\n`;
  const typed = takes === undefined ? '' : `${takes}\n\n$ARGUMENTS\n\n`;
  return `---\ndescription: "${description}"\n---\n\n${shown}${typed}${prompt}\n`;
}

/** The file that OpenCode loads. It only locates the installed version, so it need not change with upgrades. */
const PLUGIN = `// Written by \`holdpoint install\`: lets Holdpoint decide about the agent's calls. \`holdpoint uninstall\` removes it.
import { createRequire } from 'node:module';
import { homedir } from 'node:os';
import { join } from 'node:path';

const LIBRARY = '${LIBRARY_FILE}';

export const Holdpoint = async (input) => {
  try {
    const file = join(process.env.HOME || homedir(), LIBRARY);
    const { plugin } = createRequire(import.meta.url)(file).load('opencode');
    return await plugin(input);
  } catch (error) {
    tell(input.client, \`holdpoint: not installed on this machine, so nothing is checked (\${error?.message ?? error}).\`);
    return {};
  }
};

// Later: while it loads plugins, the program does not answer.
function tell(client, message) {
  setTimeout(() => {
    const requests = [
      () => client.app.log({ body: { service: 'holdpoint', level: 'error', message } }),
      () => client.tui.showToast({ body: { message, variant: 'error' } }),
    ];
    for (const request of requests) Promise.resolve().then(request).catch(() => {});
  }, 1000).unref?.();
}
`;
