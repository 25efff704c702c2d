import { parseArgs } from 'node:util';
import { explainEvent } from '../../core/explain-event';
import { fail, type Result, succeed } from '../../core/failure';
import { GUARD_NAMES, WORKFLOW_RULES } from '../../core/guard-name';
import { HOST_NAMES, type HostName } from '../../core/host-name';
import { sentenceAbout, sentenceOf } from '../../core/messages';
import { selectGuards } from '../../core/selection';
import { explanationJson, explanationLines } from '../explanation-text';
import { oneTooMany, sourceTrouble, unknownName } from '../messages';
import { readSource } from '../read-source';
import { refuse } from '../req/refuse';
import { printable } from '../ui/output';
import type { Verb } from '../verb';

interface Options {
  readonly source: string;
  readonly host: HostName | undefined;
  readonly only: readonly string[];
  readonly json: boolean;
}

const WORDS = 'holdpoint explain';
const NO_SOURCE = `${WORDS}: name a file with one event as JSON, or - for standard input.`;

export const verb: Verb = {
  usage: `${WORDS} FILE|- [--host NAME] [--only GUARD[,GUARD…]] [--json]`,
  run(args, context) {
    const { env, chunks, out } = context;
    const options = optionsFrom(args);
    if (!options.ok) return refuse(context, options.failure, 2);
    const { source, host, only, json } = options.value;
    const input = readSource(source);
    if (!input.ok && source !== '-')
      return refuse(context, `${WORDS}: ${sourceTrouble(source, input.failure)}`, 2);
    const explanation = explainEvent(input, { host, only, env, chunks, now: Date.now() });
    if (explanation.kind === 'no-event') {
      const { failure } = explanation;
      const why = source === '-' ? sentenceOf(failure) : sentenceAbout(printable(source), failure);
      return refuse(context, `${WORDS}: ${why}`, 2);
    }
    if (json) out.json(explanationJson(explanation));
    else for (const line of explanationLines(explanation, out)) out.line(line);
    return 0;
  },
};

/** The hook passes over a name that it does not know, because it must run; a person is asked to mend it. */
function optionsFrom(args: readonly string[]): Result<Options, string> {
  const { values, positionals } = parseArgs({
    args: [...args],
    allowPositionals: true,
    options: {
      host: { type: 'string' },
      only: { type: 'string', default: '' },
      json: { type: 'boolean', default: false },
    },
  });
  const [source, extra] = positionals;
  if (source === undefined) return fail(NO_SOURCE);
  if (extra !== undefined) return fail(oneTooMany(WORDS, extra));
  const host = HOST_NAMES.find((name) => name === values.host);
  if (host === undefined && values.host !== undefined)
    return fail(`${WORDS}: ${unknownName('--host', values.host, HOST_NAMES)}`);
  const only = values.only.split(',').filter((name) => name !== '');
  const [unknown] = selectGuards(only, {}).unknown;
  if (unknown !== undefined)
    return fail(`${WORDS}: ${unknownName('--only', unknown, [...GUARD_NAMES, ...WORKFLOW_RULES])}`);
  return succeed({ source, host, only, json: values.json });
}
