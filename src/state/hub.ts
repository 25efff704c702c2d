import { rmSync } from 'node:fs';
import { isJsonObject, type Json, type JsonObject, nameIn, objectsIn, textIn } from '../core/json';
import { digest, sha256Hex } from '../core/text';
import { type DocumentRef, OWN_DIR } from './documents';
import { writeFileAtomic } from './files';
import { HUB, isJoined } from './journal';

/* What this machine knows of its hub, and the hub's name for a project. Read by the guard, the uplink and commands. */

/** The hub's name for this project. The uplink writes it, so that the hook need not ask git. */
export const HUB_PROJECT: DocumentRef = {
  base: 'own',
  path: 'hub-project.json',
  format: 'json',
  durability: 'durable',
};

/** A key rotation: a statement about the new key, signed with the previous one. */
export type KeyLink = { readonly statement: string; readonly signature: string };

export interface Joined {
  readonly url: string;
  /** The hub's id for this machine. */
  readonly machine: string;
  readonly name: string;
  readonly token: string;
  /** The pinned public key, as SPKI DER in base64. */
  readonly key: string;
  /** The keys that replaced it, oldest first. */
  readonly chain: readonly KeyLink[];
  /** The hub's message when it refused our token. */
  readonly refused?: string | undefined;
}

/** A checksum that tells what `holdpoint join` wrote from a manual edit. It stops shortcuts, not an attacker. */
function sealOf({ url, machine, token, key, chain }: Joined): string {
  return digest(['hub', url, machine, token, key, ...chain.map((one) => one.signature)].join('\n'));
}

/** The hub in the document; `undefined` if this machine has not joined one, or the checksum is wrong. */
export function joinedIn(value: Json | undefined): Joined | undefined {
  const [url, machine, token, key] = ['url', 'machine', 'token', 'key'].map((name) => nameIn(value, name));
  if (url === undefined || machine === undefined || token === undefined || key === undefined)
    return undefined;
  const chain = objectsIn(value, 'chain').map((one) => ({
    statement: textIn(one, 'statement') ?? '',
    signature: textIn(one, 'signature') ?? '',
  }));
  const name = nameIn(value, 'name') ?? machine;
  const joined: Joined = { url, machine, name, token, key, chain, refused: nameIn(value, 'refused') };
  return textIn(value, 'seal') === sealOf(joined) ? joined : undefined;
}

export function writeJoined(home: string, joined: Joined): void {
  const { refused, ...rest } = joined;
  const value = { version: 1, ...rest, ...(refused && { refused }), seal: sealOf(joined) };
  writeFileAtomic(`${home}/${HUB.path}`, `${JSON.stringify(value, null, 2)}\n`, { durable: true });
}

/** Whether this machine has joined a hub, or its environment tells it to join one. */
export function hasHub(home: string, env: Readonly<Record<string, string | undefined>>): boolean {
  return isJoined(home) || (env['HOLDPOINT_HUB_URL'] ?? '') !== '';
}

export function removeJoined(home: string): void {
  rmSync(`${home}/${HUB.path}`, { force: true });
}

/** A project as the hub knows it. */
export interface HubProject {
  readonly id: string;
  readonly name: string;
  /** Earlier ids, such as the one before the project got a remote. */
  readonly former: readonly string[];
}

/** The project in the document, if the document was written for this place. */
export function hubProjectIn(value: Json | undefined, place: string): HubProject | undefined {
  const id = nameIn(value, 'id');
  if (id === undefined || !isJsonObject(value) || textIn(value, 'place') !== place) return undefined;
  const former = Array.isArray(value['former']) ? value['former'].map(String) : [];
  return { id, name: textIn(value, 'name') ?? '', former };
}

export function hubProjectJson({ id, name, former }: HubProject, place: string): JsonObject {
  return { version: 1, id, name, place, former: [...former] };
}

/**
 * Identifies the directory where a project keeps its state. It is part of every signed approval, so an approval that is
 * copied to another project does not count there, whatever that project calls itself.
 */
export function placeDigest(gitDir: string): string {
  return `place:${sha256Hex(gitDir)}`;
}

/** The directory with a project's state: git's common directory, which all work trees share, or else our own. */
export function stateDirectoryOf(root: string, git: { readonly commonDir: string } | undefined): string {
  return git?.commonDir ?? `${root}/${OWN_DIR}`;
}
