// A hub as small as can be, in a process of its own: keeps what machines send, and does what a test tells it to.
import { createHash, generateKeyPairSync, randomBytes, sign } from 'node:crypto';
import { createServer } from 'node:http';

const newKey = () => {
  const { privateKey, publicKey } = generateKeyPairSync('ed25519');
  return { privateKey, spki: publicKey.export({ format: 'der', type: 'spki' }).toString('base64') };
};
let key = newKey();
const stranger = newKey();
const formerKeys = [];
const chain = [];
const decisions = new Map();
const requests = new Map();
const machines = new Map();
const codes = new Set();
const streams = new Set();
let sessions = [];
let away = false;
let sent = 0;
let posts = 0;

const signed = (text, by = key) => sign(null, Buffer.from(text), by.privateKey).toString('base64');
const idOf = (one) => `sha256:${createHash('sha256').update(Buffer.from(one.spki, 'base64')).digest('hex')}`;

function push(event, data) {
  for (const stream of streams)
    stream.write(`id: ${++sent}\nevent: ${event}\ndata: ${JSON.stringify(data)}\n\n`);
}

/** `over` replaces members of the statement, `by` the key that signs it. */
function answer({ id, answer: given = 'approve', note = '', over = {}, by = 'own', silent = false }) {
  const request = requests.get(id);
  const at = new Date();
  const statement = JSON.stringify({
    ...{ v: 1, kind: 'approval', request: id, machine: request.machine, project: request.project.id },
    ...{ rule: request.rule, scope: request.scope, session: request.session, branch: request.branch },
    ...(request.digest && { digest: request.digest }),
    ...{ answer: given, ...(given === 'reject' && { note }), by: 'ana', at: at.toISOString() },
    until: request.ttl ? new Date(at.getTime() + request.ttl * 1000).toISOString() : null,
    nonce: randomBytes(16).toString('hex'),
    ...over,
  });
  const signer = by === 'own' ? key : by === 'stranger' ? stranger : formerKeys.at(-1);
  const delivery = {
    id,
    answer: given,
    note,
    statement,
    signature: signed(statement, signer),
    key: idOf(signer),
  };
  if (silent) return delivery;
  Object.assign(request, { answer: given, delivery, received: false });
  push('approval', delivery);
  return delivery;
}

const told = {
  'POST /test/answer': answer,
  'POST /test/deliver': ({ id, data }) => {
    Object.assign(requests.get(id), { delivery: data, received: false });
    return {};
  },
  'POST /test/push': ({ event, data }) => push(event, data),
  'POST /test/away': ({ is }) => {
    away = is;
    if (is) for (const stream of streams) stream.destroy();
    return {};
  },
  'POST /test/invite': () => {
    const code = `hpi_${randomBytes(20).toString('base64url')}`;
    codes.add(code);
    return { code };
  },
  'POST /test/revoke': () => {
    machines.clear();
    for (const stream of streams) stream.destroy();
    return {};
  },
  'POST /test/rotate': () => {
    const next = newKey();
    const statement = JSON.stringify({ v: 1, kind: 'key', key: next.spki, at: new Date().toISOString() });
    const link = { statement, signature: signed(statement) };
    formerKeys.push(key);
    key = next;
    chain.push(link);
    push('key', link);
    return { id: idOf(key) };
  },
  'GET /test/state': () => ({
    key: idOf(key),
    decisions: [...decisions.values()],
    requests: [...requests.values()].map(({ delivery: _, ...rest }) => rest),
    machines: [...machines.values()],
    sessions,
    streams: streams.size,
    posts,
  }),
};

function machineCall(path, body, machine) {
  posts++;
  if (path === '/keys') return { key: key.spki, chain };
  if (path === '/decisions') {
    const fresh = body.decisions.filter(({ id }) => !decisions.has(id));
    for (const one of body.decisions) {
      const known = decisions.get(one.id);
      const isBetter = known === undefined || known.decision === 'started';
      decisions.set(one.id, { ...(isBetter ? one : known), times: (known?.times ?? 0) + 1 });
    }
    return { accepted: fresh.length, known: body.decisions.length - fresh.length };
  }
  if (path === '/sessions') {
    sessions = body.sessions;
    return {};
  }
  if (path.startsWith('/approvals')) {
    const open = [...requests.values()].filter((one) => one.delivery && !one.received);
    return { items: open.map((one) => one.delivery), next: null };
  }
  if (path === '/requests') {
    const same = [...requests.values()].find(
      (one) => one.decision === body.decision && one.rule === body.rule,
    );
    if (same) return { id: same.id, answer: same.answer ?? null };
    const id = randomBytes(16).toString('base64url');
    requests.set(id, { id, machine, ...body });
    return { id, answer: null };
  }
  const [, id, verb] = /^\/requests\/([^/]+)\/(close|received)$/.exec(path) ?? [];
  const request = requests.get(id);
  if (request === undefined) return undefined;
  request[verb === 'close' ? 'closed' : 'received'] = true;
  return {};
}

const server = createServer(async (request, response) => {
  const pieces = [];
  for await (const piece of request) pieces.push(piece);
  const body = pieces.length > 0 ? JSON.parse(Buffer.concat(pieces).toString()) : {};
  const say = (status, value) => {
    response.writeHead(status, { 'content-type': 'application/json' });
    response.end(JSON.stringify(value));
  };
  const error = (status, message) => say(status, { error: { code: String(status), message } });
  const act = told[`${request.method} ${request.url}`];
  if (act) return say(200, act(body) ?? {});
  if (away) return request.socket.destroy();
  const path = request.url.replace('/api/v1', '');
  if (path === '/join') {
    if (!codes.delete(body.code)) return error(403, 'This code is not known.');
    const machine = randomBytes(8).toString('hex');
    const token = `hpm_${randomBytes(32).toString('base64url')}`;
    const isTaken = [...machines.values()].some(({ name }) => name === body.name);
    const name = isTaken ? `${body.name}-${machines.size + 1}` : body.name;
    machines.set(token, { machine, name });
    return say(200, { machine, name, token, key: key.spki });
  }
  const machine = machines.get((request.headers.authorization ?? '').replace('Bearer ', ''));
  if (machine === undefined) return error(401, 'This machine was revoked.');
  if (path === '/stream') {
    response.writeHead(200, { 'content-type': 'text/event-stream' });
    response.write('event: hello\ndata: {"version":"fake"}\n\n');
    streams.add(response);
    response.on('close', () => streams.delete(response));
    return undefined;
  }
  const value = machineCall(path, body, machine.machine);
  return value === undefined ? error(404, 'No such request.') : say(200, value);
});
// A test that waits for a command comes back to its connection late.
server.keepAliveTimeout = 0;
server.listen(Number(process.argv[2] ?? 0), '127.0.0.1', () => {
  process.stdout.write(`http://127.0.0.1:${server.address().port}\n`);
});
process.on('disconnect', () => process.exit(0));
