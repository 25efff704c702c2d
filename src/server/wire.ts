import { ENVIRONMENT, type Environment } from './environment';

/** The first line of every request and the first word of every reply. Another version begins otherwise. */
export const VERSION = 'HP1';
/** Says that the event is left to the process that the host has started. */
export const ALONE = 'alone\n';
export const LARGEST_HEADER = 64 * 1024;
export const LARGEST_DOCUMENT = 1024 * 1024;

/** What stands before the document. */
export interface Header {
  readonly ask?: string;
  readonly dist?: string;
  readonly args?: string;
  readonly parent?: string;
  readonly cwd?: string;
  readonly machine?: string;
  readonly env: Environment;
}

const KEYS: ReadonlySet<string> = new Set(['ask', 'dist', 'args', 'parent', 'cwd', 'machine']);
const NAMES: ReadonlySet<string> = new Set(ENVIRONMENT);

/** The header's lines without the empty one at its end; `undefined` for what this version does not know. */
export function parseHeader(text: string): Header | undefined {
  const [version, ...lines] = text.split('\n');
  if (version !== VERSION) return undefined;
  const env: Record<string, string> = {};
  const own: Record<string, string> = {};
  for (const line of lines) {
    const at = line.indexOf('=');
    const name = line.slice(0, at);
    const into = NAMES.has(name) ? env : KEYS.has(name) ? own : undefined;
    if (at < 1 || into === undefined) return undefined;
    into[name] = decoded(line.slice(at + 1));
  }
  return { ...own, env };
}

/** A newline would end the line, so it is written as `%0A`, and the sign itself as `%25`. */
function decoded(value: string): string {
  return value.replace(/%(?:0A|25)/g, (sign) => (sign === '%25' ? '%' : '\n'));
}

export function encoded(value: string): string {
  return value.replaceAll('%', '%25').replaceAll('\n', '%0A');
}

/** What a process of its own would have printed, and how it would have ended. */
export interface Spoken {
  readonly exitCode: number;
  readonly stdout: string;
  readonly stderr: string;
}

/**
 * A reply in a form that a shell can take apart: the mark that ends each text stands in the first line. What
 * does not end with the mark is not whole. The mark begins and ends differently, so that no text runs into it.
 */
export function formReply({ exitCode, stdout, stderr }: Spoken): string {
  let mark = '#hp:';
  for (let tries = 1; stdout.includes(mark) || stderr.includes(mark); tries++) mark = `#hp${tries}:`;
  return `${VERSION} ${exitCode} ${mark}\n${stderr}${mark}${stdout}${mark}`;
}

/** The reverse, for clients in this language; `undefined` for anything that is not a whole reply. */
export function parseReply(text: string): Spoken | undefined {
  const end = text.indexOf('\n');
  const [version, code = '', mark = ''] = text.slice(0, Math.max(end, 0)).split(' ');
  const body = text.slice(end + 1);
  const parts = body.split(mark);
  const [stderr, stdout, rest] = parts;
  if (version !== VERSION || mark === '' || !/^\d$/.test(code) || parts.length !== 3) return undefined;
  if (stdout === undefined || stderr === undefined || rest !== '') return undefined;
  return { exitCode: Number(code), stdout, stderr };
}
