import { isJsonObject, type Json } from '../../core/json';
import type { Snapshot } from '../../core/snapshot';
import type { Frame } from './frame';
import { verifyFailed } from './messages';
import type { EndReason } from './state';
import { isVouched, type Verification, verificationIn } from './vouched';

/** Signals that claim success. To give up needs no proof. */
const CLAIMS: readonly EndReason[] = ['COMPLETE', 'NO_MORE_ISSUES', 'MAX_ISSUES'];

/** How the command ended: `how` is absent when it ended well. */
export type Verified = { readonly command: string; readonly how?: string; readonly tail: string };

/** What there is to say for and against a signal. */
export type Proof =
  | { readonly kind: 'none' }
  /** The state names a command that nobody on this machine has set: it is never run. */
  | { readonly kind: 'unvouched'; readonly command: string }
  | { readonly kind: 'wanted'; readonly ask: Verification }
  | { readonly kind: 'failed'; readonly refusal: string };

/** Whether the frame's own command speaks against its signal, as far as it has run. */
export function proofOf(
  frame: Frame,
  signal: EndReason,
  snapshot: Snapshot,
  result: Json | undefined,
): Proof {
  const ask = CLAIMS.includes(signal) ? verificationIn(frame) : undefined;
  if (ask === undefined) return { kind: 'none' };
  if (!isVouched(frame, ask, snapshot)) return { kind: 'unvouched', command: ask.command };
  const verified = verifiedIn(result, ask);
  if (verified === undefined) return { kind: 'wanted', ask };
  const { command, how, tail } = verified;
  return how === undefined ? { kind: 'none' } : { kind: 'failed', refusal: verifyFailed(command, how, tail) };
}

/** What the effect brought, if it ran this very command. */
function verifiedIn(result: Json | undefined, { command }: Verification): Verified | undefined {
  if (!isJsonObject(result) || result['command'] !== command) return undefined;
  return result as unknown as Verified;
}
