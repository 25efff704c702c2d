import { parseArgs } from 'node:util';
import type { Verb } from '../verb';
import { readCi } from './ci-config';
import * as say from './messages';
import { diagnosticJson, requireGates, showDiagnostics } from './project';

export const verb: Verb = {
  usage: 'holdpoint gates validate [--json]',
  run(args, context) {
    const { values } = parseArgs({
      args: [...args],
      options: { json: { type: 'boolean', default: false } },
    });
    const here = requireGates(context);
    if (here === undefined) return 2;
    const ci = readCi(here);
    const diagnostics = [...here.diagnostics, ...ci.diagnostics];
    const valid = diagnostics.every(({ severity }) => severity === 'warning');
    const { out } = context;
    if (values.json) out.json({ valid, files: here.files, problems: diagnostics.map(diagnosticJson) });
    else if (valid) out.line(out.style('green', say.VALID));
    else out.error(say.INVALID);
    if (!values.json) showDiagnostics(diagnostics, context);
    return valid ? 0 : 1;
  },
};
