type Encoding = 'utf8' | 'latin1' | 'hex';
type Slice = (this: Uint8Array, from: number, to: number) => string;

/** What every buffer can do where Node is as we know it. */
export interface Slicing {
  readonly latin1Slice: Slice;
}

/**
 * The text of bytes. `toString` of a buffer ends in the method that is called here, after a detour
 * that costs an event more than the text; that method is not documented, so it may be missing.
 */
export function textOf(bytes: Uint8Array, from: number, to: number, encoding: Encoding): string {
  const methods = Buffer.prototype as unknown as Readonly<Record<string, Slice | undefined>>;
  const slice = methods[`${encoding}Slice`];
  if (slice !== undefined) return slice.call(bytes, from, to);
  return Buffer.from(bytes.buffer, bytes.byteOffset + from, to - from).toString(encoding);
}

/** Puts letters among bytes and says where they end; the other way round, and by a method of the same kind. */
export function putText(text: string, bytes: Uint8Array, at: number): number {
  const { latin1Write } = Buffer.prototype as {
    latin1Write?: (this: Uint8Array, text: string, at: number) => void;
  };
  if (latin1Write !== undefined) latin1Write.call(bytes, text, at);
  else Buffer.from(bytes.buffer, bytes.byteOffset).write(text, at, 'latin1');
  return at + text.length;
}
