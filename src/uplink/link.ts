import { statSync } from 'node:fs';
import { join } from 'node:path';
import { attempt } from '../core/failure';
import { type Chunks, chunksFrom } from '../core/guard';
import {
  type Json,
  type JsonObject,
  nameIn,
  objectIn,
  objectsIn,
  textIn,
  withoutUndefined,
} from '../core/json';
import { findMessageStore, guardConfig, loadConfig } from '../core/project';
import { isSameSessionName } from '../core/text';
import type { GatesConfig } from '../guards/gates/config';
import { keyLines } from '../guards/gates/run/key-lines';
import { leaseHolder, runLock } from '../guards/gates/run/lease';
import { currentLogs, logDirOf } from '../guards/gates/run/logs';
import { plainText } from '../guards/gates/run/messages';
import { readState } from '../guards/gates/run/state';
import { frameOf, isLive, LOOP_DEFAULTS, parseState } from '../guards/loop/state';
import { ownTopic, sharedTopic, topicIn } from '../guards/loop/store';
import { closeRequests, type Request } from '../guards/requirements/approvals';
import { APPROVALS, presentValue } from '../guards/requirements/view';
import { isdlcState, OWN_STATE } from '../guards/workflow/place';
import { currentPhase } from '../guards/workflow/state';
import { type DocumentRef, readDocument } from '../state/documents';
import { READ_NO_FOLLOW, readAt, readSmallFile, withPlainFile } from '../state/files';
import { type HubProject, type Joined, joinedIn, writeJoined } from '../state/hub';
import { HUB, logFiles } from '../state/journal';
import { HEARTBEATS, heartbeatsIn } from '../state/sessions';
import { updateDocuments } from '../state/update';
import { applyAnswer, withKey } from './answers';
import { ask, type Reply, type StreamEvent } from './api';
import { countUnsent, readUnsent } from './journals';
import {
  type FollowedProject,
  hubProject,
  knownProjects,
  liveSessions,
  requestProject,
  requirementsConfigOf,
} from './projects';
import { lastMessage, openRequestsIn, requestBody } from './requests';
import { readSpool, type Sent, type Spool, writeSpool } from './spool';

/* One machine's exchange with its hub: what it sends, what it asks for, and what it does with the answers. */

/** The hub that this machine joined, if any. */
export function readHub(home: string): Joined | undefined {
  return joinedIn(presentValue(readDocument({ root: home, git: home, own: home, home }, HUB)));
}

/** Why the exchange stopped; `undefined` if all went well. */
export type Trouble = Exclude<Reply, { kind: 'ok' }> | undefined;

/** One machine's side of the exchange. Every operation stops at the first trouble. */
export class Link {
  readonly #home: string;
  readonly #chunks: Chunks;
  /** State kept between restarts. */
  readonly spool: Spool;
  readonly #names = new Map<string, { readonly project: HubProject; readonly until: number }>();
  readonly #looks = new Map<string, string>();
  #joined: Joined;

  constructor(home: string, joined: Joined, load: (name: string) => unknown) {
    this.#home = home;
    this.#joined = joined;
    this.#chunks = chunksFrom(load);
    this.spool = readSpool(home, joined.machine);
  }

  get joined(): Joined {
    return this.#joined;
  }

