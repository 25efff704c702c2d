import { parseArgs } from 'node:util';
import { probeHook } from '../doctor/probe';
import { reportLines, reportOn } from '../doctor/report';
import type { Verb } from '../verb';

export const verb: Verb = {
  usage: 'req verify [--ci] [--json]',
  run(args, { out }) {
    const { values } = parseArgs({
      args: [...args],
      options: { ci: { type: 'boolean', default: false }, json: { type: 'boolean', default: false } },
    });
    const report = reportOn(probeHook());
    if (values.json) out.json(report);
    else for (const line of reportLines(report, values.ci, out)) out.line(line);
    return report.exit_code;
  },
};
