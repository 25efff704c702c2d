import { parseArgs } from 'node:util';
import { oneTooMany, unknownVerb } from '../messages';
import { refuse } from '../req/refuse';
import { table } from '../ui/output';
import type { Context, ExitCode, Verb } from '../verb';
import { VERBS } from '../verbs';

export const verb: Verb = {
  usage: 'holdpoint help [COMMAND] [--json]',
  async run(args, context): Promise<ExitCode> {
    const { values, positionals } = parseArgs({
      args: [...args],
      allowPositionals: true,
      options: { json: { type: 'boolean', default: false } },
    });
    const [name, ...below] = positionals;
    if (name !== undefined) return helpFor(name, below, values.json, context);
    const all = Object.entries(VERBS).map(([command, { summary }]) => ({ command, summary }));
    if (values.json) context.out.json(all);
    else
      for (const text of [
        'Holdpoint gives coding agents hold points: steps that work may not pass until it is shown right.\n',
        'Usage: holdpoint COMMAND [ARGUMENTS]\n',
        ...table(all.map(({ command, summary }) => [`  ${command}`, summary])),
        "\n'holdpoint help COMMAND' says more. New here? 'holdpoint try' shows an agent held and released.",
      ])
        context.out.line(text);
    return 0;
  },
};

async function helpFor(
  name: string,
  below: readonly string[],
  json: boolean,
  context: Context,
): Promise<ExitCode> {
  const entry = Object.hasOwn(VERBS, name) ? VERBS[name] : undefined;
  if (entry === undefined) return refuse(context, unknownVerb(name, Object.keys(VERBS)), 2);
  const { commands, usage, run } = (await entry.load()).verb;
  if (commands !== undefined && !json) return run([...below, '--help'], context);
  if (below[0] !== undefined) return refuse(context, oneTooMany('holdpoint help', below[0]), 2);
  if (json) context.out.json({ command: name, summary: entry.summary, usage });
  else context.out.line(`${entry.summary}\n\nUsage: ${usage}`);
  return 0;
}

/** `holdpoint version`. */
export const version: Verb = {
  usage: 'holdpoint version [--json]',
  run(args, { out }) {
    const { values } = parseArgs({ args: [...args], options: { json: { type: 'boolean', default: false } } });
    if (values.json) out.json({ version: __VERSION__ });
    else out.line(__VERSION__);
    return 0;
  },
};

/** `holdpoint hook`: only its help is here, since the launcher handles the event before the command line is loaded. */
export const hook: Verb = {
  usage: 'holdpoint hook [--host NAME] [--only GUARD[,GUARD…]]',
  run() {
    throw new Error('the hook was called past its launcher');
  },
};
