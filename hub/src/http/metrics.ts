const counters = {
  decisions: ['decisions_received_total', 'Decisions received from machines, known ones included.'],
  batches: ['batches_received_total', 'Batches of decisions received from machines.'],
  signInsFailed: ['sign_ins_failed_total', 'Failed attempts to sign in.'],
  reachSent: ['reach_sent_total', 'Messages delivered to the webhook or ntfy topic.'],
  reachFailed: ['reach_failed_total', 'Messages given up after the last try.'],
} as const;

export type Counter = keyof typeof counters;

export interface Metrics {
  /** Adds to a counter, by default 1. */
  add(counter: Counter, by?: number): void;
  /** Records an answered request. */
  request(route: string, method: string, status: number, seconds: number): void;
  text(gauges: Readonly<Record<string, readonly [help: string, value: number]>>): string;
}

const buckets = [0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5];

interface Series {
  readonly labels: string;
  readonly counts: number[];
  sum: number;
  count: number;
}

export function newMetrics(): Metrics {
  const values = new Map<Counter, number>();
  const series = new Map<string, Series>();
  return {
    add(counter, by = 1) {
      values.set(counter, (values.get(counter) ?? 0) + by);
    },
    request(route, method, status, seconds) {
      const labels = `method="${method}",route="${route}",status="${status}"`;
      let entry = series.get(labels);
      if (!entry) {
        entry = { labels, counts: buckets.map(() => 0), sum: 0, count: 0 };
        series.set(labels, entry);
      }
      for (const [index, edge] of buckets.entries())
        if (seconds <= edge) entry.counts[index] = (entry.counts[index] ?? 0) + 1;
      entry.sum += seconds;
      entry.count += 1;
    },
    text(gauges) {
      const lines: string[] = [];
      for (const [counter, [name, help]] of Object.entries(counters))
        lines.push(...head(name, help, 'counter'), `${prefix}${name} ${values.get(counter as Counter) ?? 0}`);
      for (const [name, [help, value]] of Object.entries(gauges))
        lines.push(
          ...head(name, help, name.endsWith('_total') ? 'counter' : 'gauge'),
          `${prefix}${name} ${value}`,
        );
      lines.push(...head('request_seconds', 'Time until a request is answered.', 'histogram'));
      for (const entry of series.values()) lines.push(...histogram(entry));
      return `${lines.join('\n')}\n`;
    },
  };
}

const prefix = 'holdpoint_hub_';

function head(name: string, help: string, type: string): string[] {
  return [`# HELP ${prefix}${name} ${help}`, `# TYPE ${prefix}${name} ${type}`];
}

function histogram({ labels, counts, sum, count }: Series): string[] {
  const name = `${prefix}request_seconds`;
  return [
    ...buckets.map((edge, index) => `${name}_bucket{${labels},le="${edge}"} ${counts[index] ?? 0}`),
    `${name}_bucket{${labels},le="+Inf"} ${count}`,
    `${name}_sum{${labels}} ${sum.toFixed(6)}`,
    `${name}_count{${labels}} ${count}`,
  ];
}
