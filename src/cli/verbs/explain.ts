import { parseArgs } from 'node:util';
import { HOST_NAMES } from '../../domain/host-name';
import { selectGuards } from '../../engine/selection';
import { explainEvent } from '../../pipeline/explain-event';
import { sentenceOf, unknownOnly } from '../../pipeline/messages';
import { unknownHost } from '../../pipeline/unknown-host';
import { explanationJson, explanationLines } from '../explanation-text';
import { sourceTrouble } from '../messages';
import { readSource } from '../read-source';
import type { Verb } from '../verb';

export const verb: Verb = {
  usage: 'holdpoint explain FILE|- [--host NAME] [--only GUARD[,GUARD…]] [--json]',
  run(args, { env, chunks, out }) {
    const { values, positionals } = parseArgs({
      args: [...args],
      allowPositionals: true,
      options: {
        host: { type: 'string' },
        only: { type: 'string', default: '' },
        json: { type: 'boolean', default: false },
      },
    });
    const [source] = positionals;
    if (source === undefined) {
      out.error('holdpoint explain: name a file with one event as JSON, or - for standard input.');
      return 2;
    }
    const input = readSource(source);
    if (!input.ok && source !== '-') {
      out.error(`holdpoint explain: ${sourceTrouble(source, input.failure)}`);
      return 2;
    }
    const host = HOST_NAMES.find((name) => name === values.host);
    if (host === undefined && values.host !== undefined) {
      out.error(`holdpoint explain: ${unknownHost(values.host)}`);
    }
    const only = values.only.split(',').filter((name) => name !== '');
    const explanation = explainEvent(input, {
      host,
      only,
      env,
      chunks,
      now: Date.now(),
    });
    if (explanation.kind === 'no-event') {
      out.error(`holdpoint explain: ${sentenceOf(explanation.failure)}`);
      return 2;
    }
    const { unknown } = selectGuards(only, env);
    if (unknown.length > 0) out.error(`holdpoint explain: ${unknownOnly(unknown)}`);
    if (values.json) out.json(explanationJson(explanation));
    else for (const line of explanationLines(explanation, out)) out.line(line);
    return 0;
  },
};
