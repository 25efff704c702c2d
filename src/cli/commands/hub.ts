import { spawn, spawnSync } from 'node:child_process';
import { existsSync } from 'node:fs';
import { createRequire } from 'node:module';
import { hostname } from 'node:os';
import { delimiter, join } from 'node:path';
import { createInterface } from 'node:readline';
import { jsonObjectIn, nameIn } from '../../core/json';
import { keyId, keysOf } from '../../guards/requirements/signed';
import { noteProject } from '../../state/journal';
import { ask, joinHub } from '../../uplink/api';
import { Link, readHub, syncOnce } from '../../uplink/link';
import { type Context, type ExitCode, Refusal, report } from '../context';
import { ownDist } from '../install/launch';
import { openProject } from '../project';
import { plural, print, printAll, printError } from '../ui/output';
import { afterJoin, exitOf, requirePerson } from './join';

const NOT_JOINED = 'This machine has not joined a hub. Join one with a line from `holdpoint hub invite`.';
const ANSWER_MS = 3000;

export async function status(context: Context): Promise<ExitCode> {
  const home = context.env['HOME'] ?? '';
  const joined = readHub(home);
  if (joined === undefined)
    return report(context, { joined: false, url: null, reachable: false, behind: 0 }, [NOT_JOINED]);
  const { url, machine, name } = joined;
  const link = linkIn(context, joined);
  const reply = await ask(joined, '/keys', undefined, ANSWER_MS);
  const isRefused = reply.kind === 'refused' && reply.status === 401;
  const refused = isRefused ? reply.why : reply.kind === 'ok' ? undefined : joined.refused;
  const reachable = reply.kind !== 'away';
  const behind = link.behind();
  const key = keyId(keysOf(joined).at(-1)?.key ?? '');
  const value = {
    ...{ joined: true, url, reachable, behind, machine, name, key },
    ...{ refused: refused ?? null, skipped: link.spool.skipped, ignored: link.spool.ignored ?? null },
  };
  return report(context, value, [
    `Joined ${url} as ${name}; its key is ${key}.`,
    ...(refused === undefined ? [] : [`The hub refuses this machine: ${refused}`]),
    ...(reply.kind === 'away' ? [`The hub cannot be reached: ${reply.why}.`] : []),
    behind === 0 ? 'It knows of every decision here.' : `${plural(behind, 'decision')} not sent yet.`,
    ...(link.spool.skipped > 0 ? [`${plural(link.spool.skipped, 'line')} of the log it did not take.`] : []),
    ...(link.spool.ignored === undefined ? [] : [`Last ignored: ${link.spool.ignored}.`]),
  ]);
}

function linkIn(context: Context, joined: ConstructorParameters<typeof Link>[1]): Link {
  const load = createRequire(join(ownDist(), 'holdpoint.cjs'));
  return new Link(context.env['HOME'] ?? '', joined, (name) => load(`./${name}.cjs`) as unknown);
}

/** `holdpoint hub sync`: sends and receives once, for every known project of this machine. */
export async function sync(context: Context): Promise<ExitCode> {
  const { env } = context;
  const home = env['HOME'] ?? '';
  const [url = '', code = ''] = [env['HOLDPOINT_HUB_URL'], env['HOLDPOINT_HUB_CODE']];
  const first = readHub(home);
  const isInvited = first === undefined && url !== '' && code !== '';
  // An agent can set these variables too.
  if (isInvited) requirePerson('join a hub', context);
  const made = isInvited ? await joinHub(home, { url, code, name: hostname() }) : undefined;
  if (made?.ok === false) throw new Refusal(made.failure.why);
  const joined = first ?? made?.value;
  if (joined === undefined) throw new Refusal(NOT_JOINED);
  const project = openProject(context);
  if (project?.configured) noteProject(home, project.root);
  const link = linkIn(context, joined);
  const before = link.behind();
  const trouble = await syncOnce(link, home);
  if (trouble?.kind === 'refused') throw new Refusal(`The hub refuses this machine: ${trouble.why}`);
  if (trouble !== undefined)
    throw new Refusal(
      `The hub at ${joined.url} cannot be reached: ${trouble.why}. Nothing is lost; try again.`,
    );
  const behind = link.behind();
  // Agents may have decided more meanwhile.
  const value = { sent: Math.max(0, before - behind), behind };
  const rest = behind === 0 ? 'the hub has all of them' : `${behind} still to send, run it again`;
  return report(context, value, [`Sent ${plural(value.sent, 'decision')}; ${rest}.`]);
}

