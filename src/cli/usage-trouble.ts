import { detailOf } from '../core/failure';
import { valueMissing } from './messages';

/** What the argument parser says of what was typed wrong; nothing where the mistake is ours. */
export function usageTrouble(error: unknown): string | undefined {
  const isUsage =
    error instanceof TypeError && 'code' in error && String(error.code).startsWith('ERR_PARSE_ARGS');
  if (!isUsage) return undefined;
  const detail = detailOf(error);
  const [, flag] = /^Option '(?:-\w, )?(--[\w-]+)' argument is ambiguous/.exec(detail) ?? [];
  // Node goes on to say how a name that begins with a dash would be given; none of ours does.
  return flag === undefined
    ? (detail.split('. To specify a positional', 1)[0] ?? detail)
    : valueMissing(flag);
}