  /** Sends what is new in these projects; with `changed`, only where files changed since the last time. */
  async send(projects: readonly FollowedProject[], changed: boolean): Promise<Trouble> {
    for (const followed of projects) {
      const look = projectFingerprint(followed);
      if (changed && this.#looks.get(followed.place) === look) continue;
      const trouble = (await this.#sendJournal(followed)) ?? (await this.#sendRequests(followed));
      if (trouble !== undefined) return trouble;
      this.#looks.set(followed.place, look);
    }
    return undefined;
  }

  async #sendJournal(followed: FollowedProject): Promise<Trouble> {
    const { place, project } = followed;
    for (;;) {
      const { records, next, more } = readUnsent(project.layout, this.spool.journals[place] ?? {});
      if (records.length > 0) {
        const { id, name } = await this.#nameOf(followed);
        const trouble = await this.#sendDecisions(records.map((one) => decisionOf(one, { id, name })));
        if (trouble !== undefined) return trouble;
      }
      // Advance only now that the hub has them.
      if (JSON.stringify(this.spool.journals[place]) !== JSON.stringify(next)) {
        this.spool.journals[place] = next;
        this.#save();
      }
      if (!more) return undefined;
    }
  }

  /** Halves a batch that the hub rejects, down to single lines; a single rejected line is skipped. */
  async #sendDecisions(decisions: readonly JsonObject[]): Promise<Trouble> {
    if (decisions.length > MOST_DECISIONS) return this.#sendHalves(decisions);
    const reply = await ask(this.#joined, '/decisions', { decisions });
    if (reply.kind === 'ok') return undefined;
    const isAboutThem = reply.kind === 'refused' && [400, 413, 422].includes(reply.status);
    if (!isAboutThem) return reply;
    if (decisions.length > 1) return this.#sendHalves(decisions);
    this.spool.skipped++;
    return undefined;
  }

  async #sendHalves(decisions: readonly JsonObject[]): Promise<Trouble> {
    const middle = Math.ceil(decisions.length / 2);
    return (
      (await this.#sendDecisions(decisions.slice(0, middle))) ??
      (await this.#sendDecisions(decisions.slice(middle)))
    );
  }

  /** Closes requests on the hub that no longer wait here, and opens new ones. */
  async #sendRequests(followed: FollowedProject): Promise<Trouble> {
    const { place } = followed;
    const now = Date.now();
    const open = openRequestsIn(followed, liveSessions(this.#home, now), now);
    for (const [id, sent] of Object.entries(this.spool.requests)) {
      if (sent.place !== place || open.some((one) => isAsked(one, sent))) continue;
      const reply = await ask(this.#joined, `/requests/${encodeURIComponent(id)}/close`, {});
      if (isFailing(reply)) return reply;
      this.#forget(id);
    }
    for (const request of open) {
      const isSent = (sent: Sent): boolean => sent.place === place && isAsked(request, sent);
      if (Object.values(this.spool.requests).some(isSent)) continue;
      const trouble = await this.#open(request, followed);
      if (trouble !== undefined) return trouble;
    }
    return undefined;
  }

  async #open(request: Request, followed: FollowedProject): Promise<Trouble> {
    const { rule, session, decision } = request;
    const project = requestProject(request, followed);
    const config = requirementsConfigOf(project, this.#chunks);
    const requirement = config?.requirements.find(({ name }) => name === rule);
    if (requirement === undefined) return undefined;
    const from = { project, place: followed.place };
    const body = await requestBody(request, requirement, from, await this.#nameOf(followed));
    const reply = await ask(this.#joined, '/requests', body);
    if (isFailing(reply)) return reply;
    const id = reply.kind === 'ok' ? nameIn(reply.value, 'id') : undefined;
    if (reply.kind !== 'ok' || id === undefined) return undefined;
    this.spool.requests[id] = { place: followed.place, rule, session, decision };
    this.#save();
    if (textIn(reply.value, 'answer') === undefined) return undefined;
    const trouble = await this.receive();
    // The answer has expired, or was for an older form of the rule: the next attempt asks again.
    if (trouble === undefined && this.spool.requests[id] !== undefined) this.#drop(id, followed);
    return trouble;
  }

  #drop(id: string, { project }: FollowedProject): void {
    const sent = this.spool.requests[id];
    const isMeant = (one: Request): boolean => sent !== undefined && isAsked(one, sent);
    updateDocuments(project.layout, [closeRequests('its answer is over', isMeant)], 2000);
    this.#forget(id);
  }

  #forget(id: string): void {
    const { [id]: _, ...rest } = this.spool.requests;
    this.spool.requests = rest;
    this.#save();
  }

  /** Reports the live sessions to the hub, if something about them has changed. */
  async report(projects: readonly FollowedProject[]): Promise<Trouble> {
    const now = Date.now();
    const live = liveSessions(this.#home, now).filter(({ alive }) => alive);
    const sessions: JsonObject[] = [];
    for (const session of live) {
      const followed = projects.find(({ roots }) => roots.includes(session.projectDir));
      if (followed === undefined) continue;
      sessions.push(sessionReport(session, followed, await this.#nameOf(followed), this.#chunks, now));
    }
    const isThere = ({ id }: JsonObject): boolean => sessions.some((one) => one['id'] === id);
    const at = new Date(now).toISOString();
    const gone = this.spool.sessions
      .filter((one) => !isThere(one))
      .map((one) => ({ ...one, at, ended: true }));
    const text = JSON.stringify(sessions);
    if (text === JSON.stringify(this.spool.sessions)) return undefined;
    const reply = await ask(this.#joined, '/sessions', {
      sessions: [...sessions, ...gone].slice(0, MOST_SESSIONS),
    });
    if (reply.kind === 'ok') {
      this.spool.sessions = sessions;
      this.#save();
    }
    return isFailing(reply) ? reply : undefined;
  }

  /** Fetches people's answers and new keys. */
  async receive(): Promise<Trouble> {
    const keys = await ask(this.#joined, '/keys');
    if (keys.kind !== 'ok') return keys;
    for (const link of objectsIn(keys.value, 'chain')) this.hear({ event: 'key', data: link });
    const answers = await ask(this.#joined, '/approvals');
    if (answers.kind !== 'ok') return answers;
    for (const data of objectsIn(answers.value, 'items')) {
      const trouble = await this.hear({ event: 'approval', data });
      if (trouble !== undefined) return trouble;
    }
    return undefined;
  }

  /** Handles one event from the hub. */
  async hear({ event, data }: StreamEvent): Promise<Trouble> {
    if (event === 'key') {
      const link = { statement: textIn(data, 'statement') ?? '', signature: textIn(data, 'signature') ?? '' };
      const joined = withKey(this.#joined, link);
      if (joined === undefined) return undefined;
      this.#joined = joined;
      this.#write(joined);
    }
    return event === 'approval' ? this.#answer(data) : undefined;
  }

  async #answer(data: JsonObject): Promise<Trouble> {
    const now = Date.now();
    const projects = knownProjects(this.#home, now);
    const id = nameIn(data, 'id') ?? '';
    const live = liveSessions(this.#home, now);
    const around = { joined: this.#joined, spool: this.spool, projects, live, chunks: this.#chunks, now };
    const outcome = applyAnswer(data, around);
    if (outcome.kind === 'later') return { kind: 'away', why: outcome.why };
    if (outcome.kind === 'early') return undefined;
    const sent = this.spool.requests[id];
    // `hub status` tells a person why the agent is still held.
    if (outcome.kind === 'refused' || (outcome.kind === 'done' && sent !== undefined))
      this.spool.ignored = `the answer ${id} does not count: ${outcome.why}`;
    if (outcome.kind === 'refused') {
      this.#save();
      return undefined;
    }
    const followed = projects.find(({ place }) => place === sent?.place);
    if (outcome.kind === 'done' && sent !== undefined && followed !== undefined) this.#drop(id, followed);
    this.spool.nonces.push(/"nonce":"([^"]*)"/.exec(textIn(data, 'statement') ?? '')?.[1] ?? '');
    this.#forget(id);
    const reply = await ask(this.#joined, `/requests/${encodeURIComponent(id)}/received`, {});
    return isFailing(reply) ? reply : undefined;
  }

  /** How many journal lines the hub does not have yet. */
  behind(): number {
    return knownProjects(this.#home, Date.now()).reduce(
      (sum, { project, place }) => sum + countUnsent(project.layout, this.spool.journals[place] ?? {}),
      0,
    );
  }

  /** The hub rejects our token: stop until somebody joins again. */
  refuse(why: string): void {
    this.#write({ ...this.#joined, refused: why });
  }

  /** Not if a person has left the hub or joined again while we waited for its answer. */
  #write(joined: Joined): void {
    if (readHub(this.#home)?.token === joined.token) writeJoined(this.#home, joined);
  }

  async #nameOf(followed: FollowedProject): Promise<HubProject> {
    const known = this.#names.get(followed.place);
    if (known !== undefined && Date.now() < known.until) return known.project;
    const project = await hubProject(followed, this.#joined);
    this.#names.set(followed.place, { project, until: Date.now() + NAME_MS });
    return project;
  }

  #save(): void {
    writeSpool(this.#home, this.spool);
  }
}

/** Whether a request is the one that was sent. */
function isAsked({ rule, session, decision }: Request, sent: Sent): boolean {
  return sent.rule === rule && sent.session === session && sent.decision === decision;
}

const MOST_DECISIONS = 500;
const MOST_SESSIONS = 1000;
const NAME_MS = 60_000;

/** The hub is away or rejects our token. A refusal of one message must not stop the others. */
function isFailing(reply: Reply): reply is Exclude<Reply, { kind: 'ok' }> {
  return reply.kind === 'away' || (reply.kind === 'refused' && [401, 403].includes(reply.status));
}

/** A journal line in the form that the hub gets. */
function decisionOf(line: JsonObject, project: Pick<HubProject, 'id' | 'name'>): JsonObject {
  const words = (key: string): string => textIn(line, key) ?? '';
  const known = { project, branch: words('branch'), session: words('session'), host: words('host') };
  return { ...line, ...failedChecks(line), ...known };
}

const LARGEST_LOG = 1024 * 1024;
const MOST_LINES = 40;

/** The failed checks of a gates run, and the lines of their logs that explain why. */
function failedChecks(line: JsonObject): JsonObject {
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
  return log === undefined ? [] : keyLines(readSmallFile(log, LARGEST_LOG) ?? '');
}

/** A fingerprint that changes with the journal and the list of requests. */
function projectFingerprint({ project: { layout } }: FollowedProject): string {
  return [logFiles(layout, 'journal')[0], `${layout.own}/approvals.json`].map(fileFingerprint).join(' ');
}

/** A fingerprint that changes with the file. */
export function fileFingerprint(file: string): string {
  const { ino = 0, size = 0, mtimeMs = 0 } = statSync(file, { throwIfNoEntry: false }) ?? {};
  return `${ino}.${size}.${mtimeMs}`;
}

export async function syncOnce(link: Link, home: string): Promise<Trouble> {
  const projects = knownProjects(home, Date.now());
  return (await link.receive()) ?? (await link.send(projects, false)) ?? (await link.report(projects));
}

type Live = ReturnType<typeof liveSessions>[number];

/** What the hub shows about a session besides its decisions: loop, phase, gates and model. */
function sessionReport(
  session: Live,
  { project }: FollowedProject,
  { id, name }: HubProject,
  chunks: Chunks,
  now: number,
): JsonObject {
  const { layout } = project;
  const read = (ref: DocumentRef): Json | undefined => presentValue(readDocument(layout, ref));
  const beat = heartbeatsIn(read(HEARTBEATS)).find((one) =>
    isSameSessionName(one.sessionId, session.sessionId),
  );
  const client = objectIn(objectIn(read(APPROVALS), 'clients'), session.id);
  const transcript = nameIn(client, 'transcript');
  const phase = currentPhase(read(OWN_STATE)) ?? currentPhase(read(isdlcState(undefined)));
  return withoutUndefined({
    id: session.sessionId,
    project: { id, name },
    branch: session.branch,
    host: beat?.host,
    model: transcript === undefined ? undefined : lastMessage(transcript).model,
    loop: loopOf(session.sessionId, project),
    phase,
    gates: gatesOf(project, chunks, now),
    at: new Date(Math.max(session.lastActive * 1000, beat?.at ?? 0)).toISOString(),
  }) as JsonObject;
}

function loopOf(sessionId: string, { layout, root }: FollowedProject['project']): JsonObject | undefined {
  const messages = findMessageStore(root, {});
  const places = messages === undefined ? layout : { ...layout, messages };
  for (const ref of [sharedTopic(sessionId, OTHERS), ownTopic(sessionId, OTHERS)]) {
    const body = topicIn(presentValue(readDocument(places, ref)))?.messages.at(-1)?.body;
    const parsed = body === undefined ? undefined : parseState(body);
    if (parsed?.kind !== 'state' || !isLive(parsed.state)) continue;
    const frame = frameOf(parsed.state.stack.at(-1), LOOP_DEFAULTS.maxIterations);
    if (frame !== undefined) return { iteration: frame.iter, max: frame.max, mode: frame.mode };
  }
  return undefined;
}

const OTHERS = { others: 'unwanted' } as const;

function gatesOf(project: FollowedProject['project'], chunks: Chunks, now: number): JsonObject | undefined {
  const config = guardConfig(loadConfig(project, chunks), 'gates') as GatesConfig | undefined;
  if (config === undefined) return undefined;
  const logDir = logDirOf(project.root, config);
  const { last_status: status, last_run_completed_at: ranAt, failing } = readState(logDir) ?? {};
  const running = leaseHolder(runLock(project.root, config, undefined), now) !== undefined;
  const lines = running ? lastLines(logDir) : undefined;
  return withoutUndefined({
    running,
    lines,
    status,
    at: ranAt,
    failing: failing && [...failing],
  }) as JsonObject;
}

const TAIL_BYTES = 2048;
const LIVE_LINES = 4;

/** The end of the log that was written last. */
function lastLines(logDir: string): string[] | undefined {
  const writtenAt = (file: string): number => statSync(file, { throwIfNoEntry: false })?.mtimeMs ?? 0;
  const logs = currentLogs(logDir).names.map((name) => join(logDir, name));
  const [newest = ''] = logs.sort((a, b) => writtenAt(b) - writtenAt(a));
  return attempt(() =>
    withPlainFile(newest, READ_NO_FOLLOW, (fd, { size }) => {
      const tail = plainText(readAt(fd, Math.max(0, size - TAIL_BYTES), TAIL_BYTES).toString());
      return tail.trimEnd().split('\n').slice(-LIVE_LINES);
    }),
  );
}
