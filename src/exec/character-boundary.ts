/** The bytes without a UTF-8 character at their end of which only the beginning is there. */
export function withoutBegunCharacter(bytes: Uint8Array): Uint8Array {
  for (let back = 1; back <= Math.min(3, bytes.length); back++) {
    const byte = bytes[bytes.length - back] ?? 0;
    if (isContinuation(byte)) continue;
    return lengthOf(byte) > back ? bytes.subarray(0, bytes.length - back) : bytes;
  }
  return bytes;
}

/** The bytes without a UTF-8 character at their start of which only the end is there. */
export function withoutEndedCharacter(bytes: Uint8Array): Uint8Array {
  let from = 0;
  while (from < Math.min(3, bytes.length) && isContinuation(bytes[from] ?? 0)) from += 1;
  return bytes.subarray(from);
}

function isContinuation(byte: number): boolean {
  return (byte & 0b1100_0000) === 0b1000_0000;
}

function lengthOf(firstByte: number): number {
  if (firstByte >= 0b1111_0000) return 4;
  if (firstByte >= 0b1110_0000) return 3;
  return firstByte >= 0b1100_0000 ? 2 : 1;
}
