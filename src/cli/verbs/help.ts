import { unknownVerb } from '../messages';
import { table } from '../output/table';
import type { ExitCode, Verb } from '../verb';
import { VERBS } from '../verbs';

export const verb: Verb = {
  usage: 'holdpoint help [COMMAND] [--json]',
  async run(args, { out }): Promise<ExitCode> {
    const [name] = args.filter((arg) => arg !== '--json');
    if (args.includes('--json') && name === undefined) {
      out.json(Object.entries(VERBS).map(([command, { summary }]) => ({ command, summary })));
      return 0;
    }
    const asked = name !== undefined && Object.hasOwn(VERBS, name) ? VERBS[name] : undefined;
    if (asked !== undefined) {
      out.line(`${asked.summary}\n\nUsage: ${(await asked.load()).verb.usage}`);
      return 0;
    }
    if (name !== undefined) {
      out.error(unknownVerb(name, Object.keys(VERBS)));
      return 2;
    }
    const rows = Object.entries(VERBS).map(([command, { summary }]) => [`  ${command}`, summary]);
    out.line(
      'Holdpoint gives coding agents hold points: steps that work may not pass until it is shown right.\n',
    );
    out.line('Usage: holdpoint COMMAND [ARGUMENTS]\n');
    for (const line of table(rows)) out.line(line);
    out.line(
      "\n'holdpoint help COMMAND' says more. New here? 'holdpoint try' shows an agent held and released.",
    );
    return 0;
  },
};
