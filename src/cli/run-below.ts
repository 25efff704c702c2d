import { calledAs } from './called-as';
import { wrongCall } from './messages';
import { usageTrouble } from './usage-trouble';
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
