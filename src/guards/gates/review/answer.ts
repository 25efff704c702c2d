import { isJsonObject } from '../../../core/json';
import { objectsIn } from './extract-json';
import { parseViolation, type Violation } from './violation';

/** What a reviewer said, in the form that was asked for. */
export type Answer =
  | { readonly status: 'pass'; readonly message?: string }
  | { readonly status: 'fail'; readonly message?: string; readonly violations: readonly Violation[] };

/** The answer in what a reviewer printed; `undefined` where there is none. */
export function answerIn(printed: string, root: string): Answer | undefined {
  for (const value of objectsIn(printed)) {
    const answer = answerOf(value, root);
    if (answer !== undefined) return answer;
  }
  return undefined;
}

function answerOf(value: unknown, root: string): Answer | undefined {
  if (!isJsonObject(value) || typeof value['status'] !== 'string') return undefined;
  const status = value['status'].trim().toLowerCase();
  const message = typeof value['message'] === 'string' ? { message: value['message'] } : {};
  if (status === 'pass') return { status, ...message };
  if (status !== 'fail') return undefined;
  const listed = Array.isArray(value['violations']) ? value['violations'] : [];
  const violations = listed.flatMap((one: unknown) => {
    const violation = parseViolation(one, root);
    return violation === undefined ? [] : [asReported(violation)];
  });
  return { status, ...message, violations };
}

/** Whether something is settled is not the reviewer's to say. */
function asReported({ result: _result, ...violation }: Violation): Violation {
  return { ...violation, status: 'new' };
}
