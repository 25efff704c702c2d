import { hostname } from 'node:os';
import { detailOf } from '../core/failure';
import type { Joined } from '../state/hub';
import { HUB } from '../state/journal';
import { REGISTRY } from '../state/sessions';
import { joinHub, listen, type StreamEvent } from './api';
import { fileFingerprint, Link, readHub, type Trouble } from './link';
import { type FollowedProject, knownProjects, liveSessions } from './projects';
/*
 * Sends this machine's decisions to its hub, and fetches what people have answered there. Runs in the
 * resident server; `holdpoint hub sync` does the same once. Hooks know nothing of it: they write their
 * journal and state as always, and the uplink follows.
 */

export interface UplinkSetup {
  readonly home: string;
  readonly env: Readonly<Record<string, string | undefined>>;
  load(name: string): unknown;
  tell(text: string): void;
}

const TICK_MS = 200;
/** How often to check projects without a live session, and rotated journals for late lines. */
const ALL_EVERY_MS = 15_000;
const REPORT_EVERY_MS = 5000;
const LIVE_MS = 1000;
/** A session that has ended may still add lines for this long. */
const ACTIVE_MS = 60_000;
const FIRST_WAIT_MS = 500;
const LONGEST_WAIT_MS = 30_000;

export class Uplink {
  readonly #setup: UplinkSetup;
  readonly #clock: NodeJS.Timeout;
  readonly #stopped = new AbortController();
  #link: Link | undefined;
  #stream: AbortController | undefined;
  #isBusy = false;
  #failures = 0;
  #isOpen = false;
  #streamFailures = 0;
  #streamAt = 0;
  #turnAt = 0;
  #waitUntil = 0;
  #allAt = 0;
  #reportedAt = 0;
  #known: readonly FollowedProject[] = [];
  #isUnsent = true;
  #isLive = true;
  #joinedLook = '';
  #isUninvited = false;
  /** Cache of the live sessions. */
  #live = { look: '', sessions: [] as ReturnType<typeof liveSessions>, until: 0 };
  readonly #workedIn = new Map<string, number>();

  constructor(setup: UplinkSetup) {
    this.#setup = setup;
    this.#clock = setInterval(() => void this.#turn(), TICK_MS);
  }

  /** Whether it still has work: a live session, or lines that the hub does not have. */
  isNeeded(): boolean {
    return this.#link !== undefined && (this.#isLive || (this.#isUnsent && this.#failures < 10));
  }

