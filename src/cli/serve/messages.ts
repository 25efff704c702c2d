import type { ServerStatus } from '../../resident/server-status';

export const NOT_RUNNING = 'No server is running. Every event starts a process of its own.';

export function running({ pid, version, answered, left, rss, http }: ServerStatus): string {
  const alone = Object.values(left).reduce((sum, count) => sum + count, 0);
  const web = http === undefined ? '' : `; http hooks on 127.0.0.1:${http}`;
  return `Server ${version} runs as process ${pid}: ${answered} events answered, ${alone} left to a process of their own, ${Math.round(rss / 1_048_576)} MB${web}.`;
}

export function stopped({ pid }: ServerStatus): string {
  return `Server ${pid} has ended.`;
}

export function notStarted(why: string): string {
  return `The server did not start${why === '' ? '.' : `: ${why}`}`;
}

export function notANumber(option: string): string {
  return `${option} takes a number.`;
}
