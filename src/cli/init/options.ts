import { parseArgs } from 'node:util';
import { nearest } from '../../config/nearest';
import { fail, type Result, succeed } from '../../core/failure';
import type { HostName } from '../../core/host-name';
import { namedHosts } from '../install/named-hosts';
import { table } from '../ui/output';
import * as say from './messages';
import { PRESET_NAMES, PRESETS, type PresetName } from './presets';

/** What the flags say; a person may be asked for the rest. */
export interface InitOptions {
  readonly yes: boolean;
  readonly dryRun: boolean;
  readonly install: boolean;
  readonly json: boolean;
  /** Empty where those in use are meant. */
  readonly hosts: readonly HostName[];
  readonly preset?: PresetName;
}

export const INIT_USAGE = [
  'holdpoint init [--yes] [--host NAME]... [--preset NAME] [--dry-run] [--no-install] [--json]',
  '',
  '  -y, --yes       asks nothing and writes; needed where there is no terminal',
  '  --host NAME     the agent that is to be held, more than once for several; without it, those in use',
  '  --preset NAME   what the config begins with',
  '  --dry-run       shows every file that would be written, and writes none',
  '  --no-install    writes the config alone; `holdpoint install` does the rest later',
  '',
  'Presets:',
  ...table(PRESET_NAMES.map((name) => [`  ${name}`, PRESETS[name].summary])),
].join('\n');

/** Reads the arguments; an error is a sentence for the user. */
export function initOptions(args: readonly string[]): Result<InitOptions, string> {
  const { values } = parseArgs({
    args: [...args],
    options: {
      yes: { type: 'boolean', short: 'y', default: false },
      host: { type: 'string', multiple: true, default: [] },
      preset: { type: 'string' },
      'dry-run': { type: 'boolean', default: false },
      'no-install': { type: 'boolean', default: false },
      json: { type: 'boolean', default: false },
    },
  });
  const hosts = namedHosts(values.host);
  if (!hosts.ok) return fail(say.notWritten(hosts.failure));
  const preset = PRESET_NAMES.find((name) => name === values.preset);
  if (values.preset !== undefined && preset === undefined)
    return fail(say.unknownPreset(values.preset, nearest(values.preset, PRESET_NAMES)));
  return succeed({
    yes: values.yes,
    dryRun: values['dry-run'],
    install: !values['no-install'],
    json: values.json,
    hosts: hosts.value,
    ...(preset !== undefined && { preset }),
  });
}
