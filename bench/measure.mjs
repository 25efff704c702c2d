// Runs every variant once a round, in an order of its own each round, so that whatever else the
// machine does falls on all of them alike.
//
// Node does not tell what a child used: `resourceUsage` and `cpuUsage` speak of the process itself,
// /proc counts in ticks of 10 ms, and GNU time prints hundredths. The `time` of bash takes wall time
// and the rusage of exactly the command it waited for and prints both in milliseconds; it is there
// wherever bash is. One bash runs all rounds, so neither its own start nor a pipe is in any figure,
// and rounding to a millisecond is smoothed by the way medians are taken (statistics.mjs).
import { spawnSync } from 'node:child_process';
import { shuffled } from './statistics.mjs';

const SCRIPT = `
TIMEFORMAT='%3R %3U %3S'
while IFS= read -r -u 3 name && IFS= read -r -u 3 cwd && IFS= read -r -u 3 input && IFS= read -r -u 3 line; do
  eval "set -- $line"
  cd "$cwd" || exit 1
  printf '%s\\t' "$name"
  { time "$@" <"$input" >/dev/null 2>&1; } 2>&1 || :
done 3<"$1"
`;

/** Milliseconds of wall and processor time of each run, by variant. The first round only warms up. */
export function measure(variants, rounds, scene) {
  const plan = Array.from({ length: rounds + 1 }, (_, round) =>
    shuffled(variants).map((variant) => ({ ...variant, input: variant.inputs?.[round] ?? '/dev/null' })),
  ).flat();
  const lines = plan.flatMap(({ name, cwd, input, command }) => [
    name,
    cwd,
    input,
    command.map(quoted).join(' '),
  ]);
  const file = scene.write('plan', `${lines.join('\n')}\n`);
  const done = spawnSync('bash', ['-c', SCRIPT, 'bench', file], {
    env: { ...scene.env, LC_ALL: 'C' },
    encoding: 'utf8',
    maxBuffer: 1 << 28,
  });
  if (done.status !== 0) throw new Error(`the rounds broke off: ${done.error ?? done.stderr}`);
  return samplesIn(done.stdout.trimEnd().split('\n').slice(variants.length), variants);
}

function samplesIn(lines, variants) {
  const samples = new Map(variants.map(({ name }) => [name, []]));
  for (const line of lines) {
    const [name, figures] = line.split('\t');
    const [wall, user, system] = figures.split(' ').map((seconds) => Number(seconds) * 1000);
    samples.get(name).push({ wall, cpu: user + system });
  }
  return samples;
}

function quoted(word) {
  return `'${word.replaceAll("'", "'\\''")}'`;
}
