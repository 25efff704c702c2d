// Runs a command again and again, some of them at the same time, each from its start to its end. A small program does it
// where it can be compiled: what starts programs for others should cost nothing itself while they share the cores.
import { spawn, spawnSync } from 'node:child_process';
import { fileURLToPath } from 'node:url';

/** Each bash runs the command again and again and prints how many microseconds every run took. */
const SCRIPT = `
cd "$1" || exit 1
mapfile -t inputs <"$2"
runs=$3
shift 3
for ((run = 0; run < runs; run++)); do
  begun=$EPOCHREALTIME
  "$@" <"\${inputs[run % \${#inputs[@]}]}" >/dev/null 2>&1
  code=$?
  ended=$EPOCHREALTIME
  echo $(( \${ended/./} - \${begun/./} )) 0 $code
done
`;

/** What starts the commands: `told` says how, for whoever reads the figures. */
export function openLanes(stage) {
  const file = stage.path('at-once');
  const source = fileURLToPath(new URL('at-once.c', import.meta.url));
  const { status } = spawnSync('cc', ['-O2', '-o', file, source], { stdio: 'ignore' });
  return status === 0
    ? {
        told: 'started by a process for each lane (vfork), from before the start until its end was known',
        file,
      }
    : { told: 'started by a bash for each lane, since there is no C compiler; its forks are in the figures' };
}

/** Of every run, in the order in which they ended: milliseconds and exit code. */
export async function runLanes({ file }, { lanes, runs, place, environment, inputs, command }) {
  const rest = [place.root, inputs];
  const started =
    file === undefined
      ? Array.from({ length: lanes }, () => [
          'bash',
          ['-c', SCRIPT, 'at-once', ...rest, String(Math.ceil(runs / lanes)), ...command],
        ])
      : [[file, [String(lanes), String(runs), ...rest, ...command]]];
  const texts = await Promise.all(
    started.map(([program, args]) => outputOf(program, args, environment, place.root)),
  );
  return texts.flatMap((text) =>
    text
      .trim()
      .split('\n')
      .map((line) => line.split(' ').map(Number))
      .map(([us, , exitCode]) => ({ ms: us / 1000, exitCode })),
  );
}

function outputOf(program, args, env, cwd) {
  const child = spawn(program, args, { env, cwd, stdio: ['ignore', 'pipe', 'inherit'] });
  let text = '';
  child.stdout.setEncoding('utf8').on('data', (more) => {
    text += more;
  });
  return new Promise((done, reject) => {
    child.on('error', reject);
    child.on('close', (code) =>
      code === 0 ? done(text) : reject(new Error(`${program} ended with ${code}`)),
    );
  });
}
