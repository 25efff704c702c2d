import { basename } from 'node:path';
import { parseArgs } from 'node:util';
import { jsonObjectIn } from '../core/json';
import { isSameSessionName, sessionKey } from '../core/text';
import { satisfiedBy, satisfyingChanges } from '../guards/requirements/approvals';
import type { RequirementsConfig } from '../guards/requirements/section';
import type { PastEvent } from '../hosts/session-log';
import type { Change, Document, DocumentRef } from '../state/documents';

type Words = readonly string[];

/** Where and when a Holdpoint command ran. */
export interface Ran {
  readonly ended: NonNullable<PastEvent['ended']>;
  readonly at: number;
  readonly sessionId: string;
  readonly branch: string;
  readonly project: string;
}

/** The changes that `req satisfy` made in a finished command line of the agent. */
export function changesOfCommands(
  lines: readonly Words[],
  config: RequirementsConfig,
  ran: Ran,
  lookUp: (ref: DocumentRef) => Document,
): Change[] {
  return lines.flatMap((words) => {
    const given = satisfyIn(words);
    if (given === undefined) return [];
    const known = config.requirements;
    const names = given.names.filter((name) => {
      const requirement = known.find((one) => one.name === name);
      return requirement?.agentMaySatisfy === true && hasWorked(name, ran.ended);
    });
    const isOwn = given.session === undefined || isSameSessionName(given.session, ran.sessionId);
    const id = isOwn ? ran.sessionId : (given.session ?? '');
    const isOfSession = given.branch === undefined || given.session !== undefined;
    const session = isOfSession ? { id, key: sessionKey(id) ?? id } : undefined;
    const { project } = ran;
    const { branch = '', ttl, metadata } = given;
    const now = Math.floor(ran.at / 1000);
    const by = { actor: 'agent', channel: 'command' } as const;
    const how = { branch: branch || ran.branch, project, now, session, by, ttl, metadata };
    const done = satisfiedBy(names, known, config.skills, how);
    return names.length === 0 ? [] : satisfyingChanges(done, how, lookUp);
  });
}

/** The command prints it; if its output went elsewhere, the exit code of the whole line has to do. */
function hasWorked(name: string, { outcome, text }: Ran['ended']): boolean {
  const isSaid = text.split('\n').some((line) => SAID.test(line) && line.includes(name));
  return isSaid || (outcome === 'success' && !text.includes('Unknown requirement'));
}

const SAID = /^(?:(?:Satisfied|Approved) '|- \S+ \(\w+ scope\)|\{"satisfied":)/;

/** The arguments of `req satisfy`, under any of its names. */
function satisfyIn(words: Words) {
  const start = words[0] === 'npx' ? words.slice(1) : words;
  const [program = '', ...args] = [basename(start[0] ?? ''), ...start.slice(1)];
  if (program === 'holdpoint' && args.shift() !== 'req') return undefined;
  if (program !== 'req' && program !== 'holdpoint') return undefined;
  const [verb, ...rest] = args;
  if (verb !== 'satisfy' && verb !== 'approve') return undefined;
  const loosely = { strict: false, allowPositionals: true } as const;
  const { values, positionals } = parseArgs({ args: rest, options: OPTIONS, ...loosely });
  const { session, branch, ttl, metadata } = values;
  return {
    names: positionals,
    ...(typeof session === 'string' && { session }),
    // `--branch` without a name is `true` and means the current branch.
    ...(branch !== undefined && { branch: typeof branch === 'string' ? branch : '' }),
    ...(Number(ttl) > 0 && { ttl: Number(ttl) }),
    ...(typeof metadata === 'string' && { metadata: jsonObjectIn(metadata) }),
  };
}

const OPTIONS = {
  session: { type: 'string', short: 's' },
  branch: { type: 'string', short: 'b' },
  ttl: { type: 'string' },
  metadata: { type: 'string', short: 'm' },
} as const;
