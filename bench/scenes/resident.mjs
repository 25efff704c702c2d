import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { denies, isSilent } from '../answers.mjs';
import { edit, read } from '../events.mjs';
import { projectWith } from './four-requirements.mjs';

/** The same project, with a server that answers. It is there before the first event, and goes with the stage. */
export function setUp(stage) {
  const place = projectWith(stage, 'resident');
  const product = (...args) => [
    'env',
    `HOLDPOINT_RUNTIME_DIR=${stage.path('run')}`,
    process.execPath,
    join(stage.dist, 'holdpoint.cjs'),
    ...args,
  ];
  stage.atEnd(() => stage.run(place, product('uninstall')));
  const install = product('install', '--host', 'claude-code', '--resident');
  const { status, stdout } = stage.run(place, install);
  const launch = status === 0 ? readFileSync(join(place.home, '.config/holdpoint/launch'), 'utf8') : '';
  const trouble = stdout.split('\n').find((line) => line.startsWith('!')) ?? 'install failed.';
  if (!launch.includes('holdpoint_socket='))
    return { missing: `The line to the server was not measured: ${trouble.replace(/^! /, '')}` };
  stage.run(place, product('serve'));
  const settings = JSON.parse(readFileSync(join(place.root, '.claude/settings.json'), 'utf8'));
  const [{ command: line }] = settings.hooks.PreToolUse.flatMap(({ hooks }) => hooks);
  return { ...place, line, socket: join(stage.path('run'), 's') };
}

const command = ({ place }) => ['sh', '-c', place.line];

/** As a host runs it: a shell, and the program that reaches the server. The server is not in the figures. */
export const resident = [
  { name: 'resident line: before a read', place: setUp, command, event: read, expects: isSilent },
  { name: 'resident line: edit denied', place: setUp, command, event: edit, expects: denies },
];
