/**
 * Milliseconds that only grow, whatever becomes of the clock. `performance` and `hrtime` would tell them too, but
 * what they are made of takes long to load.
 */
export function steadyMs(): number {
  return process.uptime() * 1000;
}
