import type { JsonObject } from '../../core/json';
import { sentenceOf } from '../../core/messages';
import { localTime } from '../../core/text';
import { readJournal } from '../../state/journal';
import type { Context, ExitCode } from '../context';
import { textIn, timeOf } from '../log/entries';
import { hintFor } from '../messages';
import { openProjectOrRefuse } from '../project';
import { noteByHand, type Options, refuseAgent, report } from '../req/context';
import { MARKS, occasionsIn } from '../rules/figures';
import { cannotRun, Refusal } from '../ui/refusal';

const WORDS = 'holdpoint mark';

/** `holdpoint mark`: a person says whether a hold, a warning or what a rule would have held was right. */
export function mark(context: Context, { json }: Options, [id, word, ...more]: readonly string[]): ExitCode {
  const project = openProjectOrRefuse(context);
  refuseAgent('mark a decision', project, context);
  const as = MARKS.find((known) => known === word);
  if (id === undefined || id === '' || word === undefined || more.length > 0)
    throw cannotRun(`${WORDS}: give the id of a decision, then false-alarm or right.`);
  if (as === undefined) throw cannotRun(`${WORDS}: unknown mark '${word}'. ${hintFor(word, MARKS)}`);
  const by = context.caller();
  const entry = decisionCalled(id, readJournal(project.layout));
  const rules = occasionsIn(entry).map(({ guard, rule }) => ({ guard, rule }));
  const whole = textIn(entry, 'id');
  if (rules.length === 0)
    throw new Refusal(
      `${WORDS}: ${whole} held nothing, warned of nothing, and no rule in shadow mode spoke.`,
    );
  const failure = noteByHand(project.layout, 'mark', undefined, {
    session: textIn(entry, 'session'),
    about: `${whole} ${as}`,
    by,
    marked: { id: whole, as, at: textIn(entry, 'at'), rules },
  });
  if (failure !== undefined) throw new Refusal(`${WORDS}: nothing was noted: ${sentenceOf(failure)}`);
  const names = [...new Set(rules.map(({ rule }) => rule))];
  const what = as === 'right' ? 'right' : 'a false alarm';
  const told = `Marked ${whole} (${names.join(', ')}, ${localTime(timeOf(entry))}) as ${what}.`;
  return report(context, json, { id: whole, mark: as, rules: names }, [context.out.style('green', told)]);
}

/** The decision with this id, or the only one whose id begins with it, as it was recorded last. */
function decisionCalled(id: string, journal: Iterable<JsonObject>): JsonObject {
  const found = new Map<string, JsonObject>();
  let exact: JsonObject | undefined;
  for (const entry of journal) {
    const own = textIn(entry, 'id');
    if (own === id) exact = entry;
    else if (own.startsWith(id) && found.size < MOST_SHOWN) found.set(own, entry);
  }
  const [only, ...others] = found.values();
  const one = exact ?? (others.length === 0 ? only : undefined);
  if (one !== undefined) return one;
  if (only !== undefined)
    throw new Refusal(
      `${WORDS}: several decisions have ids that begin with '${id}': ${[...found.keys()].join(', ')}.`,
    );
  throw new Refusal(
    `${WORDS}: no decision '${id}' in this project's journal. \`holdpoint log\` shows their ids.`,
  );
}

const MOST_SHOWN = 10;
