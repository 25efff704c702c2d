import { parseArgs } from 'node:util';
import { HOST_NAMES } from '../../domain/host-name';
import { explainEvent } from '../../pipeline/explain-event';
import { sentenceOf } from '../../pipeline/messages';
import { explanationJson, explanationLines } from '../explanation-text';
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
    const explanation = explainEvent(input, {
      host: HOST_NAMES.find((name) => name === values.host),
      only: values.only.split(',').filter((name) => name !== ''),
      env,
      chunks,
      now: Date.now(),
    });
    if (explanation.kind === 'no-event') {
      out.error(`holdpoint explain: ${sentenceOf(explanation.failure)}`);
      return 2;
    }
    if (values.json) out.json(explanationJson(explanation));
    else for (const line of explanationLines(explanation, out)) out.line(line);
    return 0;
  },
};
