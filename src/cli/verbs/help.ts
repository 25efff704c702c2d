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
    if (name !== undefined) return helpOf(name, below, values.json, context);
    const all = Object.entries(VERBS).map(([command, { summary }]) => ({ command, summary }));
    if (values.json) context.out.json(all);
    else for (const text of overview(all)) context.out.line(text);
    return 0;
  },
};

async function helpOf(
  name: string,
  below: readonly string[],
  json: boolean,
  context: Context,
): Promise<ExitCode> {
  const entry = Object.hasOwn(VERBS, name) ? VERBS[name] : undefined;
  if (entry === undefined) return refuse(context, unknownVerb(name, Object.keys(VERBS)), 2);
  const asked = (await entry.load()).verb;
  const [extra] = below;
  if (asked.commands !== undefined && !json) return asked.run([...below, '--help'], context);
  if (extra !== undefined) return refuse(context, oneTooMany('holdpoint help', extra), 2);
  const { summary } = entry;
  if (json) context.out.json({ command: name, summary, usage: asked.usage });
  else context.out.line(`${summary}\n\nUsage: ${asked.usage}`);
  return 0;
}

function overview(all: readonly { readonly command: string; readonly summary: string }[]): string[] {
  return [
    'Holdpoint gives coding agents hold points: steps that work may not pass until it is shown right.\n',
    'Usage: holdpoint COMMAND [ARGUMENTS]\n',
    ...table(all.map(({ command, summary }) => [`  ${command}`, summary])),
    "\n'holdpoint help COMMAND' says more. New here? 'holdpoint try' shows an agent held and released.",
  ];
}
