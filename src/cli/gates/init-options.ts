import { parseArgs } from 'node:util';

/** What the flags of `init` say; a person may be asked for the rest. */
export interface InitOptions {
  readonly yes: boolean;
  readonly source?: string;
  readonly lint?: string;
  readonly test?: string;
  readonly stopHook: boolean;
  readonly json: boolean;
}

export const INIT_USAGE = [
  'holdpoint gates init [-y] [--source DIR] [--lint CMD] [--test CMD] [--stop-hook] [--json]',
  '',
  '  -y, --yes      asks nothing: all reviewers that are found, the whole project, no checks',
  '  --source DIR   the directory whose changes the gates are for',
  '  --lint CMD     a check `lint`',
  '  --test CMD     a check `unit-tests`',
  '  --stop-hook    lets Claude Code call the gates at the end of a turn, by an entry in',
  '                 .claude/settings.local.json; also for a project that has gates already',
].join('\n');

export function initOptions(args: readonly string[]): InitOptions {
  const { values } = parseArgs({
    args: [...args],
    options: {
      yes: { type: 'boolean', short: 'y', default: false },
      source: { type: 'string' },
      lint: { type: 'string' },
      test: { type: 'string' },
      'stop-hook': { type: 'boolean', default: false },
      json: { type: 'boolean', default: false },
    },
  });
  const { yes, source, lint, test, json } = values;
  return {
    yes,
    ...(source !== undefined && { source }),
    ...(lint !== undefined && { lint }),
    ...(test !== undefined && { test }),
    stopHook: values['stop-hook'],
    json,
  };
}
