import { sentenceOf } from '../../core/messages';
import { localTime } from '../../core/text';
import { readJournal } from '../../state/journal';
import { type Context, cannotRun, type ExitCode, type Options, Refusal, report } from '../context';
import { decisionById, textIn, timeOf } from '../log/entries';
import { hintFor } from '../messages';
import { requireProject } from '../project';
import { journalCommand, refuseAgent } from '../req/context';
import { MARKS, ruleActionsIn } from '../rules/figures';
import { styled } from '../ui/output';

const WORDS = 'holdpoint mark';

/** `holdpoint mark`: a person says whether a hold, a warning or a shadow verdict was right. */
export function mark(context: Context, _options: Options, [id, word, ...more]: readonly string[]): ExitCode {
  const project = requireProject(context);
  refuseAgent('mark a decision', project);
  const as = MARKS.find((known) => known === word);
  if (id === undefined || id === '' || word === undefined || more.length > 0)
    throw cannotRun(`${WORDS}: give the id of a decision, then false-alarm or right.`);
  if (as === undefined) throw cannotRun(`${WORDS}: unknown mark '${word}'. ${hintFor(word, MARKS)}`);
  const entry = decisionById([...readJournal(project.layout)], id);
  const spoke = ruleActionsIn(entry);
  const seen = spoke.filter(({ what }) => what !== 'shadowed');
  // Next to a hold that people saw, no rule in shadow mode is meant.
  const rules = (seen.length > 0 ? seen : spoke).map(({ guard, rule }) => ({ guard, rule }));
  const whole = textIn(entry, 'id');
  if (rules.length === 0)
    throw new Refusal(
      `${WORDS}: ${whole} held nothing, warned of nothing, and would have held nothing in shadow mode.`,
    );
  const failure = journalCommand(project, 'mark', undefined, {
    session: textIn(entry, 'session'),
    about: `${whole} ${as}`,
    marked: { id: whole, as, at: textIn(entry, 'at'), rules },
  });
  if (failure !== undefined) throw new Refusal(`${WORDS}: nothing was noted: ${sentenceOf(failure)}`);
  const names = [...new Set(rules.map(({ rule }) => rule))];
  const what = as === 'right' ? 'right' : 'a false alarm';
  const told = `Marked ${whole} (${names.join(', ')}, ${localTime(timeOf(entry))}) as ${what}.`;
  return report(context, { id: whole, mark: as, rules: names }, [styled('green', told)]);
}
