import { constants } from 'node:fs';
import type { LiveSession } from '../core/guard';
import {
  type JsonObject,
  jsonObjectIn,
  nameIn,
  objectIn,
  objectsIn,
  textIn,
  withoutUndefined,
} from '../core/json';
import { isSameSessionName } from '../core/text';
import { runGit } from '../git/run-git';
import { type Request, requestsIn } from '../guards/requirements/approvals';
import type { Requirement } from '../guards/requirements/section';
import { scopeOf } from '../guards/requirements/signed';
import { APPROVALS, presentValue } from '../guards/requirements/view';
import { readDocument } from '../state/documents';
import { linesBackwards, withPlainFile } from '../state/files';
import { type HubProject, placeDigest } from '../state/hub';
import type { FollowedProject } from './projects';

const FORGOTTEN_SECONDS = 24 * 60 * 60;

/** Whether the session of a request still runs; an unknown session is assumed to, for a day. */
export function isStillAsked(
  { session, sessionId, since }: Request,
  sessions: readonly LiveSession[],
  now: number,
): boolean {
  const known = sessions.find((one) => isSameSessionName(one.sessionId, sessionId || session));
  return known === undefined ? now / 1000 - since < FORGOTTEN_SECONDS : known.alive;
}

/** The requests of a project that wait for a person, of sessions that still run. */
export function openRequestsIn(
  { project }: FollowedProject,
  live: readonly LiveSession[],
  now: number,
): Request[] {
  const requests = requestsIn(presentValue(readDocument(project.layout, APPROVALS)));
  return requests.filter((one) => isStillAsked(one, live, now) && one.decision !== '');
}

/**
 * A request as the hub gets it. The digest binds the answer to the project's place on this machine. Rule text
 * comes from the config and changes from the project's own files: a request may name others.
 */
export async function requestBody(
  request: Request,
  requirement: Requirement,
  { project, place }: Pick<FollowedProject, 'project' | 'place'>,
  { id, name }: HubProject,
) {
  const { rule, session, sessionId, branch, decision, since } = request;
  const approvals = presentValue(readDocument(project.layout, APPROVALS));
  const transcript = nameIn(objectIn(objectIn(approvals, 'clients'), session), 'transcript');
  return withoutUndefined({
    decision,
    project: { id, name },
    rule,
    description: (requirement.description ?? '').slice(0, LONGEST_DESCRIPTION),
    scope: scopeOf(requirement),
    session: sessionId || session,
    branch,
    digest: placeDigest(place),
    ttl: ttlOf(requirement),
    plan: transcript === undefined ? undefined : lastMessage(transcript).text,
    changes: await changesIn(project.root),
    since: new Date(since * 1000).toISOString(),
  });
}

/** The most that the hub accepts. */
const LONGEST_DESCRIPTION = 10_000;
const LONGEST_TTL = 10 * 366 * 86_400;

function ttlOf({ approvalTtl: ttl }: Requirement): number | undefined {
  return ttl === undefined ? undefined : Math.min(LONGEST_TTL, Math.max(1, Math.ceil(ttl)));
}

const REACH_BYTES = 2 * 1024 * 1024;
const LONGEST_PLAN = 8000;

/** The agent's last message or plan in its transcript, and its model. */
export function lastMessage(transcript: string): { readonly text?: string; readonly model?: string } {
  try {
    return withPlainFile(transcript, constants.O_RDONLY, (fd, { size }) => {
      for (const line of linesBackwards(fd, size, { bytes: REACH_BYTES })) {
        const entry = line?.includes('"assistant"') ? jsonObjectIn(line.toString('utf8')) : undefined;
        if (entry?.['type'] !== 'assistant' || entry['isSidechain'] === true) continue;
        const text = wordsIn(entry);
        const model = nameIn(objectIn(entry, 'message'), 'model');
        if (text !== '') return { text: text.slice(0, LONGEST_PLAN), ...(model && { model }) };
      }
      return {};
    });
  } catch {
    return {};
  }
}

function wordsIn(entry: JsonObject): string {
  const blocks = objectsIn(objectIn(entry, 'message'), 'content');
  const plan = blocks.flatMap((one) => textIn(objectIn(one, 'input'), 'plan') ?? []);
  const texts = blocks.flatMap((one) => (one['type'] === 'text' ? (textIn(one, 'text') ?? []) : []));
  return (plan.length > 0 ? plan : texts).join('\n').trim();
}

const MOST_NAMES = 50;

/** What changed since the last commit: files, new ones included, and lines. */
async function changesIn(root: string): Promise<JsonObject | undefined> {
  const signal = AbortSignal.timeout(5000);
  const ask = (...args: string[]) => runGit({ cwd: root, args, env: process.env, signal });
  const [changed, fresh] = await Promise.all([
    ask('diff', '--no-ext-diff', '--no-textconv', '--no-renames', '-z', '--numstat', 'HEAD', '--'),
    ask('ls-files', '-z', '--others', '--exclude-standard'),
  ]);
  if (changed.code !== 0 && fresh.code !== 0) return undefined;
  const rows = changed.printed.split('\0').flatMap((row) => {
    const [, added, removed, name] = /^(\d+|-)\t(\d+|-)\t(.*)$/s.exec(row) ?? [];
    return name === undefined ? [] : [{ name, added: Number(added) || 0, removed: Number(removed) || 0 }];
  });
  const names = [...rows.map(({ name }) => name), ...fresh.printed.split('\0').filter(Boolean)];
  const sum = (key: 'added' | 'removed'): number => rows.reduce((all, one) => all + one[key], 0);
  return {
    files: names.length,
    added: sum('added'),
    removed: sum('removed'),
    names: names.slice(0, MOST_NAMES),
  };
}
