const ALPHABET = '0123456789ABCDEFGHJKMNPQRSTVWXYZ';
const TIME_LENGTH = 10;
const RANDOM_LENGTH = 16;

/** An id that sorts by its time: 48 bits of milliseconds, 80 of chance. Not a secret. */
export function ulid(ms: number): string {
  let time = '';
  for (let rest = ms; time.length < TIME_LENGTH; rest = Math.floor(rest / 32)) {
    time = ALPHABET.charAt(rest % 32) + time;
  }
  let chance = '';
  while (chance.length < RANDOM_LENGTH) chance += ALPHABET.charAt(Math.floor(Math.random() * 32));
  return time + chance;
}
