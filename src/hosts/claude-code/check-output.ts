import type { Answer } from '../../domain/decision';
import type { Event } from '../../domain/event';
import type { JsonObject } from '../../domain/json';
import { isJsonObject } from '../../domain/json';
import { can } from './capabilities';

type Test = (value: unknown) => boolean;
/** What each field may hold; `false` where the event does not honour it. */
type Fields = Readonly<Record<string, Test | false>>;

const text: Test = (value) => typeof value === 'string';
/** The client hands on a file name instead of a longer text. */
const short: Test = (value) => typeof value === 'string' && value.length <= 10_000;
const oneOf = (words: readonly unknown[]): Test => words.includes.bind(words);

/**
 * What is wrong with our own answer, before it is printed; nothing when it is sound.
 * The client drops a whole answer for one wrong word, and the refusal in it with it.
 */
export function checkOutput(event: Event, { stdout, stderr, exitCode }: Answer): string | undefined {
  if (exitCode === 2 && !(can(event, 'hold') && stderr.trim())) return 'exit code 2 without place or reason';
  if (stdout === '') return undefined;
  const output = parsed(stdout);
  if (!isJsonObject(output)) return 'stdout is not one JSON object';
  if ((output['decision'] === 'block') !== 'reason' in output) return 'block and reason go together';
  return wrongField(output, outputFields(event));
}

function outputFields(event: Event): Fields {
  const stop = event.kind === 'turn.stop' && text;
  const prompt = event.kind.startsWith('prompt.') && text;
  const permission = event.kind === 'permission.request';
  return {
    systemMessage: can(event, 'advise-person') && short,
    hookSpecificOutput: (permission || can(event, 'advise-agent')) && ((value) => isSpecific(event, value)),
    decision: stop ? oneOf(['approve', 'block']) : prompt && oneOf(['block']),
    reason: stop || prompt,
    status: stop,
    message: stop,
    stopReason: stop,
  };
}

function isSpecific(event: Event, value: unknown): boolean {
  const tool = event.kind === 'tool.before';
  return isMade(value, 'hookEventName', {
    hookEventName: oneOf([event.hostEvent]),
    additionalContext: can(event, 'advise-agent') && short,
    permissionDecision: tool && oneOf(['deny', 'ask']),
    permissionDecisionReason: tool && short,
    updatedInput: tool && isJsonObject,
    decision: event.kind === 'permission.request' && isDenial,
  });
}

const isDenial: Test = (value) => isMade(value, 'behavior', { behavior: oneOf(['deny']), message: short });

function isMade(value: unknown, required: string, fields: Fields): boolean {
  return isJsonObject(value) && required in value && !wrongField(value, fields);
}

function wrongField(found: JsonObject, fields: Fields): string | undefined {
  const wrong = Object.keys(found).find((key) => {
    const test = Object.hasOwn(fields, key) && fields[key];
    return test ? !test(found[key]) : true;
  });
  return wrong === undefined ? undefined : `${wrong} has no place here or a wrong value`;
}

function parsed(json: string): unknown {
  try {
    return JSON.parse(json);
  } catch {
    return undefined;
  }
}
