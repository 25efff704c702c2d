/** Milliseconds that only grow, whatever becomes of the clock. `performance` would tell them too, but takes long to load. */
export function steadyMs(): number {
  const [seconds, nanoseconds] = process.hrtime();
  return seconds * 1000 + nanoseconds / 1e6;
}
