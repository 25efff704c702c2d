import { computed, signal } from '@preact/signals';
import type { Me, Session, Waiting } from './types';

export const VIEWS = ['waiting', 'sessions', 'decisions', 'rules', 'gates', 'settings'] as const;
export type View = (typeof VIEWS)[number];

/** `undefined` until the hub has answered, `null` if nobody is signed in. */
export const me = signal<Me | null | undefined>(undefined);
export const canAnswer = computed(() => me.value?.role === 'approver' || me.value?.role === 'admin');
export const isAdmin = computed(() => me.value?.role === 'admin');

export const waiting = signal<readonly Waiting[] | null>(null);
export const sessions = signal<readonly Session[] | null>(null);

export type Link = { readonly state: 'connecting' | 'live' | 'lost'; readonly since: number };
export const link = signal<Link>({ state: 'connecting', since: Date.now() });

/** The current time, for texts such as "waits for 4 min". */
export const now = signal(Date.now());

/** Why the lists could not be read, as a sentence. */
export const loadError = signal<string | null>(null);

export type Open =
  | { readonly kind: 'approve' | 'reject'; readonly request: Waiting }
  | { readonly kind: 'help' }
  | {
      readonly kind: 'confirm';
      readonly title: string;
      readonly text: string;
      readonly act: string;
      readonly run: () => Promise<void>;
    };
/** The open dialog, if any. */
export const dialog = signal<Open | null>(null);

export const toast = signal<{ readonly text: string; readonly bad: boolean } | null>(null);
let toastEnds: ReturnType<typeof setTimeout> | undefined;

export function say(text: string, bad = false): void {
  clearTimeout(toastEnds);
  toast.value = { text, bad };
  toastEnds = setTimeout(
    () => {
      toast.value = null;
    },
    bad ? 12_000 : 6000,
  );
}

/** For screen readers: the request that has just arrived. */
export const announcement = signal('');

export function signedOut(): void {
  if (me.value) say('Your sign-in has ended. Sign in again.');
  me.value = null;
}

/** The parts of the URL's hash. */
export const place = signal(readPlace());

function readPlace(): readonly string[] {
  return location.hash.slice(1).split('/').map(decodeURIComponent);
}

addEventListener('hashchange', () => {
  place.value = readPlace();
});

export const setupCode = computed(() => /^setup=(.+)$/.exec(place.value[0] ?? '')?.[1]);

export const view = computed<View>(() => VIEWS.find((name) => name === place.value[0]) ?? 'waiting');

export function go(...parts: string[]): void {
  location.hash = parts.map(encodeURIComponent).join('/');
  place.value = parts;
}
