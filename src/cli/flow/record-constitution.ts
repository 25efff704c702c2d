import { parseArgs } from 'node:util';
import { fail, succeed } from '../../core/failure';
import { requirementsOf } from '../../guards/workflow/model';
import { constitutionChecked } from '../../guards/workflow/moves';
import { constitutionEvidence } from '../../guards/workflow/state';
import { NO_PROJECT } from '../messages';
import { actorIn } from '../req/actor';
import { refuse } from '../req/refuse';
import type { ExitCode, Verb } from '../verb';
import { requireActive } from './active';
import * as say from './messages';
import { openFlow } from './place';
import { runMove } from './run-move';
import { isEscalated } from './target';

const NUMERAL = /^[IVXLC]{1,10}$/;

export const verb: Verb = {
  usage: 'holdpoint flow record constitution --articles I,II,… [--json]',
  run(args, context): ExitCode {
    const { values } = parseArgs({
      args: [...args],
      options: { articles: { type: 'string' }, json: { type: 'boolean', default: false } },
    });
    const articles = (values.articles ?? '')
      .toUpperCase()
      .split(/[\s,]+/)
      .filter((article) => article !== '');
    if (articles.length === 0) return refuse(context, say.NO_ARTICLES, 2);
    const odd = articles.find((article) => !NUMERAL.test(article));
    if (odd !== undefined) return refuse(context, say.noNumeral(odd), 2);
    const place = openFlow(context);
    if (place === undefined) return refuse(context, NO_PROJECT, 2);
    const call = { command: 'record', about: `constitution ${articles.join(',')}`, json: values.json };
    return runMove(place, call, context, ({ state, standing }) => {
      const active = requireActive(standing);
      if (!active.ok) return active;
      const { phase, workflow } = active.value;
      const asked = requirementsOf(place.model, workflow.type, phase).constitution;
      if (asked === undefined) return fail(say.notAsked(phase, 'a constitutional validation'));
      if (actorIn(context.env) === 'agent' && isEscalated(state, phase)) return fail(say.escalated(phase));
      const now = Date.now();
      const after = constitutionChecked(state, phase, asked, articles, now);
      return succeed({
        what: `checked articles of ${phase}`,
        apply: (current) => constitutionChecked(current, phase, asked, articles, now),
        lines: say.checkedLines(phase, asked.articles, constitutionEvidence(after, phase)),
      });
    });
  },
};
