import { nearest } from '../../config/nearest';
import { calledAs } from '../called-as';
import { table } from '../output/table';
import { Refusal, refuse } from '../req/refuse';
import { runBelow } from '../run-below';
import type { Context, ExitCode, Verb, VerbEntry, VerbTable } from '../verb';
import { VERBS } from '../verbs';
import { verb as version } from '../verbs/version';

function command(summary: string, load: () => Promise<Verb>): VerbEntry {
  return { summary, load: async () => ({ verb: await load() }) };
}

const COMMANDS: VerbTable = {
  status: command(
    'Shows what holds now and what clears it; also what `req` alone does.',
    async () => (await import('../req/status')).statusVerb,
  ),
  satisfy: command('Records that requirements are satisfied.', async () =>
    (await import('../req/satisfy')).satisfyVerb('satisfy'),
  ),
  approve: command('The same, for who thinks of it as an approval.', async () =>
    (await import('../req/satisfy')).satisfyVerb('approve'),
  ),
  clear: command(
    'Forgets that requirements were satisfied.',
    async () => (await import('../req/satisfy')).clearVerb,
  ),
  list: command(
    'Lists the branches for which something was recorded.',
    async () => (await import('../req/state-files')).listVerb,
  ),
  sessions: command(
    'Lists the live sessions.',
    async () => (await import('../req/find-session')).sessionsVerb,
  ),
  prune: command(
    'Removes the state of branches that are gone.',
    async () => (await import('../req/state-files')).pruneVerb,
  ),
  pause: command(
    'Holds nothing for one session until it is resumed or ends.',
    async () => (await import('../req/pause')).pauseVerb,
  ),
  resume: command('Ends a pause.', async () => (await import('../req/pause')).resumeVerb),
  explain: command(
    'Says what would be decided for a tool call, and why. Changes nothing.',
    async () => (await import('./explain')).reqExplainVerb,
  ),
  doctor: command(
    'Checks that everything is in place and works.',
    async () => (await import('../req/checks')).doctorVerb,
  ),
  verify: command(
    'Lets the hook answer a harmless event and a forbidden one, in a scratch repository.',
    async () => (await import('../req/checks')).verifyVerb,
  ),
  init: command(
    'Writes a first config: on a terminal it asks, elsewhere flags decide.',
    async () => (await import('../req/init')).initVerb,
  ),
  config: command(
    'Shows what is in force and which file says so, or changes one requirement.',
    async () => (await import('../req/config')).configVerb,
  ),
  enable: command('Switches the requirements, or one of them, on in the local file.', async () =>
    (await import('../req/config')).switchVerb('enable'),
  ),
  disable: command('Switches the requirements, or one of them, off in the local file.', async () =>
    (await import('../req/config')).switchVerb('disable'),
  ),
  messages: command(
    'Checks or lists the files with words of your own.',
    async () => (await import('../req/checks')).messagesVerb,
  ),
};

/** Commands of the older program that have no counterpart here. */
const NOT_PART = ['logging', 'upgrade', 'learning', 'wip', 'budget'];

const GROUP = 'holdpoint req';
const HELP = ['--help', '-h'];

const USAGE = [
  'req [COMMAND] [ARGUMENTS]',
  '',
  ...table(Object.entries(COMMANDS).map(([name, { summary }]) => [`  ${name}`, summary])),
  '',
  "'req help COMMAND' says more.",
].join('\n');

/** `holdpoint req`, also installed as `req`. Without a command it is `req status`. */
export const verb: Verb = {
  usage: USAGE,
  commands: COMMANDS,
  async run(args, context) {
    const [first = '-', ...others] = args;
    if (first === '--version') return version.run(others, context);
    if (first === 'help' || args.some((arg) => HELP.includes(arg)))
      return showHelp(
        args.find((arg) => arg !== 'help' && !HELP.includes(arg)),
        context,
      );
    const [name, rest] = first.startsWith('-') ? ['status', args] : [first, others];
    if (NOT_PART.includes(name)) {
      const why = `req ${name} is not part of Holdpoint, and nothing was done. 'req --help' shows what is.`;
      return refuse(context, why, 2);
    }
    const entry = Object.hasOwn(COMMANDS, name) ? COMMANDS[name] : undefined;
    if (entry === undefined) return unknownCommand(name, context);
    try {
      return await runBelow(`${GROUP} ${name}`, (await entry.load()).verb, rest, context);
    } catch (error) {
      if (error instanceof Refusal) return refuse(context, error.message, error.code);
      throw error;
    }
  },
};

async function showHelp(name: string | undefined, context: Context): Promise<ExitCode> {
  const entry = name !== undefined && Object.hasOwn(COMMANDS, name) ? COMMANDS[name] : undefined;
  if (name !== undefined && entry === undefined) return unknownCommand(name, context);
  const summary = (entry ?? VERBS['req'])?.summary ?? '';
  const usage = entry === undefined ? USAGE : (await entry.load()).verb.usage;
  context.out.line(`${summary}\n\nUsage: ${usage}`);
  return 0;
}

function unknownCommand(name: string, context: Context): ExitCode {
  const req = calledAs(GROUP);
  const known = Object.keys(COMMANDS);
  const near = nearest(name, known);
  const what = name === '' ? 'say what to do.' : `there is no command '${name}'.`;
  const hint = near === undefined ? `Known: ${known.join(', ')}.` : `Did you mean '${near}'?`;
  return refuse(context, `${req}: ${what} ${hint} Try '${req} --help'.`, 2);
}
