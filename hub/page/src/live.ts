import { effect } from '@preact/signals';
import { useEffect } from 'preact/hooks';
import { api, sentence } from './api';
import { addDecisions, forgetDecisions, reloadDecisions } from './decisions';
import { notify } from './notify';
import { announcement, dialog, link, loadError, me, now, say, sessions, waiting } from './state';
import type { Decision, Session, Waiting } from './types';

/** The longest pause before the next attempt to connect. */
const LONGEST_PAUSE = 15_000;

let source: EventSource | undefined;
let retry: ReturnType<typeof setTimeout> | undefined;
let attempts = 0;
/** Called after the lists were loaded again. */
const refreshers = new Set<() => void>();

/** For the data of a view: read at once and when `of` changes, now and then, and after the lists were loaded again. */
export function useRefreshed(read: () => void, everyMs: number, of: readonly unknown[] = []): void {
  useEffect(() => {
    read();
    refreshers.add(read);
    const timer = setInterval(read, everyMs);
    return () => {
      refreshers.delete(read);
      clearInterval(timer);
    };
  }, [...of]);
}

let loads = 0;

export async function loadLists(): Promise<void> {
  loads += 1;
  const mine = loads;
  try {
    const [asked, running] = await Promise.all([api.waiting(), api.sessions()]);
    // A later load shows more.
    if (mine !== loads) return;
    const before = waiting.value;
    waiting.value = sorted(asked.items);
    sessions.value = running.items;
    loadError.value = null;
    // Requests that arrived while the connection was lost count as new, too.
    if (before) for (const item of asked.items) if (!before.some(({ id }) => id === item.id)) announce(item);
  } catch (thrown) {
    if (mine === loads) loadError.value = sentence(thrown);
  }
  for (const refresh of refreshers) refresh();
}

const sorted = (items: readonly Waiting[]) =>
  [...items].sort((one, two) => Date.parse(one.since) - Date.parse(two.since));

export function startLive(): void {
  if (source) return;
  void loadLists();
  connect();
}

export function stopLive(): void {
  clearTimeout(retry);
  source?.close();
  source = undefined;
  link.value = { state: 'connecting', since: Date.now() };
  waiting.value = null;
  sessions.value = null;
  dialog.value = null;
  forgetDecisions();
}

function connect(): void {
  clearTimeout(retry);
  const stream = new EventSource('/api/v1/stream');
  source = stream;
  const on = (name: string, handler: (data: unknown) => void) =>
    stream.addEventListener(name, (event: MessageEvent<string>) => handler(JSON.parse(event.data)));
  on('hello', handleHello);
  stream.onerror = () => {
    if (source !== stream) return;
    if (link.value.state !== 'lost') link.value = { state: 'lost', since: Date.now() };
    // The browser reconnects by itself, unless the answer was not a stream.
    if (stream.readyState === EventSource.CLOSED) tryLater();
  };
  on('request', (data) => handleRequest(data as Waiting));
  on('session', (data) => handleSession(data as Session));
  on('decision', (data) => handleDecision(data as Decision | { skipped: number }));
}

function handleHello(): void {
  attempts = 0;
  link.value = { state: 'live', since: Date.now() };
  // Before it the hub sent nothing, so the lists may be out of date by now.
  void loadLists();
  void reloadDecisions();
}

function tryLater(): void {
  source?.close();
  attempts += 1;
  retry = setTimeout(
    async () => {
      // Tells whether the sign-in has ended or the hub is away.
      const who = await api.me().catch((thrown: unknown) => (statusOf(thrown) === 401 ? null : undefined));
      if (who === null) me.value = null;
      else connect();
    },
    Math.min(LONGEST_PAUSE, 500 * 2 ** attempts),
  );
}

function statusOf(thrown: unknown): number {
  return thrown instanceof Error && 'status' in thrown ? Number(thrown.status) : 0;
}

function handleRequest(item: Waiting): void {
  const known = waiting.value ?? [];
  const others = known.filter(({ id }) => id !== item.id);
  const isOver = Boolean(item.answer) || Boolean(item.closedAt);
  if (!isOver) {
    waiting.value = sorted([...others, item]);
    if (others.length === known.length) announce(item);
    return;
  }
  waiting.value = others;
  const open = dialog.value;
  if (open && 'request' in open && open.request.id === item.id) {
    dialog.value = null;
    say(endOf(item));
  }
}

function endOf({ rule, answer, answeredBy }: Waiting): string {
  if (!answer) return `${rule} no longer waits: the agent withdrew it or was let go.`;
  return `${answeredBy ?? 'Someone'} has ${answer === 'approve' ? 'approved' : 'rejected'} ${rule}.`;
}

function announce(item: Waiting): void {
  announcement.value = `${item.rule} waits for you in ${item.project.name}`;
  notify(item);
}

function handleSession(item: Session): void {
  const known = sessions.value ?? [];
  const others = known.filter(({ id, machine }) => id !== item.id || machine.id !== item.machine.id);
  sessions.value = [item, ...others];
}

let arrived: Decision[] = [];
let skipped = false;

/** Adds rows at most a few times a second, however fast they arrive. */
function handleDecision(data: Decision | { skipped: number }): void {
  const isFirst = arrived.length === 0 && !skipped;
  if ('skipped' in data) skipped = true;
  else arrived.push(data);
  if (isFirst) setTimeout(addArrived, 200);
}

function addArrived(): void {
  addDecisions(arrived);
  if (skipped) void reloadDecisions();
  arrived = [];
  skipped = false;
}

setInterval(() => {
  now.value = Date.now();
}, 1000);

let hiddenSince = 0;
document.addEventListener('visibilitychange', () => {
  if (document.hidden) hiddenSince = Date.now();
  else if (me.value && Date.now() - hiddenSince > 60_000) void loadLists();
});
addEventListener('online', () => {
  if (!me.value || link.value.state !== 'lost') return;
  source?.close();
  connect();
});

effect(() => {
  const count = waiting.value?.length ?? 0;
  document.title = count === 0 ? 'Holdpoint' : `(${count}) Holdpoint`;
});
