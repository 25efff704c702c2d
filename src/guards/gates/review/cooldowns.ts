import { readFileSync, renameSync } from 'node:fs';
import { join } from 'node:path';
import { detailOf } from '../../../core/failure';
import { isJsonObject } from '../../../core/json';
import { discard, writeTemporary } from '../../../state/write-file';
import { healthNotWritten, USAGE_LIMIT } from './messages';

/** Remembers from run to run who has no quota left. It is no log, so cleaning leaves it. */
const HEALTH_NAME = '.reviewer-health.json';

const COOLDOWN_MS = 15 * 60_000;

/** Reviewers that are to be left alone, and until when, in milliseconds since the epoch. */
export type Cooldowns = Readonly<Record<string, number>>;

/** A file that cannot be read knows of none. */
export function readCooldowns(logDir: string, now: number): Cooldowns {
  const kept = contentOf(join(logDir, HEALTH_NAME));
  const entries = isJsonObject(kept) ? Object.entries(kept) : [];
  return Object.fromEntries(
    entries.flatMap(([name, entry]) => {
      const until = isJsonObject(entry) ? Date.parse(String(entry['until'])) : Number.NaN;
      return until > now && until <= now + COOLDOWN_MS ? [[name, until]] : [];
    }),
  );
}

/** Leaves a reviewer alone for some time from now on. Answers with what went wrong, if anything did. */
export function startCooldown(logDir: string, reviewer: string, now: number): string | undefined {
  const all = { ...readCooldowns(logDir, now), [reviewer]: now + COOLDOWN_MS };
  const content = Object.fromEntries(
    Object.entries(all).map(([name, until]) => [
      name,
      { until: new Date(until).toISOString(), reason: USAGE_LIMIT },
    ]),
  );
  const file = join(logDir, HEALTH_NAME);
  let temporary: string | undefined;
  try {
    temporary = writeTemporary(file, `${JSON.stringify(content, null, 2)}\n`, false, 0o644);
    renameSync(temporary, file);
    return undefined;
  } catch (error) {
    if (temporary !== undefined) discard(temporary);
    return healthNotWritten(file, detailOf(error));
  }
}

function contentOf(file: string): unknown {
  try {
    return JSON.parse(readFileSync(file, 'utf8'));
  } catch {
    return undefined;
  }
}
