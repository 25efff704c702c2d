import { type Json, nameIn } from './json';

export type Actor = 'person' | 'agent' | 'skill' | 'system';

/** How it reached us: something a person answered or typed, a shell command, or an event of the host. */
export type Channel = 'question' | 'command' | 'dialog' | 'terminal' | 'hub' | 'cli' | 'hook';

/** Who did something and how, as stored in state entries and journal lines. */
export interface Who {
  readonly actor: Actor;
  readonly channel: Channel;
}

/** For entries written before this was recorded. */
export const UNKNOWN = 'unknown';

const PERSONS_WAYS: Readonly<Record<string, string>> = {
  question: ' who was asked in the session',
  command: ' with a command typed in the session',
  dialog: " in the agent's own dialog",
  terminal: ' in a terminal',
  hub: ' on the hub',
};

/** `by a person in a terminal`, `by a person on the hub (ada)`, `by the agent`; empty if not recorded. */
export function actorPhrase(entry: Json | undefined): string {
  const [actor, channel = ''] = [nameIn(entry, 'actor'), nameIn(entry, 'channel')];
  switch (actor) {
    case undefined:
    case UNKNOWN:
      return '';
    case 'person':
      return `by a person${PERSONS_WAYS[channel] ?? ''}${named(entry, channel)}`;
    case 'skill':
      return 'by a skill';
    case 'system':
      return channel === 'cli' ? 'by a script without a terminal' : 'by the system';
    default:
      return `by the ${actor}`;
  }
}

/** Only the hub knows people's names: they sign in there. */
function named(entry: Json | undefined, channel: string): string {
  const name = channel === 'hub' ? nameIn(entry, 'by') : undefined;
  return name === undefined ? '' : ` (${name.replace(/\s+/g, ' ')})`;
}

export function actorPhraseOrUnknown(entry: Json | undefined): string {
  return actorPhrase(entry) || 'by whom is unknown';
}

/** `undefined` unless the entry records both. */
export function whoFrom(entry: Json | undefined): Who | undefined {
  const [actor, channel] = [nameIn(entry, 'actor'), nameIn(entry, 'channel')];
  return actor === undefined || channel === undefined ? undefined : ({ actor, channel } as Who);
}

/** For JSON output: both fields are always present. */
export function whoJson(entry: Json | undefined): { readonly actor: string; readonly channel: string } {
  return { actor: nameIn(entry, 'actor') ?? UNKNOWN, channel: nameIn(entry, 'channel') ?? UNKNOWN };
}
