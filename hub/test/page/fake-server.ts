import { readFileSync } from 'node:fs';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { extname, join } from 'node:path';
import {
  audit,
  decision,
  decisions,
  type FakeDecision,
  type FakeRequest,
  journalOf,
  machines,
  people,
  request,
  rules,
  runs,
  sessions,
} from './fake-data.js';

/** As the hub's own. */
const POLICY =
  "default-src 'none'; script-src 'self'; style-src 'self'; connect-src 'self'; img-src 'self' data:; font-src 'self'; manifest-src 'self'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'";

const TYPES: Readonly<Record<string, string>> = {
  '.html': 'text/html; charset=utf-8',
  '.js': 'text/javascript',
  '.css': 'text/css',
  '.svg': 'image/svg+xml',
};

export const PERSON = { name: 'Ada', passphrase: 'correct horse battery' };

export interface FakeOptions {
  /** Where the built page is. */
  readonly page: string;
  readonly decisions?: number;
  readonly waiting?: number;
  readonly role?: 'viewer' | 'approver' | 'admin';
  /** A hub that nothing has happened on. */
  readonly empty?: boolean;
}

/** The hub's API with scripted data, for the tests of the page alone. */
export class FakeHub {
  readonly answers: { id: string; answer: string; note?: string }[] = [];
  readonly marks: { id: string; mark: string | null }[] = [];
  url = '';
  waiting: FakeRequest[];
  private readonly decisions: FakeDecision[];
  private readonly streams = new Set<ServerResponse>();
  private readonly options: FakeOptions;
  private readonly server = createServer((asked, answer) => void this.serve(asked, answer));
  private sequence = 0;
  private isDown = false;

  constructor(options: FakeOptions) {
    this.options = options;
    this.decisions = decisions(options.empty ? 0 : (options.decisions ?? 300));
    const count = options.empty ? 0 : (options.waiting ?? 3);
    this.waiting = Array.from({ length: count }, (_, n) => request(n, 64_000 / (n * n * 30 + 10)));
  }

  async start(port = 0): Promise<this> {
    await new Promise<void>((done) => this.server.listen(port, 'localhost', done));
    this.url = `http://localhost:${(this.server.address() as AddressInfo).port}`;
    return this;
  }

  async stop(): Promise<void> {
    this.dropStreams();
    this.server.closeAllConnections();
    await new Promise((done) => this.server.close(done));
  }

  /** Ends every stream; while down, no new one opens. */
  dropStreams(isDown = false): void {
    this.isDown = isDown;
    for (const stream of this.streams) stream.destroy();
    this.streams.clear();
  }

  comeBack(): void {
    this.isDown = false;
  }

  send(event: string, data: unknown): void {
    this.sequence += 1;
    for (const stream of this.streams)
      stream.write(`id: ${this.sequence}\nevent: ${event}\ndata: ${JSON.stringify(data)}\n\n`);
  }

  openRequest(n: number, isTold = true): FakeRequest {
    const opened = request(n, 0);
    this.waiting.push(opened);
    if (isTold) this.send('request', opened);
    return opened;
  }

  closeRequest(id: string, answeredBy: string | null): void {
    const found = this.waiting.find((each) => each.id === id);
    this.waiting = this.waiting.filter((each) => each !== found);
    const now = new Date().toISOString();
    this.send('request', {
      ...found,
      answer: answeredBy && 'approve',
      answeredBy,
      closedAt: answeredBy ? null : now,
    });
  }

  addDecision(fields: Partial<FakeDecision> = {}): void {
    const row = { ...decision(this.decisions.length + 1, new Date().toISOString()), ...fields };
    this.decisions.unshift(row);
    this.send('decision', row);
  }

  private async serve(asked: IncomingMessage, answer: ServerResponse): Promise<void> {
    answer.setHeader('content-security-policy', POLICY);
    let text = '';
    for await (const part of asked) text += String(part);
    try {
      const url = new URL(asked.url ?? '/', 'http://localhost');
      if (url.pathname === '/api/v1/stream') this.stream(asked, answer);
      else if (url.pathname.startsWith('/api/v1')) this.api(asked, url, text, answer);
      else this.file(url.pathname, answer);
    } catch (thrown) {
      const { status, message } = thrown instanceof Refusal ? thrown : new Refusal(500, String(thrown));
      answer.writeHead(status, { 'content-type': 'application/json' });
      answer.end(JSON.stringify({ error: { code: 'fake', message } }));
    }
  }

  private file(path: string, answer: ServerResponse): void {
    const name = extname(path) ? path : '/index.html';
    answer.setHeader('content-type', TYPES[extname(name)] ?? 'application/octet-stream');
    answer.end(readFileSync(join(this.options.page, name)));
  }

