import * as v from 'valibot';
import { notEnforced } from '../config/messages';
import { type Section, section } from '../config/section';

/** Disciplines whose keys are known but which this version does not have: said plainly, so that nobody counts on them. */
export const NOT_YET: readonly Section[] = (['workflow', 'gates', 'loop'] as const).map((guard) =>
  section({
    guard,
    keys: { [guard]: v.unknown() },
    seedOnly: [],
    files: [],
    units: [],
    tolerated: [],
    freeForm: [],
    compile(valid, context) {
      if (!Object.hasOwn(valid, guard)) return undefined;
      const message = notEnforced(`\`${guard}\``);
      context.report(guard, { code: 'config.not-enforced', severity: 'warning', message });
      return undefined;
    },
  }),
);
