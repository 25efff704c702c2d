import { parseArgs } from 'node:util';
import { fail, type Result, succeed } from '../../core/failure';
import { PRESET_NAMES, type PresetName } from '../../guards/requirements/presets';
import * as say from './config-messages';

export interface InitOptions {
  readonly yes: boolean;
  readonly preset?: PresetName;
  /** Absent where the directory decides. */
  readonly layer?: 'project' | 'local';
  readonly force: boolean;
  readonly preview: boolean;
  readonly json: boolean;
}

/** Reads the arguments of `req init`; an error is a sentence for the user. */
export function initOptions(args: readonly string[]): Result<InitOptions, string> {
  const { values } = parseArgs({
    args: [...args],
    options: {
      yes: { type: 'boolean', short: 'y', default: false },
      preset: { type: 'string', short: 'p' },
      project: { type: 'boolean', default: false },
      local: { type: 'boolean', default: false },
      force: { type: 'boolean', short: 'f', default: false },
      preview: { type: 'boolean', default: false },
      'dry-run': { type: 'boolean', default: false },
      json: { type: 'boolean', default: false },
    },
  });
  if (values.project && values.local) return fail(say.bothFlags('init', '--project', '--local'));
  const preset = PRESET_NAMES.find((name) => name === values.preset);
  if (values.preset !== undefined && preset === undefined)
    return fail(say.unknownPreset(values.preset, PRESET_NAMES));
  return succeed({
    yes: values.yes,
    ...(preset !== undefined && { preset }),
    ...(values.project && { layer: 'project' as const }),
    ...(values.local && { layer: 'local' as const }),
    force: values.force,
    preview: values.preview || values['dry-run'],
    json: values.json,
  });
}
