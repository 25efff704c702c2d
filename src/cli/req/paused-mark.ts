import { isJsonObject } from '../../core/json';
import { pauseFile } from '../../guards/requirements/view';
import { readDocument } from '../../state/documents';
import type { Layout } from '../../state/layout';

/** Since when a session is paused, and why, as far as somebody said so. */
export interface Paused {
  readonly since: string;
  readonly reason: string;
}

/** Like the guard, takes any JSON at the mark's place for one, and nothing else; what it does not say is left blank. */
export function readPaused(layout: Layout, session: string): Paused | undefined {
  const document = readDocument(layout, pauseFile(session));
  if (document.kind !== 'present') return undefined;
  const mark = isJsonObject(document.value) ? document.value : {};
  const { paused_at: since, reason } = mark as Record<string, unknown>;
  return {
    since: typeof since === 'string' ? since : '',
    reason: typeof reason === 'string' ? reason : '',
  };
}
