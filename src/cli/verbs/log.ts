import { parseArgs } from 'node:util';
import type { JsonObject } from '../../core/json';
import { tailJournal } from '../../state/journal-read';
import { openFollower } from '../follow-journal';
import { decisionLine } from '../journal-text';
import { NO_PROJECT } from '../messages';
import { openProject } from '../project';
import { printable } from '../ui/output';
import type { Context, Verb } from '../verb';

export const verb: Verb = {
  usage: 'holdpoint log [-n COUNT] [--follow] [--json]',
  async run(args, context) {
    const { values } = parseArgs({
      args: [...args],
      options: {
        count: { type: 'string', short: 'n', default: '20' },
        follow: { type: 'boolean', short: 'f', default: false },
        json: { type: 'boolean', default: false },
      },
    });
    const count = Number(values.count);
    if (!Number.isInteger(count) || count < 0) {
      context.out.error(`holdpoint log: -n takes a whole number, not '${printable(values.count)}'.`);
      return 2;
    }
    const project = openProject(context);
    if (project === undefined) {
      context.out.error(NO_PROJECT);
      return 2;
    }
    const show = (entry: JsonObject): boolean => showEntry(entry, values.json, context);
    // Before the tail is read: a line between the two is then met twice, never missed.
    const follow = values.follow ? openFollower(project.layout) : undefined;
    const entries = tailJournal(project.layout, count);
    for (const entry of entries) show(entry);
    // Who asks for none has learned nothing about the journal.
    if (entries.length === 0 && count > 0 && !values.json && !values.follow) {
      context.out.line(
        'Nothing in the journal yet: no event of this project was held, changed anything or failed.',
      );
    }
    const shown = new Set(entries.map(({ id }) => id));
    await follow?.((entry) => shown.has(entry['id']) || show(entry));
    return 0;
  },
};

function showEntry(entry: JsonObject, asJson: boolean, { out }: Context): boolean {
  return asJson ? out.json(entry) : out.line(decisionLine(entry, out));
}
