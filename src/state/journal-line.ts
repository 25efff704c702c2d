import type { JsonObject } from '../core/json';

const LONGEST_BYTES = 16 * 1024;
/** Shorter strings are names and ids: what a line is for. */
const SHORTEST_DROPPED = 64;
const DROPPED = '…';
const CUT = { cut: true };
const BYTES_FOR_CUT = 16;

/** One line of the journal, with its newline. What is too long loses its largest values and says so. */
export function journalLine(line: JsonObject): Buffer {
  const whole = encode(line);
  if (whole.length <= LONGEST_BYTES) return whole;
  const shorter = encode({ ...dropStrings(line, whole.length - LONGEST_BYTES + BYTES_FOR_CUT), ...CUT });
  return shorter.length <= LONGEST_BYTES ? shorter : encode({ ...keepSmallest(line), ...CUT });
}

function dropStrings(line: JsonObject, excess: number): JsonObject {
  const sizes: number[] = [];
  JSON.stringify(line, (_key, value) => {
    if (sizeOf(value) > SHORTEST_DROPPED) sizes.push(sizeOf(value));
    return value;
  });
  sizes.sort((a, b) => b - a);
  let smallest = Number.POSITIVE_INFINITY;
  let saved = 0;
  for (const size of sizes) {
    if (saved >= excess) break;
    saved += size - sizeOf(DROPPED);
    smallest = size;
  }
  return JSON.parse(JSON.stringify(line, (_key, value) => (sizeOf(value) >= smallest ? DROPPED : value)));
}

function sizeOf(value: unknown): number {
  return typeof value === 'string' ? Buffer.byteLength(value) : 0;
}

/** The last resort for a line that is long for another reason than long strings. What is kept stays in its order. */
function keepSmallest(line: JsonObject): JsonObject {
  const members = Object.entries(line).map((member) => ({
    member,
    bytes: Buffer.byteLength(JSON.stringify(member)),
  }));
  let room = LONGEST_BYTES - BYTES_FOR_CUT;
  const kept = new Set<string>();
  for (const { member, bytes } of members.toSorted((a, b) => a.bytes - b.bytes)) {
    room -= bytes;
    if (room < 0) break;
    kept.add(member[0]);
  }
  return Object.fromEntries(Object.entries(line).filter(([name]) => kept.has(name)));
}

function encode(line: JsonObject): Buffer {
  return Buffer.from(`${JSON.stringify(line)}\n`);
}
