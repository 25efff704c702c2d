import { detailOf } from '../domain/failure';
import { calledAs } from './called-as';
import { valueMissing, wrongCall } from './messages';
import type { Context, ExitCode, Verb } from './verb';

/** Runs a command below a group. Who typed it wrong is sent to the help of that command, not of the group. */
export async function runBelow(
  words: string,
  verb: Verb,
  args: readonly string[],
  context: Context,
): Promise<ExitCode> {
  try {
    return await verb.run(args, context);
  } catch (error) {
    const trouble = usageTrouble(error);
    if (trouble === undefined) throw error;
    context.out.error(wrongCall(calledAs(words), trouble));
    return 2;
  }
}

/** What the argument parser says of what was typed wrong; nothing where the mistake is ours. */
function usageTrouble(error: unknown): string | undefined {
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