const MISSING =
  'The hub is not built, and holdpoint-hub is not on the PATH. In your clone of Holdpoint, run: npm ci && npm run build';

/** The hub's help and errors name the command that was typed. */
const CALLED_AS = { HOLDPOINT_HUB_CALLED_AS: 'holdpoint hub' };

/** The hub's program: in our repository, installed next to us, or on the PATH. */
function hubProgram({ env }: Context): readonly [program: string, ...args: string[]] {
  const dist = ownDist();
  const places = [join(dist, '../hub/dist/main.mjs'), join(dist, '../../holdpoint-hub/dist/main.mjs')];
  const beside = places.find((file) => existsSync(file));
  if (beside !== undefined) return [process.execPath, beside];
  const onPath = (env['PATH'] ?? '')
    .split(delimiter)
    .map((dir) => join(dir, 'holdpoint-hub'))
    .find((file) => file.startsWith('/') && existsSync(file));
  if (onPath === undefined) throw new Refusal(MISSING);
  return [onPath];
}

/** The arguments for the hub's program: `--json` may stand before the word `hub`. */
const typed = ({ argv }: Context): string[] => argv.toSpliced(argv.indexOf('hub'), 1);

/** Passes the command as typed to the hub's own program. */
export async function forwardToHub(context: Context): Promise<ExitCode> {
  requirePerson('look after the hub', context);
  const [program, ...args] = hubProgram(context);
  const env = { ...context.env, ...CALLED_AS };
  return exitOf(spawn(program, [...args, ...typed(context)], { env, stdio: 'inherit' }));
}

/** `holdpoint hub`: starts a hub in the foreground and joins it, unless this machine has joined one already. */
export async function start(context: Context): Promise<ExitCode> {
  requirePerson('start a hub', context);
  const [program, ...args] = hubProgram(context);
  const given = typed(context);
  const env = { ...context.env, ...CALLED_AS };
  const child = spawn(program, [...args, ...given], { env, stdio: ['inherit', 'pipe', 'inherit'] });
  const lines = createInterface({ input: child.stdout });
  let isFirst = true;
  lines.on('line', (line) => {
    print(line);
    if (isFirst) void joinOwn([program, ...args], given, context);
    isFirst = false;
  });
  return exitOf(child);
}

/** Options that identify the hub. */
const WHICH = ['--data', '--database'];

async function joinOwn(
  [program = '', ...args]: readonly string[],
  given: readonly string[],
  context: Context,
): Promise<void> {
  const { env } = context;
  const home = env['HOME'] ?? '';
  if (readHub(home) !== undefined) return;
  const which = given.flatMap((word, at) => {
    if (WHICH.includes(word)) return [word, given[at + 1] ?? ''];
    return WHICH.some((option) => word.startsWith(`${option}=`)) ? [word] : [];
  });
  const made = spawnSync(program, [...args, 'invite', '--json', ...which], { env, encoding: 'utf8' });
  const invitation = jsonObjectIn(made.stdout ?? '');
  const [url, code] = [nameIn(invitation, 'url'), nameIn(invitation, 'code')];
  if (url === undefined || code === undefined)
    return printError('This machine could not join the hub by itself.');
  const joined = await joinHub(home, { url, code, name: hostname() });
  if (!joined.ok) return printError(`This machine could not join the hub: ${joined.failure.why}`);
  const lines = afterJoin(joined.value, context);
  if (!given.includes('--json')) printAll(lines);
}
