import { textOf } from '../exec/text-of';
import { type Header, LARGEST_DOCUMENT, LARGEST_HEADER, parseHeader } from './wire';

/** A request of which everything has arrived. */
export interface Request {
  readonly header: Header;
  readonly document: string;
}

/** What is known of a request so far. `refused`: too large, or of a version that we do not speak. */
export type Progress = Request | 'more' | 'refused';

/** Puts a request together from what arrives piece by piece. */
export interface RequestReader {
  take(piece: Buffer): Progress;
  /** The client has said that nothing more comes. */
  end(): Progress;
}

const HEADER_END = '\n\n';
const CLOSING_BRACE = 0x7d;

/**
 * Not every client can close one direction alone, so a document that is whole ends the request as well. A
 * control request has no document.
 */
export function requestReader(): RequestReader {
  let bytes: Buffer = Buffer.alloc(0);
  let header: Header | undefined;
  let from = 0;
  const takeHeader = (): Progress | undefined => {
    const end = bytes.indexOf(HEADER_END);
    if (end < 0) return bytes.length > LARGEST_HEADER ? 'refused' : 'more';
    header = parseHeader(textOf(bytes, 0, end, 'utf8'));
    from = end + HEADER_END.length;
    return header === undefined ? 'refused' : undefined;
  };
  const whole = (): Progress =>
    header === undefined ? 'refused' : { header, document: textOf(bytes, from, bytes.length, 'utf8') };
  const take = (piece: Buffer): Progress => {
    bytes = bytes.length === 0 ? piece : Buffer.concat([bytes, piece]);
    const early = header === undefined ? takeHeader() : undefined;
    if (early !== undefined) return early;
    if (bytes.length - from > LARGEST_DOCUMENT) return 'refused';
    return header?.ask !== undefined || isDocument(bytes, from) ? whole() : 'more';
  };
  return { take, end: whole };
}

/** Parsed only where it can be whole at all. */
function isDocument(bytes: Buffer, from: number): boolean {
  if (!endsLikeDocument(bytes, from)) return false;
  try {
    JSON.parse(textOf(bytes, from, bytes.length, 'utf8'));
    return true;
  } catch {
    return false;
  }
}

/** Only white space may stand behind the brace that closes a document. */
function endsLikeDocument(bytes: Buffer, from: number): boolean {
  let at = bytes.length - 1;
  while (at >= from && (bytes[at] ?? 0) <= 0x20) at--;
  return at >= from && bytes[at] === CLOSING_BRACE;
}
