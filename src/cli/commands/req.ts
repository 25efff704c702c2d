import { nearest } from '../../config/nearest';
import { calledAs } from '../called-as';
import { Refusal, refuse } from '../req/refuse';
import { runBelow } from '../run-below';
import { table } from '../ui/output';
import type { Context, ExitCode, Verb, VerbEntry, VerbTable } from '../verb';
import { VERBS } from '../verbs';
import { version } from './help';

/** A command of `req`, in a file that is loaded only when it is called. */
function command<Name extends string>(
  load: () => Promise<Readonly<Record<Name, Verb>>>,
  name: Name,
  summary: string,
): VerbEntry {
  return { summary, load: async () => ({ verb: (await load())[name] }) };
}

const status = () => import('../req/status');
const satisfy = () => import('../req/satisfy');
const stateFiles = () => import('../req/state-files');
const sessions = () => import('../req/find-session');
const pause = () => import('../req/pause');
const explain = () => import('./explain');
const checks = () => import('../req/checks');
const init = () => import('../req/init');
const config = () => import('../req/config');

const COMMANDS: VerbTable = {
  status: command(
    status,
    'statusVerb',
    'Shows what holds now and what clears it; also what `req` alone does.',
  ),
  satisfy: command(satisfy, 'satisfyVerb', 'Records that requirements are satisfied.'),
  approve: command(satisfy, 'approveVerb', 'The same, for who thinks of it as an approval.'),
  clear: command(satisfy, 'clearVerb', 'Forgets that requirements were satisfied.'),
  list: command(stateFiles, 'listVerb', 'Lists the branches for which something was recorded.'),
  sessions: command(sessions, 'sessionsVerb', 'Lists the live sessions.'),
  prune: command(stateFiles, 'pruneVerb', 'Removes the state of branches that are gone.'),
  pause: command(pause, 'pauseVerb', 'Holds nothing for one session until it is resumed or ends.'),
  resume: command(pause, 'resumeVerb', 'Ends a pause.'),
  explain: command(
    explain,
    'reqExplainVerb',
    'Says what would be decided for a tool call, and why. Changes nothing.',
  ),
  doctor: command(checks, 'doctorVerb', 'Checks that everything is in place and works.'),
  verify: command(
    checks,
    'verifyVerb',
    'Lets the hook answer a harmless event and a forbidden one, in a scratch repository.',
  ),
  init: command(init, 'initVerb', 'Writes a first config: on a terminal it asks, elsewhere flags decide.'),
  config: command(
    config,
    'configVerb',
    'Shows what is in force and which file says so, or changes one requirement.',
  ),
  enable: command(config, 'enableVerb', 'Switches the requirements, or one of them, on in the local file.'),
  disable: command(
    config,
    'disableVerb',
    'Switches the requirements, or one of them, off in the local file.',
  ),
  messages: command(checks, 'messagesVerb', 'Checks or lists the files with words of your own.'),
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
