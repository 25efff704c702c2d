import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { denies, isSilent } from '../answers.mjs';
import { edit, read } from '../events.mjs';
import { projectWith } from './four-requirements.mjs';

/** A project that `holdpoint install` has set up, with the line that it wrote for a call of a tool. */
function setUp(stage) {
  const place = projectWith(stage, 'installed');
  const install = [process.execPath, join(stage.dist, 'holdpoint.cjs'), 'install', '--host', 'claude-code'];
  const { status, stderr } = stage.run(place, install);
  if (status !== 0)
    return { missing: `The installed line was not measured: ${stderr.split(/(?<=\.)\s/)[0]}` };
  const settings = JSON.parse(readFileSync(join(place.root, '.claude/settings.json'), 'utf8'));
  const [line] = settings.hooks.PreToolUse.flatMap(({ hooks }) => hooks.map(({ command }) => command));
  return { ...place, line };
}

const command = ({ place }) => ['sh', '-c', place.line];

/** The line as a host runs it: a shell, which finds and becomes the hook. */
export const installed = [
  { name: 'installed line: before a read', place: setUp, command, event: read, expects: isSilent },
  { name: 'installed line: edit denied', place: setUp, command, event: edit, expects: denies },
];
