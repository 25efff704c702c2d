import type { ResidentStart } from '../resident/client';
import { launchHead, launchPart } from '../resident/launch-part';
import { shellWord } from './shell-word';

/** What the launch file and the library lead to. */
export interface StartPlaces {
  /** An absolute path of Node. */
  readonly node: string;
  /** The directory of the files that were built; it may be a place that goes away. */
  readonly dist: string;
  /** The name of the copy below `~/.config/holdpoint/lib`. */
  readonly copy: string;
  /** Absent where every event starts a process of its own. */
  readonly resident?: ResidentStart | undefined;
}

/**
 * The file that every line in settings sources, with the host's name as arguments. Where all is as it was when it
 * was written, it only looks at two files and becomes Node; no process is started beside. Certificates are kept
 * from Node, which would read them at every event, and go to what the hook runs.
 */
export function launchText({ node, dist, copy, resident }: StartPlaces): string {
  const hook = shellWord(`${dist}/hook.cjs`);
  const copiedHook = `"$HOME/.config/holdpoint/lib/"${shellWord(copy)}/hook.cjs`;
  return `# Starts Holdpoint's hook. Sourced by the lines in settings; written by 'holdpoint install'.
${resident === undefined ? '' : launchHead(resident, hook, copiedHook)}# One command as a whole: of a file that is cut short nothing is run, and the line says how that ends.
{
trap - 0
holdpoint_node=${shellWord(node)}
holdpoint_hook=${hook}
if [ -n "\${NODE_EXTRA_CA_CERTS:-}" ]; then
  export HOLDPOINT_NODE_EXTRA_CA_CERTS="$NODE_EXTRA_CA_CERTS"
  unset NODE_EXTRA_CA_CERTS
fi
# Its files are gone, as after a removed checkout: the copy that was made at the installation.
[ -f "$holdpoint_hook" ] || holdpoint_hook=${copiedHook}
${resident === undefined ? '' : launchPart(resident)}# Node is gone, as after an upgrade: any other that is new enough.
if ! [ -x "$holdpoint_node" ]; then
  [ -n "\${ZSH_VERSION:-}" ] && emulate sh
  for holdpoint_try in "$(command -v node)" /opt/homebrew/bin/node /usr/local/bin/node \\
    /home/linuxbrew/.linuxbrew/bin/node /usr/bin/node; do
    "$holdpoint_try" -e 'process.exit(parseInt(process.versions.node) < 20 ? 1 : 0)' </dev/null 2>/dev/null || continue
    holdpoint_node=$holdpoint_try
    break
  done
fi
if ! [ -x "$holdpoint_node" ]; then
  for holdpoint_try in "$HOME"/.asdf/installs/nodejs/[2-9][0-9].*/bin/node \\
    "$HOME"/.local/share/mise/installs/node/[2-9][0-9].*/bin/node \\
    "$HOME"/.volta/tools/image/node/[2-9][0-9].*/bin/node \\
    "$HOME/Library/Application Support"/fnm/node-versions/v[2-9][0-9].*/installation/bin/node \\
    "$HOME"/.local/share/fnm/node-versions/v[2-9][0-9].*/installation/bin/node \\
    "\${NVM_DIR:-$HOME/.nvm}"/versions/node/v[2-9][0-9].*/bin/node; do
    [ -x "$holdpoint_try" ] && holdpoint_node=$holdpoint_try
  done
fi
[ -x "$holdpoint_node" ] && [ -f "$holdpoint_hook" ] && exec "$holdpoint_node" "$holdpoint_hook" "$@"
command -v holdpoint >/dev/null && exec holdpoint hook "$@"
if [ -x "$holdpoint_node" ]; then
  echo 'holdpoint: its files are gone, so nothing is checked. Install it again, then run: holdpoint install' >&2
else
  echo 'holdpoint: no Node 20 or newer was found, so nothing is checked. Install one, then run: holdpoint install' >&2
fi
# An error of ours refuses nothing. That is 1, but for Copilot, where only 0 lets pass.
[ "\${COPILOT_CLI:-}" ]
exit
}
`;
}

/** The file that hosts load which run us in their own process. */
export function libraryText({ dist, copy }: StartPlaces): string {
  return `// Finds Holdpoint's files for hosts that run it in their own process. Written by 'holdpoint install'.
'use strict';
const { existsSync } = require('node:fs');
const { join } = require('node:path');
const places = [${JSON.stringify(dist)}, join(__dirname, 'lib', ${JSON.stringify(copy)})];
exports.load = (name) => {
  const place = places.find((each) => existsSync(join(each, name + '.cjs')));
  if (place !== undefined) return require(join(place, name + '.cjs'));
  throw new Error('holdpoint: its files are gone. Install it again, then run: holdpoint install');
};
`;
}
