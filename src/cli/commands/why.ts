import { parseArgs } from 'node:util';
import type { JsonObject } from '../../core/json';
import { findInJournal, readJournal } from '../../state/journal';
import type { Layout } from '../../state/layout';
import { NO_PROJECT, oneTooMany } from '../messages';
import { openProject } from '../project';
import { refuse } from '../req/refuse';
import type { Verb } from '../verb';
import { decisionDetails, shortLine } from './log';

const MOST_SHOWN = 10;

/** `holdpoint why`: explains one decision of the journal. */
export const verb: Verb = {
  usage: 'holdpoint why ID [--json]\n\nID may be cut short as long as it means one decision.',
  run(args, context) {
    const { out } = context;
    const { values, positionals } = parseArgs({
      args: [...args],
      options: { json: { type: 'boolean' } },
      allowPositionals: true,
    });
    const [id, extra] = positionals;
    if (id === undefined || id === '')
      return refuse(context, "holdpoint why: give the id of a decision. 'holdpoint log' lists them.", 2);
    if (extra !== undefined) return refuse(context, oneTooMany('holdpoint why', extra), 2);
    const project = openProject(context);
    if (project === undefined) return refuse(context, NO_PROJECT, 2);
    const decisions = decisionsById(project.layout, id);
    const [entry] = decisions;
    if (entry === undefined)
      return refuse(
        context,
        `There is no decision '${id}' in this project's journal. 'holdpoint log' lists the recent ones.`,
        1,
      );
    if (decisions.length > 1) return refuse(context, ambiguous(id, decisions), 1);
    if (values.json) out.json(entry);
    else for (const line of decisionDetails(entry, out)) out.line(line);
    return 0;
  },
};

/** The decision with this id, else all whose ids begin with it, each as recorded last, the oldest first. */
function decisionsById(layout: Layout, id: string): readonly JsonObject[] {
  const exact = findInJournal(layout, id);
  if (exact !== undefined) return [exact];
  const found = new Map<unknown, JsonObject>();
  for (const entry of readJournal(layout)) {
    if (typeof entry['id'] === 'string' && entry['id'].startsWith(id)) found.set(entry['id'], entry);
  }
  return [...found.values()];
}

function ambiguous(id: string, decisions: readonly JsonObject[]): string {
  const more = decisions.length > MOST_SHOWN ? `; the newest ${MOST_SHOWN}` : '';
  return [
    `The ids of ${decisions.length} decisions begin with '${id}'${more}:`,
    ...decisions.slice(-MOST_SHOWN).map((entry) => `  ${shortLine(entry)}`),
  ].join('\n');
}
