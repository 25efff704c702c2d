import { table } from '../output/table';
import type { ExitCode, Verb } from '../verb';
import { VERBS } from '../verbs';

export const verb: Verb = {
  summary: 'Shows the commands.',
  usage: 'holdpoint help [COMMAND]',
  async run(args, { out }): Promise<ExitCode> {
    const [name] = args;
    const load = name !== undefined && Object.hasOwn(VERBS, name) ? VERBS[name] : undefined;
    if (load !== undefined) {
      const { verb: asked } = await load();
      out.line(`${asked.summary}\n\nUsage: ${asked.usage}`);
      return 0;
    }
    const rows = await Promise.all(
      Object.entries(VERBS).map(async ([command, open]) => [`  ${command}`, (await open()).verb.summary]),
    );
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
