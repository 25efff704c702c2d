import { parseArgs } from 'node:util';
import { findInJournal } from '../../store/journal-read';
import { decisionStory } from '../journal-text';
import { NO_PROJECT } from '../messages';
import { printable } from '../output/printable';
import { openProject } from '../project';
import type { Verb } from '../verb';

export const verb: Verb = {
  usage: 'holdpoint why ID [--json]',
  run(args, context) {
    const { out } = context;
    const { values, positionals } = parseArgs({
      args: [...args],
      options: { json: { type: 'boolean', default: false } },
      allowPositionals: true,
    });
    const [id] = positionals;
    if (id === undefined) {
      out.error("holdpoint why: give the id of a decision. 'holdpoint log' lists them.");
      return 2;
    }
    const project = openProject(context);
    if (project === undefined) {
      out.error(NO_PROJECT);
      return 2;
    }
    const entry = findInJournal(project.layout, id);
    if (entry === undefined) {
      out.error(
        `There is no decision '${printable(id)}' in this project's journal. 'holdpoint log' lists the recent ones.`,
      );
      return 1;
    }
    if (values.json) out.json(entry);
    else for (const line of decisionStory(entry, out)) out.line(line);
    return 0;
  },
};
