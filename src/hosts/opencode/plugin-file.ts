/** The file that OpenCode loads. It only finds the installed version, so that it stays as it is over upgrades. */
export function pluginFile(library: string): string {
  return `// Written by \`holdpoint install\`: lets Holdpoint decide about the agent's calls. \`holdpoint uninstall\` removes it.
import { createRequire } from 'node:module';
import { homedir } from 'node:os';
import { join } from 'node:path';

const LIBRARY = '${library}';

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
}
