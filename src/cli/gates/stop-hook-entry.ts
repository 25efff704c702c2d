import { isMap, isPair, isSeq, parseDocument, type YAMLMap, type YAMLSeq } from 'yaml';
import { fail, type Result, succeed } from '../../domain/failure';
import { isJsonObject, type JsonObject } from '../../domain/json';
import * as say from './messages';

const COMMAND = 'agent-gauntlet stop-hook';
const ENTRY = { hooks: [{ type: 'command', command: COMMAND, timeout: 300 }] };

/**
 * Settings of Claude Code with the gates' entry for the end of a turn; the same text where it is there already.
 * No other byte is touched. What is not valid JSON, or not of the known shape, is refused.
 */
export function withStopHook(text: string): Result<string, string> {
  if (text.trim() === '') return succeed(`${JSON.stringify({ hooks: { Stop: [ENTRY] } }, null, 2)}\n`);
  const settings = parsed(text);
  if (!isJsonObject(settings)) return fail(say.NOT_SETTINGS);
  const { hooks = {} } = settings;
  if (!isJsonObject(hooks)) return fail(say.NOT_SETTINGS);
  const { Stop: stop = [] } = hooks;
  if (!Array.isArray(stop)) return fail(say.NOT_SETTINGS);
  if (stop.some(callsGates)) return succeed(text);
  const wanted = { ...settings, hooks: { ...hooks, Stop: [...stop, ENTRY] } };
  const edited = inserted(text, settings);
  return JSON.stringify(parsed(edited)) === JSON.stringify(wanted) ? succeed(edited) : fail(say.NOT_SETTINGS);
}

function callsGates(entry: unknown): boolean {
  const hooks = isJsonObject(entry) && Array.isArray(entry['hooks']) ? entry['hooks'] : [];
  return hooks.some((hook) => isJsonObject(hook) && String(hook['command'] ?? '').includes(COMMAND));
}

/** JSON is YAML, whose parser tells where everything stands. */
function inserted(text: string, settings: JsonObject): string {
  const { contents } = parseDocument(text, { logLevel: 'silent', uniqueKeys: false });
  if (!isMap(contents)) return text;
  const unit = newlineIn(text, contents)?.replace(/^\r?\n/, '') ?? '  ';
  const append = (into: YAMLMap | YAMLSeq, key: string, value: object): string =>
    appended(
      text,
      into,
      (newline) => key + JSON.stringify(value, null, newline && unit).replaceAll('\n', newline),
    );
  if (!Object.hasOwn(settings, 'hooks')) return append(contents, '"hooks": ', { Stop: [ENTRY] });
  const hooks = contents.get('hooks', true);
  if (!isMap(hooks)) return text;
  const stop = hooks.get('Stop', true);
  return isSeq(stop) ? append(stop, '', ENTRY) : append(hooks, '"Stop": ', [ENTRY]);
}

/** Puts something at the end of a mapping or a list: on a line of its own where the others stand so. */
function appended(text: string, into: YAMLMap | YAMLSeq, what: (newline: string) => string): string {
  const [begin, end] = into.range ?? [0, 0];
  const last = into.items.at(-1);
  if (last === undefined) return `${text.slice(0, begin + 1)}${what('')}${text.slice(end - 1)}`;
  const newline = newlineIn(text, into);
  const at = endOf(last);
  return `${text.slice(0, at)},${newline ?? ' '}${what(newline ?? '')}${text.slice(at)}`;
}

/** The line end and the indentation before what a mapping or a list begins with, if that is on a line of its own. */
function newlineIn(text: string, { range }: YAMLMap | YAMLSeq): string | undefined {
  return /^\s*?(\r?\n[ \t]*)\S/.exec(text.slice((range?.[0] ?? 0) + 1))?.[1];
}

function endOf(item: unknown): number {
  const node = isPair(item) ? item.value : item;
  return (node as { range?: readonly [number, number, number] }).range?.[1] ?? 0;
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}
