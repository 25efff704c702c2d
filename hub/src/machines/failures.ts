const windowMs = 5 * 60_000;
const most = 10;
const mostAddresses = 10_000;

/** Counts failed attempts by address, in this process. Ten within five minutes are too many. */
export class Failures {
  readonly #byAddress = new Map<string, number[]>();

  isLimited(address: string, now: number): boolean {
    return this.#recent(address, now).length >= most;
  }

  add(address: string, now: number): void {
    const recent = this.#recent(address, now);
    this.#byAddress.delete(address);
    this.#byAddress.set(address, [...recent, now]);
    // Drop the address that failed longest ago.
    const [oldest] = this.#byAddress.keys();
    if (this.#byAddress.size > mostAddresses && oldest !== undefined) this.#byAddress.delete(oldest);
  }

  #recent(address: string, now: number): number[] {
    return (this.#byAddress.get(address) ?? []).filter((at) => now - at < windowMs);
  }
}
