import { bindings } from './binding';

/** Which of two pieces comes first, as `Buffer.compare` tells it; zero where they are the same. */
export function compareBytes(one: Uint8Array, other: Uint8Array): number {
  return bindings === undefined ? Buffer.compare(one, other) : bindings.binding('buffer').compare(one, other);
}
