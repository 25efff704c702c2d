import { parseArgs } from 'node:util';
import { fail, succeed } from '../../core/failure';
import { requirementsOf } from '../../guards/workflow/model';
import { elicitationEnded } from '../../guards/workflow/moves';
import { elicitationEvidence } from '../../guards/workflow/state';
import { NO_PROJECT } from '../messages';
import { refuse } from '../req/refuse';
import type { ExitCode, Verb } from '../verb';
import { requireActive } from './active';
import * as say from './messages';
import { openFlow } from './place';
import { runMove } from './run-move';

/** The choices of the menu that people are shown. */
const SELECTIONS = ['adjust', 'refine', 'continue', 'save', 'exit'];

export const verb: Verb = {
  usage: 'holdpoint flow record elicitation --final save|continue|… [--json]',
  run(args, context): ExitCode {
    const { values } = parseArgs({
      args: [...args],
      options: { final: { type: 'string' }, json: { type: 'boolean', default: false } },
    });
    const place = openFlow(context);
    if (place === undefined) return refuse(context, NO_PROJECT, 2);
    const final = values.final?.trim().toLowerCase() ?? '';
    const call = { command: 'record', about: `elicitation ${final}`, json: values.json };
    if (final === '') return refuse(context, say.noChoice(SELECTIONS), 2);
    return runMove(place, call, context, ({ state, standing }) => {
      const active = requireActive(standing);
      if (!active.ok) return active;
      const { phase, workflow } = active.value;
      const asked = requirementsOf(place.model, workflow.type, phase).elicitation;
      if (asked === undefined) return fail(say.notAsked(phase, 'an elicitation'));
      const { minInteractions, finalSelections } = asked;
      if (![...SELECTIONS, ...finalSelections].includes(final))
        return fail(say.noChoice([...new Set([...finalSelections, ...SELECTIONS])]));
      const count = elicitationEvidence(state, phase)?.interactions ?? 0;
      if (count < minInteractions) return fail(say.tooFewQuestions(phase, count, minInteractions));
      const now = Date.now();
      return succeed({
        what: `ended the elicitation of ${phase}`,
        apply: (current) => elicitationEnded(current, phase, final, now),
        lines: say.elicitedLines(phase, final, finalSelections),
      });
    });
  },
};