  stop(): void {
    clearInterval(this.#clock);
    this.#stopped.abort();
    this.#stream?.abort();
  }

  async #turn(): Promise<void> {
    const now = Date.now();
    // If the clock was set back, we would wait until it has caught up.
    if (now < this.#turnAt) this.#waitUntil = this.#streamAt = this.#allAt = this.#reportedAt = 0;
    this.#turnAt = now;
    if (this.#isBusy || now < this.#waitUntil || this.#stopped.signal.aborted) return;
    this.#isBusy = true;
    try {
      await this.#refresh();
      if (this.#link !== undefined) this.#conclude(await this.#work(this.#link, now));
    } catch (error) {
      this.#conclude({ kind: 'away', why: detailOf(error) });
    } finally {
      this.#isBusy = false;
    }
  }

  /** Follows `holdpoint join` and `leave`, or joins by environment variables. */
  async #refresh(): Promise<void> {
    const { home, load, tell } = this.#setup;
    const look = fileFingerprint(`${home}/${HUB.path}`);
    if (look === this.#joinedLook) return;
    const joined = readHub(home) ?? (await this.#joinByEnvironment());
    this.#joinedLook = fileFingerprint(`${home}/${HUB.path}`);
    const isSame = joined !== undefined && this.#link?.joined.token === joined.token;
    if (isSame && joined.refused === undefined) return;
    this.#stream?.abort();
    this.#stream = undefined;
    this.#link =
      joined === undefined || joined.refused !== undefined ? undefined : new Link(home, joined, load);
    if (this.#link !== undefined) tell(`linked to the hub at ${this.#link.joined.url}.`);
    this.#allAt = 0;
  }

  /** For machines that nobody types on: environment variables name the hub and an invitation. */
  async #joinByEnvironment(): Promise<Joined | undefined> {
    const { home, env, tell } = this.#setup;
    const [url = '', code = ''] = [env['HOLDPOINT_HUB_URL'], env['HOLDPOINT_HUB_CODE']];
    if (url === '' || code === '' || this.#isUninvited) return undefined;
    const joined = await joinHub(home, { url, code, name: hostname() });
    if (joined.ok) return joined.value;
    tell(`cannot join the hub: ${joined.failure.why}`);
    // Trying the same invitation again does not help.
    this.#isUninvited = joined.failure.isFinal;
    throw new Error(joined.failure.why);
  }

  async #work(link: Link, now: number): Promise<Trouble> {
    const { home } = this.#setup;
    const isAll = now - this.#allAt >= ALL_EVERY_MS;
    const live = this.#liveSessions(now);
    const isNew = live.some(({ projectDir }) => !this.#known.some(({ roots }) => roots.includes(projectDir)));
    if (isAll || isNew) this.#known = knownProjects(home, now);
    this.#isLive = live.length > 0;
    this.#listen(link);
    this.#isUnsent = true;
    for (const { projectDir } of live) this.#workedIn.set(projectDir, now);
    const isActive = ({ roots }: FollowedProject): boolean =>
      roots.some((root) => now - (this.#workedIn.get(root) ?? 0) < ACTIVE_MS);
    const trouble = isAll
      ? await link.send(this.#known, false)
      : await link.send(this.#known.filter(isActive), true);
    if (trouble !== undefined) return trouble;
    this.#isUnsent = false;
    if (isAll) this.#allAt = now;
    // A proxy in between may not let the stream through.
    const unheard = isAll && !this.#isOpen ? await link.receive() : undefined;
    if (unheard !== undefined) return unheard;
    if (now - this.#reportedAt < REPORT_EVERY_MS) return undefined;
    this.#reportedAt = now;
    return link.report(this.#known);
  }

  /** The registry may be long, so it is read when it has changed, and otherwise only now and then. */
  #liveSessions(now: number): ReturnType<typeof liveSessions> {
    const { home } = this.#setup;
    const look = fileFingerprint(`${home}/${REGISTRY.path}`);
    if (look === this.#live.look && now < this.#live.until) return this.#live.sessions;
    const sessions = liveSessions(home, now).filter(({ alive }) => alive);
    const tookMs = Date.now() - now;
    this.#live = { look, sessions, until: now + Math.max(LIVE_MS, tookMs * 20) };
    return sessions;
  }

  /** One stream at a time; what was missed between two is fetched when the next one is open. */
  #listen(link: Link): void {
    if (this.#stream !== undefined || Date.now() < this.#streamAt) return;
    const stream = new AbortController();
    this.#stream = stream;
    const forward = (told: StreamEvent): void => void link.hear(told).catch(() => undefined);
    const opened = (): void => {
      this.#isOpen = true;
      this.#streamFailures = 0;
      void link.receive().catch(() => undefined);
    };
    void listen(link.joined, { signal: stream.signal, onOpen: opened, onTold: forward }).then((ended) => {
      this.#isOpen = false;
      if (stream.signal.aborted) return;
      this.#stream = undefined;
      if (ended.kind === 'refused') this.#conclude(ended);
      this.#streamAt = Date.now() + waitAfter(this.#streamFailures++);
    });
  }

  /** After trouble, waits longer each time, with random jitter. */
  #conclude(trouble: Trouble): void {
    if (trouble === undefined) {
      this.#failures = 0;
      return;
    }
    const { tell } = this.#setup;
    if (trouble.kind === 'refused' && trouble.status === 401) {
      tell(`the hub refuses this machine: ${trouble.why}`);
      this.#link?.refuse(trouble.why);
      this.#link = undefined;
      this.#stream?.abort();
      this.#stream = undefined;
      return;
    }
    this.#waitUntil = Date.now() + waitAfter(this.#failures++);
    if (this.#failures === 1) tell(`the hub is away: ${trouble.why}`);
  }
}

function waitAfter(failures: number): number {
  const most = Math.min(LONGEST_WAIT_MS, FIRST_WAIT_MS * 2 ** failures);
  return most / 2 + (Math.random() * most) / 2;
}
