// Simulated machines and a person for the load and the fault script: real HTTP with keep-alive, streams open.
import { Agent, request } from 'node:http';
import { openStream } from '../processes.mjs';

const DEADLINE = 30_000;

/** One JSON request. Rejects where no whole answer came, so that the caller knows nothing of what happened. */
export function send(url, method, path, headers, json, agent) {
  const body = json === undefined ? undefined : JSON.stringify(json);
  const type =
    body === undefined
      ? {}
      : { 'content-type': 'application/json', 'content-length': Buffer.byteLength(body) };
  return new Promise((resolve, reject) => {
    const call = request(url + path, { method, agent, headers: { ...headers, ...type } }, (response) => {
      let text = '';
      response.setEncoding('utf8');
      response.on('data', (chunk) => {
        text += chunk;
      });
      response.on('error', reject);
      response.on('end', () => {
        if (!response.complete) return reject(new Error('cut off'));
        const isJson = response.headers['content-type']?.includes('json');
        resolve({
          status: response.statusCode,
          headers: response.headers,
          text,
          body: isJson ? JSON.parse(text) : {},
        });
      });
    });
    call.setTimeout(DEADLINE, () => call.destroy(new Error('no answer in time')));
    call.on('error', reject);
    call.end(body);
  });
}

const codeIn = (text) => /hpi_[\w-]+/.exec(text)?.[0];

/** The first person, made with the setup link. `url` may change when the hub is started again. */
export class Person {
  constructor(url) {
    this.url = url;
    this.agent = new Agent({ keepAlive: true });
  }

  async setUp(link) {
    const json = { code: codeIn(link), name: 'ada', passphrase: 'correct horse battery' };
    const answer = await this.call('POST', 'setup', json);
    this.cookie = answer.headers['set-cookie']?.[0]?.split(';')[0];
    if (this.cookie === undefined) throw new Error(`setup: ${answer.status} ${answer.text}`);
    return this;
  }

  get headers() {
    return { cookie: this.cookie ?? '', origin: new URL(this.url).origin };
  }

  call(method, path, json) {
    return send(this.url, method, `/api/v1/${path}`, this.headers, json, this.agent);
  }

  stream(onEvent) {
    return openStream(this.url, this.headers, onEvent);
  }
}

export class Machine {
  constructor(index, url) {
    this.index = index;
    this.url = url;
    this.agent = new Agent({ keepAlive: true, maxSockets: 1 });
    this.made = 0;
    this.acknowledged = 0;
  }

  async join(person) {
    const invite = await person.call('POST', 'machines/invite', {});
    const json = { code: codeIn(invite.text), name: `load-${this.index}` };
    const { status, text, body } = await send(this.url, 'POST', '/api/v1/join', {}, json, this.agent);
    if (status !== 200) throw new Error(`join: ${status} ${text}`);
    this.id = body.machine;
    this.headers = { authorization: `Bearer ${body.token}` };
  }

  call(method, path, json) {
    return send(this.url, method, `/api/v1/${path}`, this.headers, json, this.agent);
  }

  stream(onEvent) {
    return openStream(this.url, this.headers, onEvent);
  }

  /** Journal lines `from` to `to`, the same ones however often they are made. */
  lines(from, to) {
    return Array.from({ length: to - from }, (_, n) => this.line(from + n));
  }

  line(n) {
    const held = n % 10 === 0;
    const rule = `rule-${n % 7}`;
    return {
      id: `m${this.index}-${n}`,
      at: new Date().toISOString(),
      host: 'claude-code',
      session: `s${this.index}-${Math.floor(n / 500)}`,
      event: 'PreToolUse',
      tool: ['Edit', 'Bash', 'Read', 'Write'][n % 4],
      call: `toolu_${n}`,
      actor: 'agent',
      channel: 'hook',
      branch: 'main',
      decision: held ? 'deny' : 'nothing',
      verdicts: held
        ? [{ guard: 'requirements', verdict: 'deny', grounds: [{ rule, fact: 'There is no plan yet.' }] }]
        : [],
      ms: 3,
      project: { id: `project-${this.index % 50}`, name: `project ${this.index % 50}` },
    };
  }

  request(n) {
    return {
      decision: `m${this.index}-r${n}`,
      project: { id: `project-${this.index % 50}`, name: `project ${this.index % 50}` },
      rule: 'deploy',
      description: 'Ask a person before a deploy.',
      scope: 'session',
      session: `r${this.index}-${n}`,
      branch: 'main',
      since: new Date().toISOString(),
    };
  }
}

export async function joinFleet(count, person) {
  const machines = Array.from({ length: count }, (_, index) => new Machine(index, person.url));
  for (let from = 0; from < count; from += 20)
    await Promise.all(machines.slice(from, from + 20).map((machine) => machine.join(person)));
  return machines;
}

export function percentile(values, share) {
  if (values.length === 0) return Number.NaN;
  const sorted = values.toSorted((a, b) => a - b);
  return sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * share))];
}

export const print = (line) => process.stdout.write(`${line}\n`);
