import type { DocumentRef } from '../../core/document';

/** What a session did: counts, times, branches. No decision rests on it. */
export function metricsFile(session: string): DocumentRef {
  return {
    base: 'git',
    path: `requirements/sessions/${session}.json`,
    format: 'json',
    keeping: 'bookkeeping',
  };
}

/** Present while a person has paused the requirements for a session. */
export function pauseFile(session: string): DocumentRef {
  return { base: 'git', path: `requirements/sessions/${session}.paused`, format: 'json', keeping: 'durable' };
}

/** Values that cost a process to find out, kept for a while. */
export const VALUES_FILE: DocumentRef = {
  base: 'own',
  path: 'values.json',
  format: 'json',
  keeping: 'bookkeeping',
};
