import { pointerOf } from '../../config/pointer';
import type { CompileContext } from '../../config/section';
import type { ReviewGate } from './config';
import * as say from './config-messages';
import type { GatesInput, ReviewInput } from './schema';

/** The reviews that somebody is there to do. */
export function compileReviews(input: GatesInput, context: CompileContext): ReviewGate[] {
  const allowed = input.cli?.default_preference ?? [];
  return Object.entries(input.reviews ?? {}).flatMap(([name, review]) => {
    const preference = review.cli_preference ?? allowed;
    const refused = reportForeign(name, preference, allowed, context);
    return refused || preference.length === 0 ? [] : [compileReview(name, review, preference, context)];
  });
}

function compileReview(
  name: string,
  input: ReviewInput,
  preference: readonly string[],
  context: CompileContext,
): ReviewGate {
  const { model, timeout } = input;
  return {
    name,
    place: context.place(pointerOf(['gates', 'reviews', name])) ?? '',
    prompt: input.prompt.trim(),
    ...(model !== undefined && model.trim() !== '' && { model: model.trim() }),
    preference: [...new Set(preference)],
    numReviews: input.num_reviews ?? 1,
    parallel: input.parallel ?? true,
    runInCi: input.run_in_ci ?? true,
    runLocally: input.run_locally ?? true,
    ...(timeout !== undefined && { timeout }),
    cache: input.cache ?? true,
  };
}

/** The default list is also the list of who may be asked at all. */
function reportForeign(
  name: string,
  preference: readonly string[],
  allowed: readonly string[],
  context: CompileContext,
): boolean {
  const foreign = allowed.length === 0 ? [] : preference.filter((tool) => !allowed.includes(tool));
  for (const tool of foreign) {
    const at = String(preference.indexOf(tool));
    context.report(pointerOf(['gates', 'reviews', name, 'cli_preference', at]), {
      code: 'config.invalid-value',
      severity: 'error',
      message: say.notPreferred(tool, allowed),
      switchesOff: `gates.reviews.${name}`,
    });
  }
  return foreign.length > 0;
}
