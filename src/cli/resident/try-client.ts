import { mkdirSync, mkdtempSync, realpathSync, rmSync, utimesSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { detailOf, fail, type Result, succeed } from '../../core/failure';
import { endServer } from '../../server/control';
import { preparePlace, runtimePlace } from '../../server/place';
import type { Context } from '../context';
import { buildScratchProject, isHeld, runLine } from '../doctor/probe';
import {
  LAUNCH_FILE,
  launchText,
  ownDist,
  type ResidentStart,
  residentStart,
  startLineFor,
} from '../install/launch';
import { sendTwice } from './server';

/** What a shell and a program on the way could take for something of their own. */
const COMMAND = `git commit -m ü\\n $HOME \`x\` %41 '"\u007f`;

const EVENT = {
  session_id: 'd0c7070d-0000-4000-8000-000000000002',
  hook_event_name: 'PreToolUse',
  tool_name: 'Bash',
  tool_input: { command: COMMAND },
};

/** Only who gets the event unharmed holds it. */
const CONFIG = JSON.stringify({
  inherit: false,
  requirements: {
    trial: {
      enabled: true,
      scope: 'session',
      trigger_tools: [
        { tool: 'Bash', command_pattern: `^${COMMAND.replace(/[\\^$.*+?()[\]{}|]/g, '\\$&')}$` },
      ],
    },
  },
});

const LINE = startLineFor('claude-code').shell;
/** No event takes so long, so there is something wrong with it. */
const SLOW_MS = 2000;
const SILENT_WITHIN_MS = 6000;

/** The way to a server by `nc`, if events get there unharmed. The failure is a sentence for people. */
export async function tryClient(env: Context['env']): Promise<Result<ResidentStart, string>> {
  const uid = process.getuid?.() ?? 0;
  const place = runtimePlace(env, uid);
  const prepared = preparePlace(place, uid);
  if (!prepared.ok) return prepared;
  const start = residentStart(env['PATH'] ?? '', place.socket);
  if (start === undefined) return fail('Nothing on this machine reaches a socket (looked for: nc).');
  const scratch = realpathSync(mkdtempSync(join(tmpdir(), 'holdpoint-trial-')));
  try {
    if (await works(start, scratch)) return succeed(start);
    const what = 'Nothing on this machine carries an event to a server and its answer back';
    return fail(`${what} (tried: ${start.client}).`);
  } catch (error) {
    return fail(`No server could be tried (${detailOf(error)}).`);
  } finally {
    rmSync(scratch, { recursive: true, force: true });
  }
}

/**
 * Whether an event through a real server is held, and also where a server takes it and says nothing. Everything
 * happens in a home and a project of its own.
 */
async function works(start: ResidentStart, scratch: string): Promise<boolean> {
  const [home, project] = [join(scratch, 'home'), join(scratch, 'project')];
  const [socket, silentSocket] = [join(scratch, 'run', 's'), join(scratch, 'silent')];
  const env = { HOME: home, PATH: process.env['PATH'] };
  let turn = 0;
  const fire = (resident: ResidentStart) => {
    writeLaunchFile(home, resident);
    const begun = performance.now();
    const event = JSON.stringify({ ...EVENT, tool_use_id: `toolu_trial ${turn++}`, cwd: project });
    const { stdout, stderr, exitCode } = runLine(LINE, project, env, event);
    return { isHeld: isHeld(stdout, exitCode), stderr, ms: performance.now() - begun };
  };
  buildScratchProject(project, CONFIG);
  const silent = createServer();
  try {
    await new Promise<void>((resolve, reject) => silent.once('error', reject).listen(silentSocket, resolve));
    const { before, reply, after } = await sendTwice(() => fire({ ...start, socket }), socket);
    const isAnswered = before !== undefined && after?.answered === before.answered + 1;
    if (!isAnswered || !reply.isHeld || reply.stderr !== '' || reply.ms > SLOW_MS) return false;
    noteStart(join(scratch, 'starting'));
    const { isHeld: isHeldAlone, ms } = fire({ ...start, socket: silentSocket, patience: 1 });
    return isHeldAlone && ms < SILENT_WITHIN_MS;
  } finally {
    silent.close();
    await endServer(socket);
  }
}

/** The line starts a server where it misses one; here it shall believe that somebody has just done so. */
function noteStart(file: string): void {
  writeFileSync(file, `${process.pid}\n`);
  // By its time it is told from the note of the server that says nothing.
  const later = Date.now() / 1000 + 3600;
  utimesSync(file, later, later);
}

function writeLaunchFile(home: string, resident: ResidentStart): void {
  const file = join(home, LAUNCH_FILE);
  mkdirSync(dirname(file), { recursive: true });
  writeFileSync(file, launchText({ node: process.execPath, dist: ownDist(), copy: 'none', resident }));
}
