/* What secrets look like. False alarms cost more than misses, so possible placeholders are ignored. */

/** The kind and the place of a secret, never the secret itself. */
export interface FoundSecret {
  readonly kind: string;
  readonly line: number;
}

export interface SecretContext {
  /** Tests, docs and examples: only what is certainly real counts. */
  readonly isExample: boolean;
  /** `NAME=value` without quotes is an assignment here. */
  readonly isPlain: boolean;
}

/** Tokens with a known format; the part in the group must look random. */
const TOKENS: readonly (readonly [kind: string, form: RegExp])[] = [
  ['a GitHub token', /\b(?:gh[pousr]_([A-Za-z0-9]{36,255})|github_pat_([A-Za-z0-9_]{40,255}))\b/g],
  ['a GitLab token', /\bgl(?:pat|dt|rt|ptt|cbt|ft|soat|agent|imt|feed)-([\w-]{20,})/g],
  ['an Anthropic API key', /\bsk-ant-((?:[a-z]+\d*-)?[\w-]{20,})/g],
  ['an OpenAI API key', /\bsk-(?:(?:proj|svcacct|admin|None)-([\w-]{20,})|([A-Za-z0-9]{32,})\b)/g],
  ['an AWS access key', /\b(?:AKIA|ASIA)([A-Z0-9]{16})\b/g],
  ['a Google API key', /\bAIza([\w-]{35})(?![\w-])/g],
  ['a Google OAuth secret', /\bGOCSPX-([\w-]{28})(?![\w-])/g],
  ['a Slack token', /\bxox[abeoprs]-(?:\d-)?([A-Za-z0-9-]{20,})/g],
  ['a Slack webhook', /\bhooks\.slack\.com\/services\/T[A-Z0-9]{6,}\/B[A-Z0-9]{6,}\/([A-Za-z0-9]{20,})/g],
  ['a Stripe key', /\b[rs]k_live_([A-Za-z0-9]{16,})/g],
  ['a Stripe webhook secret', /\bwhsec_([A-Za-z0-9]{32,})/g],
  ['an npm token', /\bnpm_([A-Za-z0-9]{36})\b/g],
  ['a PyPI token', /\bpypi-AgE([\w-]{50,})/g],
  ['a SendGrid key', /\bSG\.([\w-]{22}\.[\w-]{43})(?![\w-])/g],
  ['a Hugging Face token', /\bhf_([A-Za-z0-9]{34})\b/g],
  ['a DigitalOcean token', /\bdo[por]_v1_([0-9a-f]{64})\b/g],
  ['a Shopify token', /\bshp(?:at|ca|pa|ss)_([0-9a-fA-F]{32})\b/g],
  ['a Docker Hub token', /\bdckr_pat_([\w-]{27,})/g],
  ['a Vault token', /\bhv[sb]\.([\w-]{24,})/g],
  ['a Linear key', /\blin_api_([A-Za-z0-9]{40})\b/g],
  ['an age secret key', /\bAGE-SECRET-KEY-1([0-9A-Z]{58})\b/g],
  ['an Azure storage key', /\bAccountKey=([A-Za-z0-9+/]{86}==)/g],
  ['a Telegram bot token', /\b\d{8,10}:(AA[\w-]{33})(?![\w-])/g],
];
const JWT = /\beyJ[\w-]{8,}\.(eyJ[\w-]{8,})\.([\w-]{16,})/g;
const PRIVATE_KEY =
  /-----BEGIN (?:[A-Z]+ )*PRIVATE KEY(?: BLOCK)?-----(?:\\r|\\n|[\s"'+,|>])*(?:(?:Proc-Type|DEK-Info|Version|Comment)[^\n]*\n\s*)*([A-Za-z0-9+/=\s\\"',]{60,})/g;
const CONNECTION =
  /\b(?:postgres(?:ql)?|mysql2?|mariadb|mongodb(?:\+srv)?|rediss?|amqps?|mssql|sqlserver|clickhouse|cockroachdb|ldaps?|smtps?|s?ftp|https?)(?:\+\w+)?:\/\/([^\s:/@"'`<>]*):([^\s/@"'`<>]+)@([^\s/:"'`<>?#,)\]]+)/g;

/** Words that mark a value as not real. */
const PLACEHOLDER =
  /x{3,}|\*{3,}|\.{3}|…|changeme|change[-_]me|example|sample|dummy|fake|placeholder|redacted|replace|your[-_]?|insert|todo|foobar|lorem|notreal|not[-_]a[-_]?real|invalid|mock|<|>|\$\{|\{\{|\$\(|%\(|test/i;
const SEQUENCE = /0123456789|1234567890|12345678|abcdefgh|deadbeef|qwerty|(.)\1{5,}|^(..?.?.?)\2{4,}/i;

interface Hit {
  readonly kind: string;
  readonly at: number;
}

/** All secrets in a text, by line. */
export function secretsIn(text: string, where: SecretContext): FoundSecret[] {
  const hits = [
    ...tokensIn(text, where),
    ...hitsOf('a JSON Web Token', JWT, text, (match) => isRealJwt(match, where)),
    ...hitsOf('a private key', PRIVATE_KEY, text, ([, body = '']) => isReal(keyStart(body), where)),
    ...hitsOf('a password in a connection string', CONNECTION, text, isRealLogin),
    ...(where.isExample ? [] : assignmentsIn(text, where.isPlain)),
  ];
  // Sorting is stable: within a line, known formats come first.
  return hits
    .map(({ kind, at }) => ({ kind, line: text.slice(0, at).split('\n').length }))
    .sort((one, other) => one.line - other.line);
}

function tokensIn(text: string, where: SecretContext): Hit[] {
  return TOKENS.flatMap(([kind, form]) =>
    hitsOf(kind, form, text, ([, ...groups]) =>
      isReal(groups.find((group) => group !== undefined) ?? '', where),
    ),
  );
}

function hitsOf(
  kind: string,
  form: RegExp,
  text: string,
  isMeant: (match: RegExpMatchArray) => boolean,
): Hit[] {
  return [...text.matchAll(form)].filter(isMeant).map(({ index }) => ({ kind, at: index }));
}

/** The first characters of a key, without the zeros that every OpenSSH key begins with. */
function keyStart(body: string): string {
  return body
    .replace(/\\n|[^A-Za-z0-9+/=]/g, '')
    .replace(/A{3,}/g, '')
    .slice(0, 64);
}

function isReal(body: string, { isExample }: SecretContext): boolean {
  if (PLACEHOLDER.test(body) || entropyOf(body) < 2.5) return false;
  return !(isExample && SEQUENCE.test(body)) && !/(.)\1{5,}/.test(body);
}

function isRealJwt([, payload = '', signature = '']: RegExpMatchArray, where: SecretContext): boolean {
  const claims = Buffer.from(payload, 'base64url').toString('utf8');
  return !/1234567890|john doe|example|test|dummy/i.test(claims) && isReal(signature, where);
}

/** Hosts that only exist on the developer's own machine or network. */
const LOCAL_HOST =
  /^(?:localhost|127\.|0\.0\.0\.0|\[|host\.docker\.internal|[^.]*$)|\.(?:local|localhost|test|invalid|example|internal|svc)$|(?:^|\.)example\.\w+$/i;
const USUAL_PASSWORD =
  /^(?:pass(?:word|wd)?|pwd|secret|root|admin|user(?:name)?|postgres|mysql|guest|token|test\w*|dev\w*|1234\d*|p4ss(?:w[o0]rd)?\d*|hunter2|foo|bar|baz|x+|\*+|\.+|[A-Z][A-Z_]+|:?\w*password\w*)$/i;

function isRealLogin([, user = '', password = '', host = '']: RegExpMatchArray): boolean {
  if (LOCAL_HOST.test(host) || USUAL_PASSWORD.test(password) || password === user) return false;
  return (
    !PLACEHOLDER.test(password) &&
    !/[${}%[\]\\]/.test(password.replace(/%[0-9A-F]{2}/gi, '')) &&
    password.length > 5
  );
}

/* Assignments. */

const SECRET_NAME =
  /(?:^|[_.-])(?:(?:api|secret|private|access|auth|encryption|signing|master|service|account|app|storage|admin|deploy|license|hmac|jwt|session|webhook|bot)[_.-]?keys?(?:_base)?|(?:[a-z]+[_.-])*(?:token|secret|passw(?:or)?d|passphrase|pwd|credentials?)s?)$/;
const NO_SECRET_NAME =
  /public|publishable|(?:^|_)(?:csrf|xsrf|token_type|next|page|cursor|continuation|sync|design|syntax|reset_password|device)(?:_|$)/;
const QUOTED =
  /(?<![\w$-])["'`]?([A-Za-z_][\w.-]{1,60})["'`]?\]?\s*(?::\s*[\w<>[\]|][\w<>[\]| ]{0,29}?\s*=|:\s*=|=>|=(?!=)|:)\s*(?:[rbuf]{0,2})(["'`])([^"'`\n\\]{10,512})\2/g;
const PLAIN =
  /^[ \t]*(?:export[ \t]+|-[ \t]+|set[ \t]+|ENV[ \t]+)?([A-Za-z_][\w.-]{1,60})[ \t]*[=:][ \t]*([A-Za-z0-9+/_=.~-][A-Za-z0-9+/_=.~!@#%^&*?-]{11,511})[ \t]*(?:[ \t][#;].*)?$/gm;

function assignmentsIn(text: string, isPlain: boolean): Hit[] {
  const quoted = [...text.matchAll(QUOTED)].map((match) => ({
    at: match.index,
    name: match[1] ?? '',
    value: match[3] ?? '',
  }));
  // `export NAME=value` is shell code, whatever the file is called.
  const plain = [...text.matchAll(PLAIN)]
    .filter(([line]) => isPlain || /^\s*export\s/.test(line))
    .map((match) => ({ at: match.index, name: match[1] ?? '', value: match[2] ?? '' }));
  return [...quoted, ...plain]
    .filter(({ name, value }) => isSecretName(name) && isRandom(value, name))
    .map(({ name, at }) => ({ kind: `a value for \`${name}\``, at }));
}

