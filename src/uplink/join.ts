import { createPublicKey } from 'node:crypto';
import { attempt, fail, type Result, succeed } from '../core/failure';
import { nameIn } from '../core/json';
import { type Joined, writeJoined } from '../state/hub';
import { ask } from './api';

/** Why a machine could not join; `isFinal` if a retry does not help. */
export interface NotJoined {
  readonly why: string;
  readonly isFinal: boolean;
}

const never = (why: string) => fail({ why, isFinal: true });

/** Redeems an invitation: stores this machine's token and pins the hub's key. */
export async function joinHub(
  home: string,
  { url: given, code, name }: { readonly url: string; readonly code: string; readonly name: string },
): Promise<Result<Joined, NotJoined>> {
  const url = addressIn(given);
  if (url === undefined)
    return never(`${given} is not the address of a hub. Give one such as https://hub.example.com.`);
  const reply = await ask({ url }, '/join', { code, name });
  if (reply.kind === 'away')
    return fail({ why: `The hub at ${url} cannot be reached: ${reply.why}.`, isFinal: false });
  if (reply.kind === 'refused') return never(reply.why);
  const [machine, token, key] = ['machine', 'token', 'key'].map((word) => nameIn(reply.value, word));
  if (machine === undefined || token === undefined || key === undefined || !isKey(key))
    return never(`The server at ${url} is not a hub, or not of this version.`);
  // The hub may have given it another name.
  const joined: Joined = { url, machine, name: nameIn(reply.value, 'name') ?? name, token, key, chain: [] };
  writeJoined(home, joined);
  return succeed(joined);
}

/** The URL without trailing slashes; `undefined` if it is not an HTTP URL. */
function addressIn(given: string): string | undefined {
  const { protocol, origin, pathname } = attempt(() => new URL(given)) ?? {};
  if (protocol !== 'http:' && protocol !== 'https:') return undefined;
  return `${origin}${pathname}`.replace(/\/+$/, '');
}

/** Whether it is a public key of the kind that hubs sign with. */
function isKey(key: string): boolean {
  const der = { key: Buffer.from(key, 'base64'), format: 'der', type: 'spki' } as const;
  return attempt(() => createPublicKey(der))?.asymmetricKeyType === 'ed25519';
}
