import type { JsonObject } from '../../core/json';
import { findInJournal, readJournal } from '../../state/journal';
import type { Layout } from '../../state/layout';
import type { Context, ExitCode } from '../context';
import { NO_PROJECT } from '../messages';
import { openProject } from '../project';
import { cannotRun, Refusal } from '../ui/refusal';
import { decisionDetails, shortLine } from './log';

const MOST_SHOWN = 10;

/** `holdpoint why`: explains one decision of the journal. */
export function why(
  context: Context,
  values: { readonly json: boolean },
  positionals: readonly string[],
): ExitCode {
  const { out } = context;
  const [id] = positionals;
  if (id === undefined || id === '')
    throw cannotRun("holdpoint why: give the id of a decision. 'holdpoint log' lists them.");
  const project = openProject(context);
  if (project === undefined) throw cannotRun(NO_PROJECT);
  const decisions = decisionsById(project.layout, id);
  const [entry] = decisions;
  if (entry === undefined)
    throw new Refusal(
      `There is no decision '${id}' in this project's journal. 'holdpoint log' lists the recent ones.`,
    );
  if (decisions.length > 1) throw new Refusal(ambiguous(id, decisions));
  if (values.json) out.json(entry);
  else for (const line of decisionDetails(entry, out)) out.line(line);
  return 0;
}

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
