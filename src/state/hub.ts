import { appendFileSync, existsSync, rmSync } from 'node:fs';
import { isJsonObject, type Json, type JsonObject, nameIn, objectsIn, textIn } from '../core/json';
import { digest, sha256Hex } from '../core/text';
import { type DocumentRef, OWN_DIR } from './documents';
import { inPrivateDirectory, readSmallFile, writeFileAtomic } from './files';

/* What this machine knows of its hub, and what a project is called there. Read by the guard, the uplink and commands. */

/** The hub that this machine has joined: its token, and the key that was pinned when it joined. */
export const HUB: DocumentRef = {
  base: 'home',
  path: '.config/holdpoint/hub.json',
  format: 'json',
  keeping: 'durable',
};

/** What the hub calls this project; written by the uplink, so that the hook need not ask git. */
export const HUB_PROJECT: DocumentRef = {
  base: 'own',
  path: 'hub-project.json',
  format: 'json',
  keeping: 'durable',
};

/** A key that took over from the one before: what that one has signed. */
export type KeyLink = { readonly statement: string; readonly signature: string };

export interface Joined {
  readonly url: string;
  /** The id by which the hub knows this machine. */
  readonly machine: string;
  readonly name: string;
  readonly token: string;
  /** The public key that was pinned, as SPKI DER in base64. */
  readonly key: string;
  /** The keys that took over from it, the oldest first. */
  readonly chain: readonly KeyLink[];
  /** What the hub said when it refused our token. */
  readonly refused?: string | undefined;
}

/** Tells what `holdpoint join` has written from what somebody wrote into the file. It keeps out only short cuts. */
function sealOf({ url, machine, token, key, chain }: Joined): string {
  return digest(['hub', url, machine, token, key, ...chain.map((one) => one.signature)].join('\n'));
}

/** The hub in the document; `undefined` where this machine has not joined one, or the file is not ours. */
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

/** Whether this machine has joined a hub, or is to join one by its environment. */
export function hasHub(home: string, env: Readonly<Record<string, string | undefined>>): boolean {
  return existsSync(`${home}/${HUB.path}`) || (env['HOLDPOINT_HUB_URL'] ?? '') !== '';
}

export function removeJoined(home: string): void {
  rmSync(`${home}/${HUB.path}`, { force: true });
}

/** A project as the hub knows it. */
export interface HubProject {
  readonly id: string;
  readonly name: string;
  /** Ids that it had before, as until it got a remote. */
  readonly former: readonly string[];
}

/** The project in the document, if that was written for this very place. */
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
 * Stands for the place where a project keeps its state. It is part of every signed approval, so that one which is copied
 * to another project does not count there, whatever that calls itself.
 */
export function placeDigest(gitDir: string): string {
  return `place:${sha256Hex(gitDir)}`;
}

/** The directory that holds a project's state: that of git, which all of its work trees share, else our own. */
export function placeBelow(root: string, git: { readonly commonDir: string } | undefined): string {
  return git?.commonDir ?? `${root}/${OWN_DIR}`;
}

/** The projects of this machine that its hub hears of, a root on each line. */
const PROJECTS_FILE = '.config/holdpoint/uplink/projects';
const LARGEST_LIST = 1024 * 1024;

export function notedProjects(home: string): string[] {
  return readSmallFile(`${home}/${PROJECTS_FILE}`, LARGEST_LIST)?.split('\n').filter(Boolean) ?? [];
}

/** Adds a project to the list, by one append. */
export function noteProject(home: string, root: string): void {
  if (root.includes('\n') || notedProjects(home).includes(root)) return;
  const file = `${home}/${PROJECTS_FILE}`;
  inPrivateDirectory(file, () => appendFileSync(file, `${root}\n`, { mode: 0o600 }));
}
