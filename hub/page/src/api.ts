import { signedOut } from './state';
import type {
  AuditEntry,
  Decision,
  Invite,
  List,
  Machine,
  Mark,
  Me,
  Person,
  Reach,
  Role,
  RuleStats,
  Run,
  Session,
  Waiting,
  WholeDecision,
} from './types';

/** An error response of the hub. Its message is a sentence for the person. */
export class ApiError extends Error {
  readonly status: number;
  readonly code: string;

  constructor(status: number, code: string, message: string) {
    super(message);
    this.status = status;
    this.code = code;
  }
}

const AWAY = 'The hub cannot be reached. Check that it is running and that you are online, then try again.';

async function call<T>(method: string, path: string, body?: unknown): Promise<T> {
  const headers = { accept: 'application/json', ...ownSecret() };
  const init: RequestInit = { method, headers };
  if (body !== undefined) {
    init.headers = { ...headers, 'content-type': 'application/json' };
    init.body = JSON.stringify(body);
  }
  const answer = await fetch(`/api/v1${path}`, init).catch(() => {
    throw new ApiError(0, 'away', AWAY);
  });
  const text = await answer.text();
  if (answer.ok) return (text === '' ? undefined : JSON.parse(text)) as T;
  // A 401 to a sign-in means a wrong passphrase, not that the sign-in has ended.
  if (answer.status === 401 && !isSignIn(path)) signedOut();
  throw errorFrom(answer.status, text);
}

/**
 * A secret of this page, without which the cookie of its sign-in is useless: browsers send cookies to every
 * port of a host. If nothing can be stored, the cookie alone is enough.
 */
function ownSecret(): Record<string, string> {
  try {
    const kept = localStorage.getItem('holdpoint.page') ?? newSecret();
    localStorage.setItem('holdpoint.page', kept);
    return { 'x-holdpoint-page': kept };
  } catch {
    return {};
  }
}

function newSecret(): string {
  return [...crypto.getRandomValues(new Uint8Array(32))]
    .map((byte) => byte.toString(16).padStart(2, '0'))
    .join('');
}

function isSignIn(path: string): boolean {
  return path === '/me' || path === '/login' || path === '/setup' || path.startsWith('/passkeys/');
}

function errorFrom(status: number, text: string): ApiError {
  try {
    const { error } = JSON.parse(text) as { error: { code: string; message: string } };
    return new ApiError(status, error.code, error.message);
  } catch {
    return new ApiError(status, 'unknown', `The hub answered with status ${status}. Try again in a moment.`);
  }
}

/** The message to show for anything that was thrown. */
export function sentence(thrown: unknown): string {
  return thrown instanceof Error ? thrown.message : String(thrown);
}

function query(params: Record<string, string | number | undefined>): string {
  const kept = Object.entries(params).filter(([, value]) => value !== undefined && value !== '');
  return kept.length === 0 ? '' : `?${new URLSearchParams(kept.map(([k, v]) => [k, String(v)]))}`;
}

const path = (...parts: string[]) => `/${parts.map(encodeURIComponent).join('/')}`;

export const api = {
  me: () => call<Me>('GET', '/me'),
  login: (name: string, passphrase: string) => call<unknown>('POST', '/login', { name, passphrase }),
  logout: () => call<void>('POST', '/logout', {}),
  setup: (code: string, name: string, passphrase?: string) =>
    call<unknown>('POST', '/setup', passphrase === undefined ? { code, name } : { code, name, passphrase }),
  passkey: <T>(step: 'register/begin' | 'register/finish' | 'login/begin' | 'login/finish', body: unknown) =>
    call<T>('POST', `/passkeys/${step}`, body),

  waiting: () => call<List<Waiting>>('GET', `/waiting${query({ limit: 500 })}`),
  sessions: () => call<List<Session>>('GET', `/sessions${query({ limit: 500 })}`),
  decisions: (params: Record<string, string | number | undefined>) =>
    call<List<Decision>>('GET', `/decisions${query(params)}`),
  decision: (machine: string, id: string) => call<WholeDecision>('GET', path('decisions', machine, id)),
  mark: (machine: string, id: string, mark: Mark | null) =>
    call<unknown>('POST', `${path('decisions', machine, id)}/mark`, { mark }),
  rules: (since: string) => call<List<RuleStats>>('GET', `/rules${query({ since })}`),
  runs: (params: Record<string, string | number | undefined>) =>
    call<List<Run>>('GET', `/runs${query(params)}`),
  answer: (id: string, answer: 'approve' | 'reject', note?: string) =>
    call<unknown>('POST', path('requests', id), note === undefined ? { answer } : { answer, note }),

  people: () => call<List<Person>>('GET', '/people'),
  invitePerson: (role: Role, name?: string) =>
    call<Invite>('POST', '/people/invite', name === undefined ? { role } : { role, name }),
  removePerson: (id: string) => call<void>('DELETE', path('people', id)),
  machines: () => call<List<Machine>>('GET', '/machines'),
  inviteMachine: (name?: string) =>
    call<Invite>('POST', '/machines/invite', name === undefined ? {} : { name }),
  revokeMachine: (id: string) => call<void>('DELETE', path('machines', id)),
  reach: () => call<Reach>('GET', '/settings/reach'),
  setReach: (reach: unknown) => call<unknown>('PUT', '/settings/reach', reach),
  testReach: () => call<unknown>('POST', '/settings/reach/test', {}),
  audit: (before?: string) => call<List<AuditEntry>>('GET', `/audit${query({ before })}`),
};
