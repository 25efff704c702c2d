type Encoding = 'utf8' | 'latin1' | 'hex';

/** The text of some bytes. */
export function textOf(bytes: Uint8Array, from: number, to: number, encoding: Encoding): string {
  return Buffer.from(bytes.buffer, bytes.byteOffset + from, to - from).toString(encoding);
}
