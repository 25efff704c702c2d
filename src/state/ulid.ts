const ALPHABET = '0123456789ABCDEFGHJKMNPQRSTVWXYZ';
/** As many numbers as four letters can stand for. */
const FOUR = 2 ** 20;

/**
 * An id that sorts by its time: 48 bits of milliseconds, 80 of chance. Not a secret. Letter by letter it would be a
 * loop long enough for V8 to compile it.
 */
export function ulid(ms: number): string {
  const time = four(ms / FOUR / FOUR).slice(2) + four((ms / FOUR) % FOUR) + four(ms % FOUR);
  return time + fourByChance() + fourByChance() + fourByChance() + fourByChance();
}

function fourByChance(): string {
  return four(Math.random() * FOUR);
}

/** The last 20 bits of a number as letters. */
function four(bits: number): string {
  return (
    ALPHABET.charAt((bits >> 15) & 31) +
    ALPHABET.charAt((bits >> 10) & 31) +
    ALPHABET.charAt((bits >> 5) & 31) +
    ALPHABET.charAt(bits & 31)
  );
}
