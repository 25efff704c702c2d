import type { Context } from '../../core/guard';
import { nameIn, numberIn, objectIn } from '../../core/json';
import { ownJson } from '../../core/text';
import type { Change } from '../../state/documents';
import { verifyFailed } from './messages';
import { type EndReason, type Frame, withEntries } from './state';

/**
 * The commands that `loop start` has set on this machine, by the frames that they belong to. A state may have
 * come with a cloned repository; this file cannot, because it is in the git directory.
 */
export const TRUSTED_COMMANDS = ownJson('loop-verify.json', 'durable');

/** A command, and the directory that it runs in where it is not the project's. */
export type Verification = { readonly command: string; readonly cwd?: string };

const FORGOTTEN_AFTER_MS = 30 * 24 * 3_600_000;

/** Whether `loop start` has set exactly this for the frame. Without git a stranger could have written the file. */
function isTrusted({ raw }: Frame, { command, cwd }: Verification, ctx: Context): boolean {
  const document = ctx.document(TRUSTED_COMMANDS);
  const id = nameIn(raw, 'id');
  if (ctx.git === undefined || document.kind !== 'present' || id === undefined) return false;
  const known = objectIn(objectIn(document.value, 'commands'), id);
  return known['command'] === command && (known['cwd'] ?? undefined) === cwd;
}

/** Sets a frame's command. Old ones are removed, unless their frame is one to `keep`. */
export function trustCommand(id: string, set: Verification, now: number, keep: readonly string[]): Change {
  return {
    document: TRUSTED_COMMANDS,
    what: 'set a loop verify command',
    apply: (current) =>
      withEntries(
        current,
        'commands',
        (one, known) => keep.includes(one) || now - (numberIn(known, 'at') ?? 0) < FORGOTTEN_AFTER_MS,
        { [id]: { ...set, at: now } },
      ),
  };
}

/** Frames that are over prove nothing any more. The last one takes the file with it. */
export function forgetCommands(ids: readonly string[]): Change {
  return {
    document: { ...TRUSTED_COMMANDS, keeping: 'bookkeeping' },
    what: 'removed a loop verify command',
    apply: (current) => withEntries(current, 'commands', (id) => !ids.includes(id)),
  };
}

/** Signals that claim success. To give up needs no proof. */
const CLAIMS: readonly EndReason[] = ['COMPLETE', 'NO_MORE_ISSUES', 'MAX_ISSUES'];

/** How the command ended: `how` is absent when it ended well. */
export type Verified = { readonly command: string; readonly how?: string; readonly tail: string };

/** What there is to say against a signal. */
export interface Proof {
  /** A command that the state names, but that was not set on this machine: it is never run. */
  readonly untrusted?: string;
  readonly refusal?: string;
}

/** Whether the frame's own command speaks against its signal; it is run for that. */
export async function proofOf(frame: Frame, signal: EndReason, ctx: Context): Promise<Proof> {
  const command = nameIn(frame.raw, 'verify');
  if (command === undefined || !CLAIMS.includes(signal)) return {};
  const cwd = nameIn(frame.raw, 'worktree_path');
  const input = { command, ...(cwd !== undefined && { cwd }) };
  if (!isTrusted(frame, input, ctx)) return { untrusted: command };
  const { command: ran, how, tail } = (await ctx.run({ name: 'verify', input })) as Verified;
  if (ran !== command) throw new Error('the wrong verify command was run');
  return how === undefined ? {} : { refusal: verifyFailed(command, how, tail) };
}
