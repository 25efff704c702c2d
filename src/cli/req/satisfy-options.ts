import { parseArgs } from 'node:util';
import { fail, type Result, succeed } from '../../core/failure';
import { isJsonObject, type JsonObject } from '../../core/json';
import { sessionKey } from '../../core/session-key';
import { emptySessionId } from './messages';

export type SatisfyCommand = 'satisfy' | 'approve';

export interface SatisfyOptions {
  readonly command: SatisfyCommand;
  readonly names: readonly string[];
  readonly session?: string;
  /** Empty for the current branch. */
  readonly branch?: string;
  readonly ttl?: number;
  readonly metadata?: JsonObject;
  readonly force: boolean;
  readonly json: boolean;
}

/** Reads the arguments of `req satisfy`; an error is a sentence for the user. */
export function satisfyOptions(
  command: SatisfyCommand,
  args: readonly string[],
): Result<SatisfyOptions, string> {
  const { values, positionals } = parseArgs({
    args: withOptionalBranch(args),
    allowPositionals: true,
    options: {
      session: { type: 'string', short: 's' },
      branch: { type: 'string', short: 'b' },
      ttl: { type: 'string' },
      metadata: { type: 'string', short: 'm' },
      force: { type: 'boolean', default: false },
      json: { type: 'boolean', default: false },
    },
  });
  if (positionals.length === 0) return fail(`req ${command}: name at least one requirement.`);
  if (values.session !== undefined && sessionKey(values.session) === undefined)
    return fail(emptySessionId(command));
  const ttl = values.ttl === undefined ? undefined : Number(values.ttl);
  if (ttl !== undefined && !(ttl > 0))
    return fail(`req ${command}: --ttl takes seconds above zero, not '${values.ttl}'.`);
  const metadata = values.metadata === undefined ? undefined : parseObject(values.metadata);
  if (values.metadata !== undefined && metadata === undefined) {
    return fail(`req ${command}: --metadata takes a JSON object, such as '{"ticket": 7}'.`);
  }
  return succeed({
    command,
    names: [...new Set(positionals)],
    ...(values.session !== undefined && { session: values.session }),
    ...(values.branch !== undefined && { branch: values.branch }),
    ...(ttl !== undefined && { ttl }),
    ...(metadata !== undefined && { metadata }),
    force: values.force,
    json: values.json,
  });
}

/** `--branch` may stand without a value, which the parser does not know: it then means the current branch. */
function withOptionalBranch(args: readonly string[]): string[] {
  return args.map((arg, at) => {
    const alone = args[at + 1] === undefined || args[at + 1]?.startsWith('-') === true;
    return (arg === '--branch' || arg === '-b') && alone ? '--branch=' : arg;
  });
}

function parseObject(text: string): JsonObject | undefined {
  try {
    const value: unknown = JSON.parse(text);
    return isJsonObject(value) ? value : undefined;
  } catch {
    return undefined;
  }
}
