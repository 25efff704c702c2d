import { type JsonObject, objectsIn, textIn } from '../core/json';
import { tellingLines } from '../guards/gates/run/telling-lines';
import { readSmallFile } from '../state/files';

const LARGEST_LOG = 1024 * 1024;
const MOST_LINES = 40;

/** What a run of the gates found, where it failed: the checks, and the lines of their logs that tell why. */
export function failedChecks(line: JsonObject): JsonObject {
  const verdicts = objectsIn(line, 'verdicts').filter((one) => textIn(one, 'guard') === 'gates');
  const failed = verdicts
    .flatMap((one) => objectsIn(one, 'grounds'))
    .map((ground) => ({ name: textIn(ground, 'rule') ?? '', fact: textIn(ground, 'fact') ?? '' }))
    .filter(({ name }) => /^(?:check|review):/.test(name));
  if (textIn(line, 'status') === undefined || failed.length === 0) return {};
  const lines = failed.flatMap(({ name, fact }) => [`${name}: ${fact}`, ...linesOf(fact)]);
  return {
    checks: failed.map(({ name }) => ({ name, status: 'failed' })),
    lines: lines.slice(0, MOST_LINES),
  };
}

function linesOf(fact: string): readonly string[] {
  const [, log] = /; see (\/.+\.log)$/.exec(fact) ?? [];
  return log === undefined ? [] : tellingLines(readSmallFile(log, LARGEST_LOG) ?? '');
}
