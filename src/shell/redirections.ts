import type { FileRedirection } from './command';
import type { Target } from './file-targets';

/** The files that redirections write; reading from one is no write. */
export function redirectionTargets(redirections: readonly FileRedirection[]): readonly Target[] {
  return redirections.flatMap(({ operator, target }): readonly Target[] => {
    if (operator === '<') return [];
    const how = operator === '>>' || operator === '&>>' ? 'append' : 'redirect';
    return [{ how, candidates: [target] }];
  });
}
