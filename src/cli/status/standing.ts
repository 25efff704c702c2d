import { sessionKey } from '../../domain/session-key';
import { isDisabled } from '../../engine/selection';
import type { Context } from '../verb';
import type { Asker } from './gather';
import type { SeenSession } from './seen-sessions';

/** Whether agents are held here, in one word, and why not where they are not. */
export interface Standing {
  readonly state: 'armed' | 'paused' | 'degraded' | 'off';
  readonly why: string;
}

/** What is looked at. */
export interface Outlook {
  readonly guards: readonly string[];
  /** Config files of which nothing could be read, with the place of the trouble. */
  readonly unread: readonly string[];
  readonly paused: readonly string[];
  readonly degraded: readonly { readonly session: string; readonly code: string }[];
  readonly seen: readonly SeenSession[];
  readonly session: string | undefined;
  readonly asker: Asker;
  readonly env: Context['env'];
}

export function standingOf(outlook: Outlook): Standing {
  const { guards, unread, paused, degraded, session } = outlook;
  if (isDisabled(outlook.env)) return { state: 'off', why: 'HOLDPOINT_DISABLE is set' };
  const [broken] = unread;
  if (guards.length === 0 && broken !== undefined)
    return { state: 'off', why: `the config cannot be read: ${broken}` };
  if (guards.length === 0) return { state: 'off', why: 'nothing is configured here' };
  const unheard = whyUnheard(outlook);
  if (unheard !== undefined) return { state: 'off', why: unheard };
  if (paused.length > 0) return { state: 'paused', why: paused.join('; ') };
  const mine = degraded.filter((mark) => session === undefined || sessionKey(mark.session) === session);
  const last = mine.at(-1);
  return last === undefined
    ? { state: 'armed', why: '' }
    : {
        state: 'degraded',
        why: `${mine.length} event(s) went unchecked (${last.code}); see \`holdpoint log\``,
      };
}

/** Armed is only what is called: the session that asks, or for a person any host's settings. */
function whyUnheard({ seen, session, asker }: Outlook): string | undefined {
  if ('session' in asker)
    return seen.some(({ id }) => id === session) ? undefined : 'this session has not called the hook';
  const calling = asker.calling();
  if (calling.kind === 'nowhere')
    return `${calling.file} starts ${calling.program}, which is gone or cannot be run; see \`holdpoint doctor\``;
  return seen.length > 0 || calling.kind === 'called'
    ? undefined
    : 'no host calls it; `holdpoint install` changes that';
}
