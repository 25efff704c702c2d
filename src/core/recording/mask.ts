import { isJsonObject, type Json, type JsonObject } from '../json';
import { mapTexts } from './places';

/** Stands where a secret stood. Of any length, and a plain word to a shell. */
export const MASKED = '«masked»';

/** What names a secret, in any spelling: `apiKey`, `DB_PASSWORD`, `x-auth-token`. */
const SECRET_WORDS =
  'pass(?:word|wd|phrase|code)?s?|secrets?|credentials?|token|api_?key|access_?key|secret_?key|private_?key|signing_?key|encryption_?key|authorization|bearer|cookie|jwt|dsn|connection_?string';
const SECRET_NAME = new RegExp(`(?:^|_)(?:${SECRET_WORDS}|.+_pwd)(?:_?(?:value|b64|base64|\\d+))?$`);
/** Names that contain such a word and are none: they name a secret, count it or say where it is. */
const HARMLESS =
  /(?:^|_)(?:tokens|token_(?:count|limit|type|budget|usage)|pass|author|auth_(?:type|mode|method)|cookie_(?:name|domain|path)|secret_(?:name|id|ref)|.*_(?:file|path|dir|url|name|type|length|count))$/;
/** `pass` alone is an ordinary word; in a variable such as `DB_PASS` it is not. */
const PASS_VARIABLE = /^[A-Z][A-Z0-9_]*_PASS$/;

/** Whether a key, a variable or a flag of this name holds a secret. */
export function isSecretName(name: string): boolean {
  if (PASS_VARIABLE.test(name) || /^[_x-]*auth$/i.test(name)) return true;
  // The name of a file or of a branch.
  if (name.includes('/')) return false;
  const snake = name
    .replace(/([a-z0-9])([A-Z])/g, '$1_$2')
    .replace(/[^A-Za-z0-9]+/g, '_')
    .toLowerCase();
  return (SECRET_NAME.test(snake) || /(?:password|passwd|apikey)$/.test(snake)) && !HARMLESS.test(snake);
}

/**
 * Tokens that are known by their form, wherever they stand. No pattern here begins in the middle of a run of the letters it
 * takes, so that even a text made for it is read once.
 */
const TOKENS: readonly RegExp[] = [
  /-----BEGIN (?:[A-Z0-9]+ ){0,3}PRIVATE KEY(?: BLOCK)?-----(?:(?!-----END)[\s\S])*(?:-----END (?:[A-Z0-9]+ ){0,3}PRIVATE KEY(?: BLOCK)?-----)?/g,
  /(?<![\w-])gh[pousr]_[A-Za-z0-9]{16,}\b/g,
  /(?<![\w-])github_pat_[A-Za-z0-9_]{20,}\b/g,
  /(?<![\w-])glpat-[A-Za-z0-9_-]{16,}/g,
  /(?<![\w-])sk-[A-Za-z0-9_-]{16,}/g,
  /(?<![\w-])(?:AKIA|ASIA|AROA|AIDA)[A-Z0-9]{16}\b/g,
  /(?<![\w-])AIza[A-Za-z0-9_-]{30,}/g,
  /(?<![\w-])ya29\.[A-Za-z0-9_-]{16,}/g,
  /(?<![\w-])GOCSPX-[A-Za-z0-9_-]{16,}/g,
  /(?<![\w-])xox[abeoprs]-[A-Za-z0-9-]{10,}/g,
  /(?<![\w-])xapp-[A-Za-z0-9-]{10,}/g,
  /(?<=hooks\.slack\.com\/services\/)[A-Za-z0-9/]{16,}/g,
  /(?<![\w-])npm_[A-Za-z0-9]{20,}\b/g,
  /(?<![\w-])pypi-[A-Za-z0-9_-]{20,}/g,
  /(?<![\w-])[rs]k_(?:live|test)_[A-Za-z0-9]{10,}\b/g,
  /(?<![\w-])whsec_[A-Za-z0-9]{10,}/g,
  /(?<![\w-])SG\.[A-Za-z0-9_-]{16,}\.[A-Za-z0-9_-]{16,}/g,
  /(?<![\w-])dop_v1_[a-f0-9]{32,}\b/g,
  /(?<![\w-])hf_[A-Za-z0-9]{20,}\b/g,
  /(?<![\w-])hp[ti]_[A-Za-z0-9_-]{12,}/g,
  /(?<![\w-])eyJ[A-Za-z0-9_-]{8,}\.[A-Za-z0-9_-]{8,}(?:\.[A-Za-z0-9_-]*)?/g,
];

