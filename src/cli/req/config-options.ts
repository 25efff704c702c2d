import { parseArgs } from 'node:util';
import { fail, type Result, succeed } from '../../core/failure';
import type { Json } from '../../core/json';
import { SCOPES } from '../../guards/requirements/schema';
import * as say from './config-messages';
import type { Edit } from './edit-config';

export interface ConfigOptions {
  /** Absent for the whole config. */
  readonly name?: string;
  readonly sources: boolean;
  /** What is to be set, by keys of the requirement; nothing means to show it. */
  readonly edits: readonly Edit[];
  readonly layer?: 'project' | 'local';
  readonly yes: boolean;
  readonly json: boolean;
}

/** A wrong call, with the code that it ends with. */
export interface WrongCall {
  readonly code: 1 | 2;
  readonly why: string;
}

const OPTIONS = {
  sources: { type: 'boolean', default: false },
  enable: { type: 'boolean', default: false },
  disable: { type: 'boolean', default: false },
  scope: { type: 'string' },
  message: { type: 'string' },
  set: { type: 'string', multiple: true, default: [] as string[] },
  project: { type: 'boolean', default: false },
  local: { type: 'boolean', default: false },
  yes: { type: 'boolean', short: 'y', default: false },
  json: { type: 'boolean', default: false },
} as const;

/** Reads the arguments of `req config`. */
export function configOptions(args: readonly string[]): Result<ConfigOptions, WrongCall> {
  const { values, positionals } = parseArgs({ args: [...args], allowPositionals: true, options: OPTIONS });
  const [name, ...more] = positionals.filter((word, at) => at > 0 || word !== 'show');
  const edits = editsOf(values);
  const wrong =
    more.length > 0 ? { code: 2 as const, why: say.oneNameOnly('config') } : wrongCall(values, name, edits);
  if (wrong !== undefined) return fail(wrong);
  const { project, local, sources, yes, json } = values;
  return succeed({
    ...(name !== undefined && { name }),
    ...(project && { layer: 'project' as const }),
    ...(local && { layer: 'local' as const }),
    edits,
    sources,
    yes,
    json,
  });
}

interface Values {
  readonly enable: boolean;
  readonly disable: boolean;
  readonly project: boolean;
  readonly local: boolean;
  readonly scope?: string | undefined;
  readonly message?: string | undefined;
  readonly set: readonly string[];
}

function wrongCall(values: Values, name: string | undefined, edits: readonly Edit[]): WrongCall | undefined {
  const { scope } = values;
  if (values.enable && values.disable)
    return { code: 2, why: say.bothFlags('config', '--enable', '--disable') };
  if (values.project && values.local)
    return { code: 2, why: say.bothFlags('config', '--project', '--local') };
  if (scope !== undefined && !SCOPES.some((known) => known === scope))
    return { code: 2, why: say.badScope(scope, SCOPES) };
  const bad = values.set.find((text) => !/^[^=]+=/.test(text));
  if (bad !== undefined) return { code: 1, why: say.badSet(bad) };
  return edits.length > 0 && name === undefined ? { code: 1, why: say.NO_NAME } : undefined;
}

function editsOf({ enable, disable, scope, message, set }: Values): Edit[] {
  return [
    ...(enable || disable ? [{ path: ['enabled'], value: enable }] : []),
    ...(scope === undefined ? [] : [{ path: ['scope'], value: scope }]),
    ...(message === undefined ? [] : [{ path: ['message'], value: message }]),
    ...set.map(editOf),
  ];
}

/** `thresholds.block=400`: dots lead inward, and what is not JSON is text. */
function editOf(text: string): Edit {
  const at = text.indexOf('=');
  return { path: text.slice(0, at).trim().split('.'), value: jsonOrText(text.slice(at + 1)) };
}

function jsonOrText(text: string): Json {
  try {
    return JSON.parse(text) as Json;
  } catch {
    return text;
  }
}
