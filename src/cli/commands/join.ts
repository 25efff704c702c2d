import type { ChildProcess } from 'node:child_process';
import { hostname } from 'node:os';
import { keyId } from '../../guards/requirements/signed';
import { startUplink } from '../../server/start-uplink';
import { type Joined, removeJoined } from '../../state/hub';
import { noteProject } from '../../state/journal';
import { joinHub } from '../../uplink/api';
import { readHub } from '../../uplink/link';
import { clientsIn, mayBeRunByAgent } from '../caller';
import { type Context, cannotRun, type ExitCode, type Options, Refusal, report } from '../context';
import { ownDist } from '../install/launch';
import { openProject } from '../project';
import { journalCommand, personOnlyText } from '../req/context';
import { styled } from '../ui/output';

/** `holdpoint join URL CODE`: links this machine to a hub, whose approvals then count here. */
export async function join(
  context: Context,
  { name = hostname() }: Options<never, 'name'>,
  [url, code]: readonly string[],
): Promise<ExitCode> {
  requirePerson('join a hub', context);
  if (url === undefined || code === undefined)
    throw cannotRun('Give the address of the hub and a code: `holdpoint hub invite` prints the whole line.');
  const home = context.env['HOME'] ?? '';
  const before = readHub(home);
  const isAgain = before?.refused !== undefined || before?.url === url.replace(/\/+$/, '');
  if (before !== undefined && !isAgain)
    throw new Refusal(`This machine has joined ${before.url}. Leave that hub first: holdpoint leave`);
  const joined = await joinHub(home, { url, code, name });
  if (!joined.ok) throw new Refusal(joined.failure.why);
  const { machine, key, name: given } = joined.value;
  const value = { joined: true, url: joined.value.url, machine, name: given, key: keyId(key) };
  return report(context, value, afterJoin(joined.value, context));
}

/** Records it, and starts the uplink if an agent is already working. */
export function afterJoin({ url, key }: Joined, context: Context): string[] {
  const { env } = context;
  const home = env['HOME'] ?? '';
  const project = openProject(context);
  if (project !== undefined) {
    journalCommand(project, 'join', [], { about: url });
    if (project.configured) noteProject(home, project.root);
    if (clientsIn(home).length > 0) startUplink({ env, home, roots: [project.root] }, ownDist());
  }
  return [
    styled('green', `Joined the hub at ${url}.`),
    `Approvals count here if they are signed with its key ${keyId(key)}.`,
    'Its page shows sessions from the next one on; `holdpoint hub sync` sends what is here already.',
  ];
}

/** Keeps agents from deciding whose approvals count. */
export function requirePerson(what: string, context: Context): void {
  if (mayBeRunByAgent(context)) throw new Refusal(personOnlyText(what, context));
}

/** `holdpoint leave`: forgets the hub. Rules that only the hub can approve stay held. */
export function leave(context: Context): ExitCode {
  requirePerson('leave the hub', context);
  const home = context.env['HOME'] ?? '';
  const joined = readHub(home);
  // Also removes a file that is not a valid hub record.
  removeJoined(home);
  if (joined === undefined) throw new Refusal('This machine has not joined a hub.');
  const project = openProject(context);
  if (project !== undefined) journalCommand(project, 'leave', [], { about: joined.url });
  return report(context, { joined: false, url: joined.url }, [
    `Left the hub at ${joined.url}. Rules with \`approval: hub\` stay held until this machine joins again.`,
    `The hub still lists it: \`holdpoint hub revoke ${joined.name}\` there ends its token.`,
  ]);
}

/** The exit code of a program that we run in our place. */
export function exitOf(child: ChildProcess): Promise<ExitCode> {
  // Wait for the child: Ctrl-C reaches it too, and a signal sent only to us is passed on.
  for (const signal of ['SIGINT', 'SIGTERM'] as const) process.on(signal, () => child.kill(signal));
  return new Promise((resolve) => {
    child.on('error', () => resolve(2));
    child.on('close', (code) => resolve(code === 0 ? 0 : code === 1 ? 1 : 2));
  });
}
