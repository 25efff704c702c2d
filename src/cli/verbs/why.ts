import { parseArgs } from 'node:util';
import type { JsonObject } from '../../core/json';
import { findInJournal, readJournal } from '../../state/journal-read';
import type { Layout } from '../../state/layout';
import { decisionStory, shortLine } from '../journal-text';
import { NO_PROJECT, oneTooMany } from '../messages';
import { openProject } from '../project';
import { printable } from '../ui/output';
import type { Verb } from '../verb';

const MOST_SHOWN = 10;

export const verb: Verb = {
  usage: 'holdpoint why ID [--json]\n\nID may be cut short as long as it means one decision.',
  run(args, context) {
    const { out } = context;
    const { values, positionals } = parseArgs({
      args: [...args],
      options: { json: { type: 'boolean', default: false } },
      allowPositionals: true,
    });
    const [id, extra] = positionals;
    if (id === undefined || id === '') {
      out.error("holdpoint why: give the id of a decision. 'holdpoint log' lists them.");
      return 2;
    }
    if (extra !== undefined) {
      out.error(oneTooMany('holdpoint why', extra));
      return 2;
    }
    const project = openProject(context);
    if (project === undefined) {
      out.error(NO_PROJECT);
      return 2;
    }
    const meant = decisionsMeant(project.layout, id);
    const [entry] = meant;
    if (entry === undefined || meant.length > 1) {
      out.error(entry === undefined ? noSuch(id) : ambiguous(id, meant));
      return 1;
    }
    if (values.json) out.json(entry);
    else for (const line of decisionStory(entry, out)) out.line(line);
    return 0;
  },
};

/** The decision with this id, else all whose ids begin with it, each in its newest form, the oldest first. */
function decisionsMeant(layout: Layout, id: string): readonly JsonObject[] {
  const whole = findInJournal(layout, id);
  if (whole !== undefined) return [whole];
  const begun = new Map<unknown, JsonObject>();
  for (const entry of readJournal(layout)) {
    if (typeof entry['id'] === 'string' && entry['id'].startsWith(id)) begun.set(entry['id'], entry);
  }
  return [...begun.values()];
}

function noSuch(id: string): string {
  return `There is no decision '${printable(id)}' in this project's journal. 'holdpoint log' lists the recent ones.`;
}

function ambiguous(id: string, meant: readonly JsonObject[]): string {
  const more = meant.length > MOST_SHOWN ? `; the newest ${MOST_SHOWN}` : '';
  return [
    `The ids of ${meant.length} decisions begin with '${printable(id)}'${more}:`,
    ...meant.slice(-MOST_SHOWN).map((entry) => `  ${shortLine(entry)}`),
  ].join('\n');
}