  private api(asked: IncomingMessage, url: URL, text: string, answer: ServerResponse): void {
    const body = text === '' ? {} : (JSON.parse(text) as Record<string, string>);
    const path = url.pathname.slice('/api/v1'.length);
    answer.setHeader('content-type', 'application/json');
    if (path === '/login' || path === '/setup') {
      this.signIn(path, body);
      answer.setHeader('set-cookie', 'holdpoint_hub=fake; HttpOnly; SameSite=Strict; Path=/');
    } else checkSignedIn(asked);
    if (path === '/logout') answer.setHeader('set-cookie', 'holdpoint_hub=; Path=/; Max-Age=0');
    const found = asked.method === 'GET' ? this.get(path, url.searchParams) : this.change(path, body);
    answer.end(JSON.stringify(found));
  }

  private signIn(path: string, body: Record<string, string>): void {
    if (path === '/setup' && body['code'] !== 'hpi_fake')
      throw new Refusal(403, 'This invitation is not valid.');
    if (path === '/login' && body['passphrase'] !== PERSON.passphrase)
      throw new Refusal(401, 'That did not match. Check the name and the passphrase.');
  }

  private me() {
    return {
      name: PERSON.name,
      role: this.options.role ?? 'admin',
      hub: { version: '0.1.0', url: this.url },
    };
  }

  private stream(asked: IncomingMessage, answer: ServerResponse): void {
    checkSignedIn(asked);
    if (this.isDown) throw new Refusal(503, 'The hub is starting.');
    answer.writeHead(200, { 'content-type': 'text/event-stream', 'cache-control': 'no-store' });
    answer.write(`retry: 200\n\nid: ${this.sequence}\nevent: hello\ndata: {"version":"0.1.0"}\n\n`);
    this.streams.add(answer);
    answer.on('close', () => this.streams.delete(answer));
  }

  private get(path: string, params: URLSearchParams): unknown {
    const { empty } = this.options;
    const lists: Readonly<Record<string, () => unknown>> = {
      '/me': () => this.me(),
      '/waiting': () => list(this.waiting),
      '/sessions': () => list(empty ? [] : sessions()),
      '/decisions': () => this.page(params),
      '/rules': () => list(empty ? [] : rules()),
      '/runs': () => pageOfRuns(empty ? 0 : 60, Number(params.get('before'))),
      '/people': () => list(people),
      '/machines': () => list(machines),
      '/audit': () => list(audit),
      '/settings/reach': () => ({
        webhook: null,
        ntfy: { url: 'https://ntfy.example/holdpoint', hasToken: true },
      }),
    };
    const one = /^\/decisions\/([^/]+)\/([^/]+)$/.exec(path);
    const row = one && this.decisions.find(({ machine, id }) => machine.id === one[1] && id === one[2]);
    const found = row ? { ...journalOf(row), ...row } : lists[path]?.();
    if (found === undefined) throw new Refusal(404, `There is no ${path}.`);
    return found;
  }

  private page(params: URLSearchParams) {
    const from = Number(params.get('before') ?? 0);
    const to = from + Number(params.get('limit') ?? 100);
    const [rule, session, project] = ['rule', 'session', 'project'].map((name) => params.get(name));
    const all = this.decisions.filter(
      (row) =>
        (!rule || row.rules.includes(rule)) &&
        (!session || row.session === session) &&
        (!project || row.project.id === project) &&
        (!params.get('held') || row.held),
    );
    return { items: all.slice(from, to), next: to < all.length ? String(to) : null };
  }

  private change(path: string, body: Record<string, string>): unknown {
    const asked = /^\/requests\/([^/]+)$/.exec(path)?.[1];
    if (asked !== undefined) return this.answerRequest(asked, body);
    const marked = /^\/decisions\/[^/]+\/([^/]+)\/mark$/.exec(path)?.[1];
    if (marked !== undefined) this.marks.push({ id: marked, mark: body['mark'] ?? null });
    if (path === '/machines/invite') return { url: this.url, code: 'hpi_machine' };
    if (path === '/people/invite') return { url: `${this.url}/#setup=hpi_fake`, code: 'hpi_fake' };
    return this.me();
  }

  private answerRequest(id: string, body: Record<string, string>): unknown {
    const found = this.waiting.find((each) => each.id === id);
    if (!found) throw new Refusal(409, 'Grace has approved this already.');
    const { answer = '', note } = body;
    this.answers.push(note === undefined ? { id, answer } : { id, answer, note });
    this.waiting = this.waiting.filter((each) => each !== found);
    this.send('request', { ...found, answer, answeredBy: PERSON.name });
    return { id, answer };
  }
}

class Refusal extends Error {
  readonly status: number;

  constructor(status: number, message: string) {
    super(message);
    this.status = status;
  }
}

const list = (items: readonly unknown[]) => ({ items, next: null });

function checkSignedIn({ headers }: IncomingMessage): void {
  if (!/holdpoint_hub=fake/.test(headers.cookie ?? '')) throw new Refusal(401, 'Sign in first.');
}

const RUNS_READ = 40;

function pageOfRuns(count: number, from: number) {
  const to = from + RUNS_READ;
  return { items: runs(count).slice(from, to), next: to < count ? String(to) : null };
}
