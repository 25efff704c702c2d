/** The last bytes of a stream. However much goes through and in however small pieces, its size stays. */
export class TailRing {
  readonly #size: number;
  #ring: Buffer | undefined;
  #at = 0;
  #total = 0;

  constructor(size: number) {
    this.#size = Math.max(0, Math.floor(size));
  }

  push(bytes: Buffer): void {
    this.#total += bytes.length;
    const last = bytes.subarray(Math.max(0, bytes.length - this.#size));
    if (last.length === 0) return;
    // Untouched pages of an uninitialised buffer cost nothing, so a large ring is no waste for little output.
    this.#ring ??= Buffer.allocUnsafe(this.#size);
    const fits = last.copy(this.#ring, this.#at);
    last.copy(this.#ring, 0, fits);
    this.#at = (this.#at + last.length) % this.#size;
  }

  /** How many bytes went through and are no longer here. */
  get missing(): number {
    return Math.max(0, this.#total - this.#size);
  }

  bytes(): Buffer {
    if (this.#ring === undefined) return Buffer.alloc(0);
    if (this.#total < this.#size) return this.#ring.subarray(0, this.#at);
    return Buffer.concat([this.#ring.subarray(this.#at), this.#ring.subarray(0, this.#at)]);
  }
}