/** The word before the sign, the sign, and what is assigned: in quotes, or up to the next space or sign of a shell. */
const VALUE = String.raw`"(?:[^"\\\n]|\\.)*"|'[^'\n]*'|[^\s"'\`;&|<>(),}\]]+`;
const ASSIGNED = new RegExp(String.raw`(?<![\w.$-])(-{0,2}[A-Za-z_$][\w.-]*)(=|%3[dD])(${VALUE})`, 'g');
/** In JSON, YAML and source text: only literals, and what no source would have as a value. */
const KEYED =
  /(?<![\w.$-])(\\?["']?)(?<![\w.$-])([A-Za-z_$][\w.-]*)(\1\s{0,40}(?::=|=>|[:=])\s{0,40})(\\?"(?:[^"\\\n]|\\(?!"))*\\?"|'[^'\n]*'|\S+)/g;
const FLAG = new RegExp(String.raw`(?<=^|\s)(--?[A-Za-z][\w-]*)(\s+)(?!-)(${VALUE})`, 'g');

/** Text in which every secret that can be told as one is replaced. */
export function maskText(text: string): string {
  // Without any of these there is nothing to find, and most texts are long.
  if (!/[=:@]|-----|\b[A-Za-z]{2,}[_-]|eyJ|AIza|A[KS]IA|SG\.|ya29|\s-/.test(text)) return text;
  let masked = text;
  for (const token of TOKENS) masked = masked.replace(token, MASKED);
  return masked
    .replace(
      /(?<![\w+.-])([a-z][a-z0-9+.-]{0,30}:\/\/[^\s/:@"'`]{0,200}):([^\s/@"'`]{1,500})@/gi,
      `$1:${MASKED}@`,
    )
    .replace(/\b(Bearer|Basic|Digest|Token)(\s+)(?!«)([A-Za-z0-9+/_.~=-]{8,})/g, onlyOdd)
    .replace(
      /(?<![\w-])((?:Set-)?Cookie|(?:Proxy-)?Authorization|X-[A-Za-z-]{0,40}(?:Token|Key|Secret|Auth))(:\s{0,9})(?!«)([^\n"'`]+)/gi,
      (_all, name: string, sign: string, value: string) => `${name}${sign}${headerValue(value)}`,
    )
    .replace(/(\bcurl\b[^\n|;&]{0,500}?\s(?:-u|--user)[\s=]+["']?)([^\s"':]+):([^\s"']+)/g, `$1$2:${MASKED}`)
    .replace(/(\bsshpass\s+-p\s*)(?!«)(\S+)/g, `$1${MASKED}`)
    .replace(/(\b(?:mysql|mysqldump|mariadb)\b[^\n|;&]{0,500}?\s-p)(?![\s«])([^\s;&|]+)/g, `$1${MASKED}`)
    .replace(FLAG, (all, flag: string, space: string, value: string) =>
      isSecretName(flag.replace(/^-+/, '')) && flag.startsWith('--')
        ? `${flag}${space}${inQuotes(value)}`
        : all,
    )
    .replace(ASSIGNED, (all, name: string, sign: string, value: string) =>
      isSecretName(name) && !isReference(name, value) ? `${name}${sign}${inQuotes(value)}` : all,
    )
    .replace(KEYED, (all, quote: string, name: string, sign: string, value: string) =>
      isSecretName(name) && isLiteral(value, quote !== '') ? `${quote}${name}${sign}${inQuotes(value)}` : all,
    );
}

/** After `Bearer` an ordinary word may follow; a token has digits or signs in it. */
function onlyOdd(all: string, scheme: string, space: string, value: string): string {
  return /\d|[+/_.~=-]/.test(value) || value.length >= 20 ? `${scheme}${space}${MASKED}` : all;
}

function headerValue(value: string): string {
  const [scheme] = /^(?:Bearer|Basic|Digest|Token)\s+/i.exec(value) ?? [''];
  return /^\s*(?:\$|<|\{)/.test(value.slice(scheme.length)) || value.includes(MASKED)
    ? value
    : `${scheme}${MASKED}`;
}

/** The quotes stay, so that a command line has as many words as before. */
function inQuotes(value: string): string {
  const [, open = '', close = ''] = /^(\\?["'])[\s\S]*?(\\?["'])$/.exec(value) ?? [];
  return `${open}${MASKED}${close}`;
}

const LONGEST_REFERENCE = 200;

/** Not the secret itself but where it comes from: `$TOKEN`, an environment lookup, `token=token`, `password=None`. */
function isReference(name: string, value: string): boolean {
  const plain = value.replace(/^["']|["']$/g, '');
  if (plain === '' || plain === MASKED || /^[$<{%]/.test(plain) || plain.startsWith('«')) return true;
  if (/^(?:true|false|null|nil|none|undefined|yes|no|\.\.\.|x+|\*+)$/i.test(plain)) return true;
  if (plain.length > LONGEST_REFERENCE) return false;
  const isVariable = /^[A-Z][A-Z0-9_]*$/.test(name);
  return !isVariable && (plain === name || /^(?:[A-Za-z_$][\w$]*[.([])+[\w$.()[\]]*$/.test(plain));
}

/** What follows a colon or a spaced sign in source text is mostly code: only a literal there is a secret. */
function isLiteral(value: string, isQuotedName: boolean): boolean {
  const [, inner] = /^\\?["']([\s\S]*?)\\?["']$/.exec(value) ?? [];
  if (inner !== undefined) return inner !== '' && !inner.includes(MASKED) && !/^[$<{]|^\s*$/.test(inner);
  const plain = value.replace(/[,;]+$/, '');
  if (isQuotedName || /[()[\]{}<>«$"'`|\\]/.test(plain) || plain.length < 6) return false;
  return /\d/.test(plain) && /[A-Za-z]/.test(plain) && !/^[A-Za-z_]\w*(?:\.\w+)+$/.test(plain);
}

/** A document with the values of keys that name secrets masked, and every text in it. */
export function mask(value: Json): Json {
  return maskMembers(value, (key, member) => (isSecretName(key) ? maskAll(member) : undefined));
}

/** A document with its texts masked, but for the members in whose place `hidden` puts something else. */
function maskMembers(value: Json, hidden: (key: string, member: Json) => Json | undefined): Json {
  if (typeof value === 'string') return maskText(value);
  if (Array.isArray(value)) return value.map((one) => maskMembers(one, hidden));
  if (!isJsonObject(value)) return value;
  const masked: Record<string, Json> = {};
  for (const [key, member] of Object.entries(value)) {
    if (member !== undefined) masked[key] = hidden(key, member) ?? maskMembers(member, hidden);
  }
  return masked;
}

/** Shorter ones could stand anywhere by chance. */
const SHORTEST_SECRET = 4;

/** What was masked in a document: rules make other texts of it, such as paths, in which nothing names it. */
export function secretsIn(value: Json, masked: Json): string[] {
  if (typeof value === 'string') return typeof masked === 'string' ? hiddenIn(value, masked) : [];
  if (typeof value !== 'object' || value === null || typeof masked !== 'object' || masked === null) return [];
  const others = masked as JsonObject;
  return Object.entries(value as JsonObject).flatMap(([key, member]) =>
    member === undefined ? [] : secretsIn(member, others[key] ?? null),
  );
}

function hiddenIn(text: string, masked: string): string[] {
  const [first = '', ...pieces] = masked.split(MASKED);
  let at = first.length;
  return pieces.flatMap((piece, index) => {
    const end = index === pieces.length - 1 ? text.length - piece.length : text.indexOf(piece, at);
    const hidden = end > at ? text.slice(at, end) : '';
    at = Math.max(at, end) + piece.length;
    return hidden.length >= SHORTEST_SECRET ? [hidden] : [];
  });
}

/** Names of members in files of ours that are secrets; any other key may be the name of a rule or a branch. */
const OWN_SECRETS = ['token', 'secret', 'password', 'passphrase', 'private_key', 'api_key'];

/** State and facts of ours: the same, but for the keys. */
export function maskOwn(value: Json): Json {
  return maskMembers(value, (key, member) =>
    OWN_SECRETS.includes(key) && typeof member === 'string' ? MASKED : undefined,
  );
}

/** Every text below a key that names a secret. Numbers and flags tell nothing. */
function maskAll(value: Json): Json {
  return mapTexts(
    value,
    (text) => text && MASKED,
    (key) => key,
  );
}