/** Treats `apiKey`, `API_KEY` and `api-key` alike. */
function isSecretName(name: string): boolean {
  const words = name
    .replace(/([a-z0-9])([A-Z])/g, '$1_$2')
    .replace(/([A-Z]+)([A-Z][a-z])/g, '$1_$2')
    .replace(/[.-]/g, '_')
    .toLowerCase();
  return SECRET_NAME.test(words) && !NO_SECRET_NAME.test(words);
}

const UUID = /^[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}$/i;

/** Whether a value looks random, as if generated or chosen as a strong password. */
function isRandom(value: string, name: string): boolean {
  if (PLACEHOLDER.test(value) || SEQUENCE.test(value) || UUID.test(value)) return false;
  // Spaces and non-ASCII characters: a text for people, as in translations.
  if (/[^!-~]/.test(value) || isUsualInBase64(value)) return false;
  if (
    /^(?:https?:|\/|\.\/|~|arn:|env[:.]|process\.|os\.|vault:|op:|secret[s:]|ref[+:]|!|sha\d+-)/i.test(value)
  )
    return false;
  const kinds = [/[a-z]/, /[A-Z]/, /\d/, /[^A-Za-z0-9]/].filter((kind) => kind.test(value)).length;
  if (/passw|pwd|passphrase/i.test(name))
    return value.length >= 10 && kinds >= 3 && !isWords(value) && entropyOf(value) >= 3;
  const digits = value.replace(/\D/g, '').length;
  return value.length >= 16 && kinds >= 2 && digits >= 2 && !isWords(value) && entropyOf(value) >= 3.2;
}

/** Kubernetes manifests have even placeholders such as `password` in base64. */
function isUsualInBase64(value: string): boolean {
  const text = Buffer.from(value, 'base64').toString('latin1');
  return /^[!-~]+\n?$/.test(text) && (USUAL_PASSWORD.test(text.trim()) || PLACEHOLDER.test(text));
}

/** `my-access-token-v2`, `auth.token.expired`, `AccessToken2`: plain words, perhaps with a number. */
function isWords(value: string): boolean {
  const parts = value.replace(/([a-z])([A-Z])/g, '$1-$2').split(/[\s._:/-]+/);
  return parts.every((part) =>
    /^(?:[A-Z]?[a-z]{2,12}|[A-Z]{2,12}|[a-z]?\d{0,4}|[A-Za-z]{2,12}\d{1,2})$/.test(part),
  );
}

/** In bits per character. */
function entropyOf(text: string): number {
  const counts = new Map<string, number>();
  for (const character of text) counts.set(character, (counts.get(character) ?? 0) + 1);
  let bits = 0;
  for (const count of counts.values()) bits -= (count / text.length) * Math.log2(count / text.length);
  return bits;
}
