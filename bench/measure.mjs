// Runs every row in every round, in an order of its own each round, so that whatever else the machine does
// falls on all of them alike.
//
// Node does not tell what a child used: `resourceUsage` and `cpuUsage` speak of the process itself,
// /proc counts in ticks of 10 ms, and GNU time prints hundredths. The `time` of bash takes wall time
// and the rusage of exactly the command it waited for and prints both in milliseconds; it is there
// wherever bash is. One bash runs all rounds, so neither its own start nor a pipe is in any figure,
// and rounding to a millisecond is smoothed by the way medians are taken (statistics.mjs).
import { spawn } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { WARM_UPS } from './prepare.mjs';
import { shuffled } from './statistics.mjs';

/** Answers go to two files that are open all the time: to open one would be in the figures. */
const SCRIPT = `
TIMEFORMAT='%3R %3U %3S'
exec 4>"$2" 5>"$3"
while IFS= read -r -u 3 HOME && IFS= read -r -u 3 cwd && IFS= read -r -u 3 input && IFS= read -r -u 3 line; do
  eval "set -- $line"
  cd "$cwd" || exit 1
  { time "$@" <"$input" >&4 2>&5; } 2>&1
  printf '%s\\n' "$?"
  printf '\\036' >&4
  printf '\\036' >&5
done 3<"$1"
`;

/** Milliseconds of wall and processor time of each run by row, and every row that has answered wrongly. */
export async function measure(ready, rounds, stage) {
  const plan = Array.from({ length: WARM_UPS + rounds }, (_, turn) =>
    shuffled(ready.flatMap((row) => Array(row.times).fill({ row, turn }))),
  ).flat();
  const lines = plan.flatMap(({ row, turn }) => [
    row.home,
    row.cwd,
    row.inputs[turn] ?? '/dev/null',
    row.command.map(quoted).join(' '),
  ]);
  const [planFile, answers, errors] = [stage.write('plan', `${lines.join('\n')}\n`), 'answers', 'errors'];
  const args = ['-c', SCRIPT, 'bench', planFile, stage.path(answers), stage.path(errors)];
  const times = await outputOf('bash', args, { ...stage.environment(stage.dir), LC_ALL: 'C' });
  const records = (name) => readFileSync(stage.path(name), 'utf8').split('\u001e');
  return read(plan, times.trimEnd().split('\n'), records(answers), records(errors));
}

/** Not in one go, so that a signal is heard meanwhile; who is told to end ends the rounds too. */
function outputOf(program, args, env) {
  const child = spawn(program, args, { env, stdio: ['ignore', 'pipe', 'inherit'] });
  process.once('exit', () => child.kill());
  let text = '';
  child.stdout.setEncoding('utf8').on('data', (more) => {
    text += more;
  });
  return new Promise((resolve, reject) => {
    child.on('error', reject);
    child.on('close', (code, signal) =>
      code === 0 ? resolve(text) : reject(new Error(`the rounds broke off: ${signal ?? code}`)),
    );
  });
}

/** Two lines a run: its times and its exit code. */
function read(plan, lines, answers, errors) {
  const samples = new Map();
  const wrong = new Map();
  for (const [index, { row, turn }] of plan.entries()) {
    const status = Number(lines[2 * index + 1]);
    const answer = { status, stdout: answers[index], stderr: errors[index] };
    if (turn < WARM_UPS) continue;
    if (!row.expects(answer)) wrong.set(row.name, `${row.name}: answered ${JSON.stringify(answer)}`);
    const [wall, user, system] = lines[2 * index].split(' ').map((seconds) => Number(seconds) * 1000);
    samples.set(row.name, [...(samples.get(row.name) ?? []), { wall, cpu: user + system }]);
  }
  return { samples, wrong: [...wrong.values()] };
}

function quoted(word) {
  return `'${word.replaceAll("'", "'\\''")}'`;
}
