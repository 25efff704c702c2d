import type { GatesConfig } from './config';

export const SUBAGENT = 'Not the end of a turn — the stop of a subagent is not held.';
export const BROKEN_OFF = 'The turn was broken off — nobody is there to be held.';
export const PLANNING = 'The agent is planning and may change nothing — the gates were not run.';

export const WAIVER =
  'a person: skip a finding with its reason in the review file, set `stop_hook.enabled: false`, or start the host with GAUNTLET_STOP_HOOK_ENABLED=0';

export const armedOff = 'gates off by `stop_hook.enabled`';
export const armedBroken = 'gates with a mistake in their config';

export function armed(checks: number, reviews: number): string {
  const counted = [count(checks, 'check'), count(reviews, 'review')].filter((text) => text !== '');
  return `gates (${counted.join(', ') || 'none yet'})`;
}

function count(number: number, what: string): string {
  return number === 0 ? '' : `${number} ${what}${number === 1 ? '' : 's'}`;
}

export function gauntletPassed(detail: string): string {
  return `Gauntlet completed successfully — ${detail}`;
}

export function gauntletFailed(detail: string): string {
  return `Gauntlet failed — issues must be fixed before stopping. ${detail}`;
}

export function limitExceeded(detail: string): string {
  const head = 'Retry limit exceeded';
  if (detail.startsWith(head)) return detail;
  return `${head} — ${detail} A person may have to look at it; \`agent-gauntlet clean\` archives this session.`;
}

export function stillResting(intervalMinutes: number, leftMs: number): string {
  const seconds = Math.ceil(leftMs / 1000);
  const minutes = Math.floor(seconds / 60);
  const left = minutes > 0 ? `${minutes} min ${seconds % 60} s` : `${seconds} s`;
  return `Skipped — run interval (${intervalMinutes} min) not elapsed since the last run passed; ${left} left.`;
}

export function clears(home: GatesConfig['home']): string {
  const command = home === '.gauntlet' ? 'agent-gauntlet' : 'holdpoint gates';
  return `mend what the log shows; the next end of a turn verifies it, as does \`${command} run\``;
}
