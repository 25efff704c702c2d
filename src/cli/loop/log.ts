import { parseArgs } from 'node:util';
import type { TopicMessage } from '../../core/document';
import { type JsonObject, jsonObjectIn } from '../../core/json';
import { ownTopic, sharedTopic } from '../../guards/loop/documents';
import { type TopicHistory, topicHistory } from '../../state/topic-history';
import { refuse } from '../req/refuse';
import { printable } from '../ui/output';
import type { ExitCode, Verb } from '../verb';
import { historyLine } from './log-text';
import { isNamed } from './loops';
import * as say from './messages';
import { type LoopPlace, openLoopPlace } from './place';

const MOST = 100_000;

export const verb: Verb = {
  usage: 'holdpoint loop log [--limit N] [--session ID] [--json]',
  run(args, context): ExitCode {
    const { out } = context;
    const { values } = parseArgs({
      args: [...args],
      options: {
        limit: { type: 'string', short: 'n', default: '20' },
        session: { type: 'string', short: 's' },
        json: { type: 'boolean', default: false },
      },
    });
    const limit = /^\d+$/.test(values.limit) ? Number(values.limit) : 0;
    if (limit < 1 || limit > MOST) return refuse(context, say.badLimit(printable(values.limit), MOST), 2);
    if (values.session?.trim() === '') return refuse(context, say.emptySession('log'), 2);
    const place = openLoopPlace(context);
    if (place === undefined) return refuse(context, say.NO_PLACE, 2);
    const { session } = values;
    const history = historyOf(place, session === undefined ? limit : MOST);
    if (history.kind === 'unreadable') return refuse(context, say.unclearState(history), 1);
    const entries = entriesOf(history, session, limit);
    if (entries.length === 0 && !values.json) out.line(say.NO_HISTORY);
    for (const entry of entries) {
      if (!(values.json ? out.json(entry) : out.line(historyLine(entry, out)))) break;
    }
    return 0;
  },
};

/** The newest last, as one reads. */
function entriesOf(history: TopicHistory, session: string | undefined, limit: number): HistoryEntry[] {
  const all = history.kind === 'read' ? history.newestFirst.map(entryOf) : [];
  const wanted = all.filter((entry) => session === undefined || isOf(entry, session));
  return wanted.slice(0, limit).reverse();
}

/** From the store where it knows the topic, as everywhere; else from our own log. */
function historyOf({ layout }: LoopPlace, limit: number): TopicHistory {
  const shared = topicHistory(layout, sharedTopic(''), limit);
  const counts = shared.kind === 'unreadable' || (shared.kind === 'read' && shared.known);
  return counts ? shared : topicHistory(layout, ownTopic(''), limit);
}

/** One message: when, and the state in it, or the text where it is none. */
export type HistoryEntry = {
  readonly id: string | null;
  readonly at: string | null;
  readonly state?: JsonObject;
  readonly body?: string;
};

function entryOf({ id, at, body }: TopicMessage): HistoryEntry {
  const when = at === undefined || !(Math.abs(at) <= 8.64e15) ? null : new Date(at).toISOString();
  const state = jsonObjectIn(body);
  return { id: id ?? null, at: when, ...(state === undefined ? { body } : { state }) };
}

function isOf({ state }: HistoryEntry, session: string): boolean {
  const owner = state?.['session_id'];
  return typeof owner === 'string' && isNamed(owner, session);
}
