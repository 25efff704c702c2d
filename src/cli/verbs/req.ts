import { calledAs } from '../called-as';
import { version } from '../commands/help';
import { unknownReqVerb } from '../req/messages';
import { notPart } from '../req/not-part';
import { runBelow } from '../run-below';
import { table } from '../ui/output';
import type { Context, ExitCode, Verb, VerbTable } from '../verb';
import { VERBS } from '../verbs';

const REQ_VERBS: VerbTable = {
  status: {
    summary: 'Shows what holds now and what clears it; also what `req` alone does.',
    load: () => import('../req/status'),
  },
  satisfy: {
    summary: 'Records that requirements are satisfied.',
    load: async () => ({ verb: (await import('../req/satisfy')).satisfyVerb('satisfy') }),
  },
  approve: {
    summary: 'The same, for who thinks of it as an approval.',
    load: async () => ({ verb: (await import('../req/satisfy')).satisfyVerb('approve') }),
  },
  clear: {
    summary: 'Forgets that requirements were satisfied.',
    load: () => import('../req/clear'),
  },
  list: {
    summary: 'Lists the branches for which something was recorded.',
    load: () => import('../req/list'),
  },
  sessions: {
    summary: 'Lists the live sessions.',
    load: () => import('../req/sessions'),
  },
  prune: {
    summary: 'Removes the state of branches that are gone.',
    load: () => import('../req/prune'),
  },
  pause: {
    summary: 'Holds nothing for one session until it is resumed or ends.',
    load: () => import('../req/pause'),
  },
  resume: {
    summary: 'Ends a pause.',
    load: () => import('../req/resume'),
  },
  explain: {
    summary: 'Says what would be decided for a tool call, and why. Changes nothing.',
    load: () => import('../req/explain'),
  },
  doctor: {
    summary: 'Checks that everything is in place and works.',
    load: () => import('../req/doctor'),
  },
  verify: {
    summary: 'Lets the hook answer a harmless event and a forbidden one, in a scratch repository.',
    load: () => import('../req/verify'),
  },
  init: {
    summary: 'Writes a first config: on a terminal it asks, elsewhere flags decide.',
    load: () => import('../req/init'),
  },
  config: {
    summary: 'Shows what is in force and which file says so, or changes one requirement.',
    load: () => import('../req/config'),
  },
  enable: {
    summary: 'Switches the requirements, or one of them, on in the local file.',
    load: () => import('../req/enable'),
  },
  disable: {
    summary: 'Switches the requirements, or one of them, off in the local file.',
    load: () => import('../req/disable'),
  },
  messages: {
    summary: 'Checks or lists the files with words of your own.',
    load: () => import('../req/message-files'),
  },
};

/** Commands of the older program that have no counterpart here. */
const NOT_PART = ['logging', 'upgrade', 'learning', 'wip', 'budget'];

export const verb: Verb = {
  usage: usageText(),
  commands: REQ_VERBS,
  async run(args, context) {
    const [first = '-', ...others] = args;
    if (first === '--version') return version.run(others, context);
    const asksForHelp = args.some((arg) => HELP.includes(arg));
    const words = args.filter((arg) => !HELP.includes(arg));
    if (asksForHelp || first === 'help') return showHelp(words.filter((word) => word !== 'help')[0], context);
    const [name, rest] = first.startsWith('-') ? ['status', args] : [first, others];
    if (NOT_PART.includes(name)) return notPart(name, context);
    const entry = Object.hasOwn(REQ_VERBS, name) ? REQ_VERBS[name] : undefined;
    if (entry === undefined) return unknown(name, context);
    return runBelow(`${GROUP} ${name}`, (await entry.load()).verb, rest, context);
  },
};

const GROUP = 'holdpoint req';
const HELP = ['--help', '-h'];

async function showHelp(name: string | undefined, context: Context): Promise<ExitCode> {
  if (name === undefined) {
    context.out.line(`${VERBS['req']?.summary ?? ''}\n\nUsage: ${usageText()}`);
    return 0;
  }
  const entry = Object.hasOwn(REQ_VERBS, name) ? REQ_VERBS[name] : undefined;
  if (entry === undefined) return unknown(name, context);
  context.out.line(`${entry.summary}\n\nUsage: ${(await entry.load()).verb.usage}`);
  return 0;
}

function unknown(name: string, { out }: Context): ExitCode {
  out.error(unknownReqVerb(calledAs(GROUP), name, Object.keys(REQ_VERBS)));
  return 2;
}

function usageText(): string {
  const rows = Object.entries(REQ_VERBS).map(([name, { summary }]) => [`  ${name}`, summary]);
  return ['req [COMMAND] [ARGUMENTS]', '', ...table(rows), '', "'req help COMMAND' says more."].join('\n');
}
