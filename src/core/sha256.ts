/*
 * SHA-256 in plain code. Loading node:crypto costs the hook 3 ms, and we only
 * ever hash a branch name or a session id, so the library is the slower choice here.
 */

const ROUNDS = 64;

/** The first bits of the fractional parts of a root of the first primes, as the standard derives them. */
function primeRoots(count: number, exponent: number): number[] {
  const words: number[] = [];
  for (let n = 2; words.length < count; n++) {
    let prime = true;
    for (let d = 2; d * d <= n; d++) if (n % d === 0) prime = false;
    if (!prime) continue;
    const root = n ** exponent;
    words.push(((root - Math.floor(root)) * 2 ** 32) | 0);
  }
  return words;
}

function rotate(word: number, bits: number): number {
  return (word >>> bits) | (word << (32 - bits));
}

function padded(text: string): Uint8Array {
  const bytes = new TextEncoder().encode(text);
  const length = Math.ceil((bytes.length + 9) / 64) * 64;
  const block = new Uint8Array(length);
  block.set(bytes);
  block[bytes.length] = 0x80;
  new DataView(block.buffer).setUint32(length - 4, bytes.length * 8);
  return block;
}

function schedule(view: DataView, offset: number): number[] {
  const w: number[] = [];
  for (let i = 0; i < ROUNDS; i++) {
    if (i < 16) {
      w.push(view.getInt32(offset + i * 4));
      continue;
    }
    const a = w[i - 15] ?? 0;
    const b = w[i - 2] ?? 0;
    const s0 = rotate(a, 7) ^ rotate(a, 18) ^ (a >>> 3);
    const s1 = rotate(b, 17) ^ rotate(b, 19) ^ (b >>> 10);
    w.push(((w[i - 16] ?? 0) + s0 + (w[i - 7] ?? 0) + s1) | 0);
  }
  return w;
}

type State = [number, number, number, number, number, number, number, number];

function compress(state: State, words: readonly number[], constants: readonly number[]): State {
  let [a, b, c, d, e, f, g, h] = state;
  for (let i = 0; i < ROUNDS; i++) {
    const s1 = rotate(e, 6) ^ rotate(e, 11) ^ rotate(e, 25);
    const t1 = (h + s1 + ((e & f) ^ (~e & g)) + (constants[i] ?? 0) + (words[i] ?? 0)) | 0;
    const s0 = rotate(a, 2) ^ rotate(a, 13) ^ rotate(a, 22);
    const t2 = (s0 + ((a & b) ^ (a & c) ^ (b & c))) | 0;
    [a, b, c, d, e, f, g, h] = [(t1 + t2) | 0, a, b, c, (d + t1) | 0, e, f, g];
  }
  const [A, B, C, D, E, F, G, H] = state;
  return [
    (A + a) | 0,
    (B + b) | 0,
    (C + c) | 0,
    (D + d) | 0,
    (E + e) | 0,
    (F + f) | 0,
    (G + g) | 0,
    (H + h) | 0,
  ];
}

/** The hash of a text's UTF-8 bytes, in hexadecimal. */
export function sha256Hex(text: string): string {
  const block = padded(text);
  const view = new DataView(block.buffer);
  const constants = primeRoots(ROUNDS, 1 / 3);
  let state = primeRoots(8, 1 / 2) as State;
  for (let offset = 0; offset < block.length; offset += 64) {
    state = compress(state, schedule(view, offset), constants);
  }
  return state.map((word) => (word >>> 0).toString(16).padStart(8, '0')).join('');
}
