import type { Purpose } from '../init/detect/kind';
import { surveyOf } from '../init/detect/survey';

/** Commands that the project seems to have for the two checks that most begin with. */
export interface Suggestions {
  readonly lint?: string;
  readonly test?: string;
}

export function suggestionsIn(root: string): Suggestions {
  const checks = surveyOf(root).parts.flatMap((part) => (part.path === '.' ? part.checks : []));
  const forPurpose = (purpose: Purpose): string | undefined =>
    checks.find((check) => check.purpose === purpose)?.command;
  const [lint, test] = [forPurpose('lint'), forPurpose('test')];
  return { ...(lint !== undefined && { lint }), ...(test !== undefined && { test }) };
}
