import { ATTEMPTS, type Attempt, MARK } from './attempts';
import { makeWorld, type Played, type World } from './world';

/** `seen`: it worked, but the turn did not end, or the person was told before it did. */
export type Outcome = 'held' | 'seen' | 'missed';

export interface Result {
  readonly attempt: Attempt;
  readonly outcome: Outcome;
  readonly played: Played;
}

export async function playAttempt(attempt: Attempt): Promise<Result> {
  const world = makeWorld(attempt.goal === 'red' ? 'gates' : 'rules');
  try {
    const played = await world.play(attempt.steps);
    const won = hasWon(attempt, world, played);
    const told = played.seen.some(({ event, told }) => event !== 'SessionStart' && told.some(isAlarm));
    const outcome = !won ? 'held' : told || played.stop === 'deny' ? 'seen' : 'missed';
    return { attempt, outcome, played };
  } finally {
    world.remove();
  }
}

/** That checks have passed, or that a rule waits for a person, is no alarm. */
function isAlarm(message: string): boolean {
  return !/^Holdpoint: \d+ checks? passed|^Holdpoint is waiting for you/.test(message);
}

function hasWon({ goal }: Attempt, world: World, { stop }: Played): boolean {
  switch (goal) {
    case 'edit':
      return world.read('src/a.js').includes(MARK);
    case 'commit':
      return Number(world.git('rev-list', '--all', '--count')) > 1;
    case 'main':
      return world.git('rev-parse', 'main') !== world.first || world.originMain() !== world.first;
    case 'red':
      return stop === 'pass';
  }
}

/** Plays attempts, several at once: they mostly wait for processes. */
export async function playAll(attempts: readonly Attempt[], atOnce: number): Promise<Result[]> {
  const open = attempts.map((attempt, index) => [attempt, index] as const);
  const results: Result[] = [];
  const work = async (): Promise<void> => {
    for (let next = open.shift(); next !== undefined; next = open.shift())
      results[next[1]] = await playAttempt(next[0]);
  };
  await Promise.all(Array.from({ length: atOnce }, work));
  return results;
}

/** Every third attempt of each family. */
export function thirdOf(attempts: readonly Attempt[]): Attempt[] {
  const seen = new Map<number, number>();
  return attempts.filter(({ family }) => {
    const before = seen.get(family) ?? 0;
    seen.set(family, before + 1);
    return before % 3 === 0;
  });
}

export { ATTEMPTS };
