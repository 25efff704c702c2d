import { cpus, loadavg } from 'node:os';

/** Where the figures come from, and how much else went on there: ratios bear a busy machine, not any. */
export function machine() {
  const [{ model = 'unknown processor' } = {}] = cpus();
  const load = loadavg()[0].toFixed(1);
  return `Node ${process.version}, ${process.platform} ${process.arch}, ${cpus().length} × ${model}, load ${load}.`;
}
