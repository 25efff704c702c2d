import { joined, NOTHING } from './joined-bytes';

/** The last bytes of a stream. However much goes through and in however small pieces, its size stays. */
export class TailRing {
  readonly #size: number;
  #ring: Uint8Array | undefined;
  #at = 0;
  #total = 0;

  constructor(size: number) {
    this.#size = Math.max(0, Math.floor(size));
  }

  push(bytes: Uint8Array): void {
    this.#total += bytes.length;
    const last = bytes.subarray(Math.max(0, bytes.length - this.#size));
    if (last.length === 0) return;
    // Pages of it that nobody touches cost nothing, so a large ring is no waste for little output.
    this.#ring ??= new Uint8Array(this.#size);
    const fits = Math.min(last.length, this.#size - this.#at);
    this.#ring.set(last.subarray(0, fits), this.#at);
    this.#ring.set(last.subarray(fits), 0);
    this.#at = (this.#at + last.length) % this.#size;
  }

  /** How many bytes went through and are no longer here. */
  get missing(): number {
    return Math.max(0, this.#total - this.#size);
  }

  bytes(): Uint8Array {
    if (this.#ring === undefined) return NOTHING;
    if (this.#total < this.#size) return this.#ring.subarray(0, this.#at);
    return joined(this.#ring.subarray(this.#at), this.#ring.subarray(0, this.#at));
  }
}
