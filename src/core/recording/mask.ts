import { isJsonObject, type Json, type JsonObject } from '../json';
import { mapTexts } from './path-placeholders';

/** Replaces a secret of any length; a plain word to a shell. */
export const MASKED = '«masked»';

/** Words in names of secrets, in any spelling: `apiKey`, `DB_PASSWORD`, `x-auth-token`. */
const SECRET_WORDS =
  'pass(?:word|wd|phrase|code)?s?|secrets?|credentials?|token|api_?key|access_?key|secret_?key|private_?key|signing_?key|encryption_?key|authorization|bearer|cookie|jwt|dsn|connection_?string';
const SECRET_NAME = new RegExp(`(?:^|_)(?:${SECRET_WORDS}|.+_pwd)(?:_?(?:value|base|b64|base64|\\d+))?$`);
/** Names that contain such a word but no secret: they name it, count it or say where it is. */
const HARMLESS =
  /(?:^|_)(?:tokens|token_(?:count|limit|type|budget|usage)|pass|author|auth_(?:type|mode|method)|cookie_(?:name|domain|path)|secret_(?:name|id|ref)|.*_(?:file|path|dir|url|name|type|length|count))$/;
/** `pass` alone is an ordinary word, but not in a variable such as `DB_PASS`. */
const PASS_VARIABLE = /^[A-Z][A-Z0-9_]*_PASS$/;

/** Whether a key, variable or flag of this name contains a secret. */
export function isSecretName(name: string): boolean {
  if (PASS_VARIABLE.test(name) || /^[_x-]*auth$/i.test(name)) return true;
  // A file or branch name.
  if (name.includes('/')) return false;
  const snake = name
    .replace(/([a-z0-9])([A-Z])/g, '$1_$2')
    .replace(/[^A-Za-z0-9]+/g, '_')
    .toLowerCase();
  return (SECRET_NAME.test(snake) || /(?:password|passwd|apikey)$/.test(snake)) && !HARMLESS.test(snake);
}

/**
 * Tokens that are recognised by their form, anywhere in a text. No pattern can start in the middle of a run
 * of characters that it matches, so that even a crafted text is scanned only once.
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

/** A name, the sign and the assigned value: quoted, or up to the next space or shell operator. */
const VALUE = String.raw`"(?:[^"\\\n]|\\.)*"|'[^'\n]*'|[^\s"'\`;&|<>(),}\]]+`;
const ASSIGNED = new RegExp(String.raw`(?<![\w.$-])(-{0,2}[A-Za-z_$][\w.-]*)(=|%3[dD])(${VALUE})`, 'g');
/** In JSON, YAML and source code: only literals, and values that no source code would contain. */
const KEYED =
  /(?<![\w.$-])(\\?["']?)(?<![\w.$-])([A-Za-z_$][\w.-]*)(\1\s{0,40}(?::=|=>|[:=])\s{0,40})(\\?"(?:[^"\\\n]|\\(?!"))*\\?"|'[^'\n]*'|\S+)/g;
const FLAG = new RegExp(String.raw`(?<=^|\s)(--?[A-Za-z][\w-]*)(\s+)(?!-)(${VALUE})`, 'g');

/** Replaces every secret in a text that can be recognised. */
export function maskText(text: string): string {
  // Most texts are long; without any of these there is nothing to find.
  if (!/[=:@]|-----|\b[A-Za-z]{2,}[_-]|eyJ|AIza|A[KS]IA|SG\.|ya29|\s-/.test(text)) return text;
  let masked = text;
  for (const token of TOKENS) masked = masked.replace(token, MASKED);
  return masked
    .replace(
      /(?<![\w+.-])([a-z][a-z0-9+.-]{0,30}:\/\/[^\s/:@"'`]{0,200}):([^\s/@"'`]{1,500})@/gi,
      `$1:${MASKED}@`,
    )
    .replace(/\b(Bearer|Basic|Digest|Token)(\s+)(?!«)([A-Za-z0-9+/_.~=-]{8,})/g, maskTokens)
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

/** `Bearer` may precede an ordinary word; a token contains digits or punctuation. */
function maskTokens(all: string, scheme: string, space: string, value: string): string {
  return /\d|[+/_.~=-]/.test(value) || value.length >= 20 ? `${scheme}${space}${MASKED}` : all;
}

function headerValue(value: string): string {
  const [scheme] = /^(?:Bearer|Basic|Digest|Token)\s+/i.exec(value) ?? [''];
  return /^\s*(?:\$|<|\{)/.test(value.slice(scheme.length)) || value.includes(MASKED)
    ? value
    : `${scheme}${MASKED}`;
}

/** Keeps the quotes, so that a command line has as many words as before. */
function inQuotes(value: string): string {
  const [, open = '', close = ''] = /^(\\?["'])[\s\S]*?(\\?["'])$/.exec(value) ?? [];
  return `${open}${MASKED}${close}`;
}

const LONGEST_REFERENCE = 200;

/** Not a secret but a reference to one: `$TOKEN`, an environment lookup, `token=token`, `password=None`. */
function isReference(name: string, value: string): boolean {
  const plain = value.replace(/^["']|["']$/g, '');
  if (plain === '' || plain === MASKED || /^[$<{%]/.test(plain) || plain.startsWith('«')) return true;
  if (/^(?:true|false|null|nil|none|undefined|yes|no|\.\.\.|x+|\*+)$/i.test(plain)) return true;
  if (plain.length > LONGEST_REFERENCE) return false;
  const isVariable = /^[A-Z][A-Z0-9_]*$/.test(name);
  return !isVariable && (plain === name || /^(?:[A-Za-z_$][\w$]*[.([])+[\w$.()[\]]*$/.test(plain));
}

/** After a colon or a spaced sign, source code mostly has expressions: only a literal is a secret there. */
function isLiteral(value: string, isQuotedName: boolean): boolean {
  const [, inner] = /^\\?["']([\s\S]*?)\\?["']$/.exec(value) ?? [];
  if (inner !== undefined) return inner !== '' && !inner.includes(MASKED) && !/^[$<{]|^\s*$/.test(inner);
  const plain = value.replace(/[,;]+$/, '');
  if (isQuotedName || /[()[\]{}<>«$"'`|\\]/.test(plain) || plain.length < 6) return false;
  return /\d/.test(plain) && /[A-Za-z]/.test(plain) && !/^[A-Za-z_]\w*(?:\.\w+)+$/.test(plain);
}

/** Masks the values of keys that name secrets, and the secrets in every text. */
export function mask(value: Json): Json {
  return maskMembers(value, (key, member) => (isSecretName(key) ? maskAll(member) : undefined));
}

/** Masks the texts of a document, except for members that `hidden` replaces. */
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

/** Shorter ones could occur anywhere by chance. */
const SHORTEST_SECRET = 4;

/** The texts that were masked: rules derive others from them, such as paths, that nothing marks as secret. */
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

/** Keys in our own files whose values are secrets; any other key may be the name of a rule or a branch. */
const OWN_SECRETS = ['token', 'secret', 'password', 'passphrase', 'private_key', 'api_key'];

/** The same for our own state and facts, with these keys only. */
export function maskOwn(value: Json): Json {
  return maskMembers(value, (key, member) =>
    OWN_SECRETS.includes(key) && typeof member === 'string' ? MASKED : undefined,
  );
}

/** Masks every text below a key that names a secret. Numbers and booleans reveal nothing. */
function maskAll(value: Json): Json {
  return mapTexts(
    value,
    (text) => text && MASKED,
    (key) => key,
  );
}
