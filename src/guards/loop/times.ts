import { isoTime } from '../../core/text';

/** Milliseconds since the epoch; `undefined` for what is no time. Without a zone it is UTC. */
export function parseTime(text: string): number | undefined {
  const rfc3339 =
    /^(\d{4})-(\d\d)-(\d\d)[Tt ](\d\d):(\d\d):(\d\d)(?:[.,](\d{1,9}))?(?:[Zz]|([+-])(\d\d):?(\d\d))?$/;
  const parts = rfc3339.exec(text.trim());
  if (parts === null) return undefined;
  const number = (index: number): number => Number(parts[index] ?? 0);
  const [month, day, hour, minute, second] = [number(2), number(3), number(4), number(5), number(6)];
  if (hour > 24 || minute > 59 || second > 60) return undefined;
  const midnight = new Date(Date.UTC(number(1), month - 1, day));
  if (midnight.getUTCMonth() !== month - 1 || midnight.getUTCDate() !== day) return undefined;
  const fraction = Number(`0.${parts[7] ?? 0}`) * 1000;
  const offset = (parts[8] === '-' ? -1 : 1) * (number(9) * 60 + number(10));
  return midnight.getTime() + ((hour * 60 + minute - offset) * 60 + second) * 1000 + fraction;
}

/** A time as states have it: UTC, whole seconds. */
export function stampOf(ms: number): string {
  return `${isoTime(ms).slice(0, 19)}Z`;
}
