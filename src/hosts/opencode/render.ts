import type { Answer, Decision } from '../../core/decision';
import type { Event } from '../../core/event';
import { isJsonObject, jsonIn } from '../../core/json';
import { asContinuation } from '../continuation';
import { adviceOf, canCarry, denialOf, lossesOf } from '../losses';
import { joined, say } from '../output';
import { text, wrongField } from '../output-fields';
import { capabilities } from './capabilities';
import { REPLY_KEYS, type Reply } from './reply';

/** The decision as something that the plugin does. */
export function render(event: Event, decision: Decision): Answer {
  return say(
    {
      ...refusal(event, decision),
      context: adviceOf(capabilities, event, decision),
      notice: canCarry(capabilities, event, 'advise-person') ? joined(decision.toPerson) : undefined,
    },
    lossesOf(capabilities, event, decision),
  );
}

function refusal(event: Event, decision: Decision): Pick<Reply, 'deny' | 'prompt'> {
  const deny = denialOf(capabilities, event, decision);
  if (deny !== undefined) return { deny };
  const holds = decision.kind === 'hold' && canCarry(capabilities, event, 'hold');
  return holds ? { prompt: asContinuation(decision.reason) } : {};
}

/** What is wrong with our own answer; nothing when it is sound. */
export function checkOutput(event: Event, { stdout, exitCode }: Answer): string | undefined {
  if (exitCode !== 0) return 'the plugin has no exit code';
  if (stdout === '') return undefined;
  const output = jsonIn(stdout);
  if (!isJsonObject(output)) return 'the reply is not one JSON object';
  if ('prompt' in output && event.kind !== 'turn.stop')
    return 'only an end of turn can be answered with a prompt';
  return wrongField(output, Object.fromEntries(REPLY_KEYS.map((key) => [key, text])));
}
