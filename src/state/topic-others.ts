import type { TopicAsk } from '../core/document';
import { isPlainWord } from '../core/text';
import { topicIdIn } from './topic-line';

const RECORD = '{"type":"topic"';
const BODY = '"body":"{';
const OWNER = '\\"session_id\\":\\"';

/**
 * The ids of a topic in whose file there plainly is no message of the session, nor of nobody: every line is a record, or
 * the state of somebody else. `undefined` where the messages have to be taken apart to tell, which takes far longer.
 */
export function idsAmongOthers(text: string, { name, session }: TopicAsk): string[] | undefined {
  // Other names may be written in several ways.
  if (!isPlainWord(session.replaceAll('-', '_')) || text.includes(session)) return undefined;
  const ids: string[] = [];
  for (let from = 0; from < text.length; ) {
    const newline = text.indexOf('\n', from);
    const line = text.slice(from, newline < 0 ? text.length : newline);
    const id = line.startsWith(RECORD) ? topicIdIn(line, name) : undefined;
    if (id !== undefined) ids.push(id);
    else if (!line.startsWith(RECORD) && !isOwned(line)) return undefined;
    from += line.length + 1;
  }
  return ids;
}

/** Whether a line has a body that names its session, both as keys of the object itself and not of one inside it. */
function isOwned(line: string): boolean {
  const body = line.indexOf(BODY);
  const owner = line.indexOf(OWNER, body);
  if (body < 0 || owner < 0 || line.lastIndexOf('{', body) !== 0 || line.lastIndexOf('[', body) >= 0)
    return false;
  const before = line.slice(body + BODY.length, owner);
  return !before.includes('{') && !before.includes('[');
}
