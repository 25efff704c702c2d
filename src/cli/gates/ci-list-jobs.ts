import { parseArgs } from 'node:util';
import type { Verb } from '../verb';
import { type CiConfig, readCi } from './ci-config';
import { ciJobs } from './ci-jobs';
import * as say from './messages';
import { requireGates, showDiagnostics } from './project';

export const verb: Verb = {
  usage: 'holdpoint gates ci list-jobs [--json]',
  run(args, context) {
    // What it prints is JSON with or without being asked for it.
    parseArgs({ args: [...args], options: { json: { type: 'boolean' } } });
    const { out } = context;
    const here = requireGates(context);
    if (here === undefined) return 2;
    const { file, ci, diagnostics } = readCi(here);
    if (ci === undefined) {
      out.error(say.noCiFile(file));
      return 2;
    }
    showDiagnostics([...here.errors, ...diagnostics], context);
    const unknown = unknownChecks(ci, new Set(here.config.checks.map(({ name }) => name)));
    for (const name of unknown) out.error(say.unknownCiCheck(file, name));
    const isBroken = diagnostics.some(({ severity }) => severity === 'error');
    if (here.errors.length > 0 || isBroken || unknown.length > 0) return 2;
    if (hasConditions(ci)) out.error(say.conditionsIgnored(file));
    out.json({
      matrix: ciJobs(here.root, here.config, ci),
      services: ci.services,
      runtimes: ci.runtimes,
    });
    return 0;
  },
};

function unknownChecks({ checks }: CiConfig, known: ReadonlySet<string>): string[] {
  return checks.map(({ name }) => name).filter((name) => !known.has(name));
}

function hasConditions({ setup, checks }: CiConfig): boolean {
  return [...setup, ...checks.flatMap((check) => check.setup ?? [])].some((step) => step.if !== undefined);
}
