import { jsonIn } from '../core/json';

/*
 * The protocol between client and server. A request is a header of lines, an empty line and the event as the
 * host sent it. A shell can parse the reply.
 */

/** The first line of every request and the first word of every reply. Other protocol versions differ here. */
export const VERSION = 'HP1';
/** Tells the client to handle the event in a process of its own. */
export const HANDLE_ALONE = 'alone\n';
/** Sent while an event takes long, so that the client keeps waiting; may come before any reply. */
export const STILL_WORKING = '\n';
const LARGEST_HEADER = 64 * 1024;
export const LARGEST_REQUEST = 16 * 1024 * 1024;
const HEADER_END = '\n\n';

/** Every environment variable that a decision depends on. The client sends those that are set, no others. */
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

/** A complete request. */
export interface Request {
  readonly header: Header;
  readonly document: string;
}

/**
 * Parses what has arrived so far: a complete request, `more` if it is incomplete, or `refused` if it is too
 * large or of an unknown version. Not every client can close only its sending side, so a complete JSON
 * document ends the request as well. A control request has no document.
 */
export function readRequest(bytes: Buffer, isEnd: boolean): Request | 'more' | 'refused' {
  const end = bytes.indexOf(HEADER_END);
  if (end < 0) return isEnd || bytes.length > LARGEST_HEADER ? 'refused' : 'more';
  const header = parseHeader(bytes.toString('utf8', 0, end));
  if (header === undefined || bytes.length > LARGEST_REQUEST) return 'refused';
  const document = bytes.toString('utf8', end + HEADER_END.length);
  return isEnd || header.ask !== undefined || isWhole(document) ? { header, document } : 'more';
}

/** Whether a request may end with this piece: with the empty line after its header, or with its document. */
export function mayEndRequest(piece: Buffer): boolean {
  return /[\s}]/.test(String.fromCharCode(piece.at(-1) ?? 0));
}

/** Looks at the last character first, to avoid parsing incomplete documents. */
function isWhole(document: string): boolean {
  return document.trimEnd().endsWith('}') && jsonIn(document.replace(/^\ufeff/, '')) !== undefined;
}

/** Parses the header; `undefined` if this version does not know one of its lines. */
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

/** What a process of its own would have printed, and its exit code. */
export interface HookOutput {
  readonly exitCode: number;
  readonly stdout: string;
  readonly stderr: string;
}

/**
 * The first line names the mark that ends each text; a reply that does not end with it is incomplete. The
 * mark begins and ends with different characters, so that no text can run into it.
 */
export function formatReply({ exitCode, stdout, stderr }: HookOutput): string {
  let mark = '#hp:';
  for (let tries = 1; stdout.includes(mark) || stderr.includes(mark); tries++) mark = `#hp${tries}:`;
  return `${VERSION} ${exitCode} ${mark}\n${stderr}${mark}${stdout}${mark}`;
}

/** Parses a reply; `undefined` if it is not complete. */
export function parseReply(text: string): HookOutput | undefined {
  const reply = text.trimStart();
  const end = reply.indexOf('\n');
  const [version, code = '', mark = ''] = reply.slice(0, Math.max(end, 0)).split(' ');
  const parts = reply.slice(end + 1).split(mark);
  const [stderr, stdout, rest] = parts;
  if (version !== VERSION || mark === '' || !/^\d$/.test(code) || parts.length !== 3) return undefined;
  if (stdout === undefined || stderr === undefined || rest !== '') return undefined;
  return { exitCode: Number(code), stdout, stderr };
}
