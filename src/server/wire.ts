import { jsonIn } from '../core/json';

/*
 * What a client and the server say to each other. A request is a header of lines, an empty line and the event as the
 * host sent it. A reply can be taken apart by a shell.
 */

/** The first line of every request and the first word of every reply. Another version begins otherwise. */
export const VERSION = 'HP1';
/** Leaves the event to the process that the host has started. */
export const ALONE = 'alone\n';
/** Sent while an event takes long, so that the client goes on waiting; it may stand before any reply. */
export const STILL_WORKING = '\n';
const LARGEST_HEADER = 64 * 1024;
export const LARGEST_REQUEST = 16 * 1024 * 1024;
const HEADER_END = '\n\n';

/** Every variable that deciding an event looks at. The client sends those that are set; there are no others. */
export const ENVIRONMENT = [
  'HOME',
  'CLAUDE_PROJECT_DIR',
  'CLAUDE_PID',
  'CLAUDE_PLUGIN_ROOT',
  'CLAUDE_CODE_SESSION_ATTENDED',
  'CLAUDE_CODE_ENTRYPOINT',
  'CLAUDE_CODE_STOP_HOOK_BLOCK_CAP',
  'HOLDPOINT_DISABLE',
  'CLAUDE_SKIP_REQUIREMENTS',
  'IDLE_LOOP_DISABLE',
  'GAUNTLET_STOP_HOOK_ACTIVE',
  'GAUNTLET_STOP_HOOK_ENABLED',
  'GAUNTLET_STOP_HOOK_INTERVAL_MINUTES',
  'ISDLC_PROJECT',
  'ISDLC_MODEL_OVERRIDE',
  'SKILL_VALIDATOR_DEBUG',
  'JWZ_STORE',
  'COPILOT_HOME',
  'CLAUDE_CONFIG_DIR',
  'CODEX_HOME',
  'XDG_CONFIG_HOME',
] as const;

const KEYS = ['ask', 'dist', 'args', 'pid', 'parent', 'cwd', 'machine'] as const;

export interface Header extends Readonly<Partial<Record<(typeof KEYS)[number], string>>> {
  readonly env: Readonly<Partial<Record<string, string>>>;
}

/** A request of which everything has arrived. */
export interface Request {
  readonly header: Header;
  readonly document: string;
}

/**
 * What has arrived so far: a whole request, nothing to go by yet, or `refused` where it is too large or of a version
 * that we do not speak. Not every client can close one direction alone, so a document that is whole ends the request
 * as well. A control request has no document.
 */
export function readRequest(bytes: Buffer, isEnd: boolean): Request | 'more' | 'refused' {
  const end = bytes.indexOf(HEADER_END);
  if (end < 0) return isEnd || bytes.length > LARGEST_HEADER ? 'refused' : 'more';
  const header = parseHeader(bytes.toString('utf8', 0, end));
  if (header === undefined || bytes.length > LARGEST_REQUEST) return 'refused';
  const document = bytes.toString('utf8', end + HEADER_END.length);
  return isEnd || header.ask !== undefined || isWhole(document) ? { header, document } : 'more';
}

/** Whether a request can end with this piece: with the empty line of its header, or with its document. */
export function mayBeLast(piece: Buffer): boolean {
  return /[\s}]/.test(String.fromCharCode(piece.at(-1) ?? 0));
}

/** Parsed only where it can be whole at all. */
function isWhole(document: string): boolean {
  return document.trimEnd().endsWith('}') && jsonIn(document) !== undefined;
}

/** The header's lines; `undefined` for what this version does not know. */
function parseHeader(text: string): Header | undefined {
  const [version, ...lines] = text.split('\n');
  if (version !== VERSION) return undefined;
  const env: Record<string, string> = {};
  const own: Record<string, string> = {};
  for (const line of lines) {
    const at = line.indexOf('=');
    const name = line.slice(0, at);
    if ((ENVIRONMENT as readonly string[]).includes(name)) env[name] = line.slice(at + 1);
    else if ((KEYS as readonly string[]).includes(name)) own[name] = line.slice(at + 1);
    else return undefined;
  }
  return { ...own, env };
}

/** What a process of its own would have printed, and how it would have ended. */
export interface Spoken {
  readonly exitCode: number;
  readonly stdout: string;
  readonly stderr: string;
}

/**
 * The mark that ends each text stands in the first line; what does not end with it is not whole. It begins and ends
 * differently, so that no text runs into it.
 */
export function formReply({ exitCode, stdout, stderr }: Spoken): string {
  let mark = '#hp:';
  for (let tries = 1; stdout.includes(mark) || stderr.includes(mark); tries++) mark = `#hp${tries}:`;
  return `${VERSION} ${exitCode} ${mark}\n${stderr}${mark}${stdout}${mark}`;
}

/** The reverse; `undefined` for anything that is not a whole reply. */
export function parseReply(text: string): Spoken | undefined {
  const reply = text.trimStart();
  const end = reply.indexOf('\n');
  const [version, code = '', mark = ''] = reply.slice(0, Math.max(end, 0)).split(' ');
  const parts = reply.slice(end + 1).split(mark);
  const [stderr, stdout, rest] = parts;
  if (version !== VERSION || mark === '' || !/^\d$/.test(code) || parts.length !== 3) return undefined;
  if (stdout === undefined || stderr === undefined || rest !== '') return undefined;
  return { exitCode: Number(code), stdout, stderr };
}
