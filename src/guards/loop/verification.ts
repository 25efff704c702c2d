import type { Context } from '../../core/guard';
import { nameIn, objectIn } from '../../core/json';
import { ownJson } from '../../core/text';
import type { Change } from '../../state/documents';
import { verifyFailed } from './messages';
import { type EndReason, type Frame, withEntries } from './state';

/**
 * Verify commands that `loop start` set on this machine, by frame id. A state may come with a cloned repository; this
 * file cannot, because it is in the git directory.
 */
export const TRUSTED_COMMANDS = ownJson('loop-verify.json', 'durable');

/** A command, and its working directory if that is not the project. */
export type Verification = { readonly command: string; readonly cwd?: string };

/** Whether `loop start` set exactly this for the frame. Without git a stranger could have written the file. */
function isTrusted({ raw }: Frame, { command, cwd }: Verification, ctx: Context): boolean {
  const document = ctx.document(TRUSTED_COMMANDS);
  const id = nameIn(raw, 'id');
  if (ctx.git === undefined || document.kind !== 'present' || id === undefined) return false;
  const known = objectIn(objectIn(document.value, 'commands'), id);
  return known['command'] === command && (known['cwd'] ?? undefined) === cwd;
}

export function trustCommand(id: string, set: Verification): Change {
  return {
    document: TRUSTED_COMMANDS,
    what: 'set a loop verify command',
    apply: (current) => withEntries(current, 'commands', () => true, { [id]: set }),
  };
}

/** Removes the commands of ended frames. The file is deleted with the last one. */
export function forgetCommands(ids: readonly string[]): Change {
  return {
    document: { ...TRUSTED_COMMANDS, durability: 'bookkeeping' },
    what: 'removed a loop verify command',
    apply: (current) => withEntries(current, 'commands', (id) => !ids.includes(id)),
  };
}

/** Signals that claim success. Giving up needs no proof. */
const CLAIMS: readonly EndReason[] = ['COMPLETE', 'NO_MORE_ISSUES', 'MAX_ISSUES'];

/** How the command ended; `how` is absent if it succeeded. */
export type Verified = { readonly command: string; readonly how?: string; readonly tail: string };

/** What speaks against accepting a signal. */
export interface SignalCheck {
  /** A command in the state that was not set on this machine; it is never run. */
  readonly untrusted?: string;
  readonly refusal?: string;
}

/** Runs the frame's verify command, if its signal claims success. */
export async function checkSignal(frame: Frame, signal: EndReason, ctx: Context): Promise<SignalCheck> {
  const command = nameIn(frame.raw, 'verify');
  if (command === undefined || !CLAIMS.includes(signal)) return {};
  const cwd = nameIn(frame.raw, 'worktree_path');
  const input = { command, ...(cwd !== undefined && { cwd }) };
  if (!isTrusted(frame, input, ctx)) return { untrusted: command };
  const { command: ran, how, tail } = (await ctx.run({ name: 'verify', input })) as Verified;
  if (ran !== command) throw new Error('the wrong verify command was run');
  return how === undefined ? {} : { refusal: verifyFailed(command, how, tail) };
}
