import { parseArgs } from 'node:util';
import { fail, type Result, succeed } from '../../core/failure';
import type { Selection } from '../../guards/gates/run/run';
import { RULED_OUT } from './messages';

/** Which changes are meant. */
export const CHANGES = {
  'base-branch': { type: 'string', short: 'b' },
  commit: { type: 'string', short: 'c' },
  uncommitted: { type: 'boolean', short: 'u' },
} as const;

export const CHANGES_USAGE = [
  '  -b, --base-branch REF  what changes are counted from, in place of `base_branch`',
  '  -c, --commit SHA       only what this commit brought',
  '  -u, --uncommitted      only what no commit has',
];

interface RunOptions {
  readonly select: Selection;
  readonly json: boolean;
}

/** Reads the arguments of `run`, `check` and `review`; an error is a sentence for the user. */
export function runOptions(args: readonly string[]): Result<RunOptions, string> {
  const { values } = parseArgs({
    args: [...args],
    options: {
      ...CHANGES,
      gate: { type: 'string', short: 'g' },
      'no-cache': { type: 'boolean', default: false },
      json: { type: 'boolean', default: false },
    },
  });
  const changes = changesFrom(values);
  if (!changes.ok) return changes;
  const { gate, json } = values;
  const select = { ...changes.value, ...(gate !== undefined && { gate }), cache: !values['no-cache'] };
  return succeed({ select, json });
}

interface ChangesValues {
  readonly 'base-branch'?: string | undefined;
  readonly commit?: string | undefined;
  readonly uncommitted?: boolean | undefined;
}

/** Which changes the arguments mean. */
export function changesFrom(values: ChangesValues): Result<Omit<Selection, 'cache'>, string> {
  const { 'base-branch': base, commit, uncommitted } = values;
  if (commit !== undefined && uncommitted === true) return fail(RULED_OUT);
  return succeed({
    ...(base !== undefined && { base }),
    ...(commit !== undefined && { commit }),
    ...(uncommitted !== undefined && { uncommitted }),
  });
}
