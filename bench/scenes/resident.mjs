import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { denies, isSilent } from '../answers.mjs';
import { edit, read } from '../events.mjs';
import { projectWith } from './four-requirements.mjs';

/** The same project, with a server that answers. It is there before the first event, and goes with the stage. */
function withServer(stage, name, run, scope, ...flags) {
  const place = projectWith(stage, name);
  const product = (...args) => [
    'env',
    `HOLDPOINT_RUNTIME_DIR=${stage.path(run)}`,
    process.execPath,
    join(stage.dist, 'holdpoint.cjs'),
    ...args,
  ];
  stage.atEnd(() => stage.run(place, product('uninstall', ...scope)));
  const install = product('install', '--host', 'claude-code', '--resident', ...scope, ...flags);
  const { status, stdout } = stage.run(place, install);
  const launch = status === 0 ? readFileSync(join(place.home, '.config/holdpoint/launch'), 'utf8') : '';
  const trouble = stdout.split('\n').find((line) => line.startsWith('!')) ?? 'install failed.';
  if (!launch.includes('holdpoint_socket='))
    return { missing: `The line to the server was not measured: ${trouble.replace(/^! /, '')}` };
  stage.run(place, product('serve'));
  return { ...place, trouble, socket: join(stage.path(run), 's') };
}

/** What the settings have for a call of a tool. */
function handlerIn(dir) {
  const settings = JSON.parse(readFileSync(join(dir, '.claude/settings.json'), 'utf8'));
  return settings.hooks.PreToolUse.flatMap(({ hooks }) => hooks)[0];
}

/** The line that a shell runs. */
export function setUp(stage) {
  const place = withServer(stage, 'resident', 'run', []);
  return place.missing === undefined ? { ...place, line: handlerIn(place.root).command } : place;
}

/** The program that the host starts itself. */
export function setUpDirect(stage) {
  const place = withServer(stage, 'direct', 'run-direct', ['--user'], '--direct');
  if (place.missing !== undefined) return place;
  const { command: program, args } = handlerIn(place.home);
  return args === undefined
    ? { missing: `The entry without a shell was not measured: ${place.trouble.replace(/^! /, '')}` }
    : { ...place, words: [program, ...args] };
}

const command = ({ place }) => ['sh', '-c', place.line];
const words = ({ place }) => place.words;

/** As a host runs it: a shell, and the program that reaches the server, or that alone. The server is not in the figures. */
export const resident = [
  { name: 'resident line: before a read', place: setUp, command, event: read, expects: isSilent },
  { name: 'resident line: edit denied', place: setUp, command, event: edit, expects: denies },
  {
    name: 'resident, without a shell: before a read',
    place: setUpDirect,
    command: words,
    event: read,
    expects: isSilent,
  },
  {
    name: 'resident, without a shell: edit denied',
    place: setUpDirect,
    command: words,
    event: edit,
    expects: denies,
  },
];
