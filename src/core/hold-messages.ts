import type { Failure } from './failure';

/** The last line of everything held: where the whole story is. */
export function whyLine(id: string): string {
  return `Details: \`holdpoint why ${id}\``;
}

export function capReached(inRow: number, guards: readonly string[]): string {
  return `Holdpoint let this turn end although ${guards.join(' and ')} would hold it: ${inRow} stops in a row were refused without any tool use in between, and after so many most hosts end the turn by themselves, while others never would. Nothing was marked as done.`;
}

export function holdFell(guards: readonly string[], failure: string): string {
  return `Holdpoint let this turn end although ${guards.join(' and ')} would hold it: the refusal could not be recorded (${failure}), and a hold that cannot be counted could last for ever.`;
}

export function cannotWrite(failure: Failure): string {
  const file = 'file' in failure ? ` (${failure.file})` : '';
  return `Holdpoint cannot write its state here: ${failure.code}${file}. What is held stays held, but nothing can be recorded as satisfied until that is mended.`;
}

/** For a guard that failed and whose config says `on_error: hold`. */
export function heldByError(guard: string, failure: Failure): string {
  return [
    `The guard ${guard} failed (${failure.code}), and its config says \`on_error: hold\`, so nothing passes it unchecked.`,
    `A person can look at \`holdpoint status\`, set \`guards.${guard}.on_error: allow\`, or start the host with HOLDPOINT_DISABLE=1.`,
  ].join('\n');
}
