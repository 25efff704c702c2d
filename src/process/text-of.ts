type Encoding = 'utf8' | 'latin1' | 'hex';
type Slice = (this: Uint8Array, from: number, to: number) => string;

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
