const MOST_ALTERNATIVES = 64;

/**
 * The alternatives of one brace expression such as `{a,b}` or `{1..3}`; `undefined` where it has
 * quotes, expansions or braces inside.
 */
export function braceAlternatives(text: string): readonly string[] | undefined {
  const inner = text.slice(1, -1);
  for (const char of inner) if ('\'"\\$`{}*?['.includes(char)) return undefined;
  if (inner.includes(',')) {
    const parts = inner.split(',');
    return parts.length > MOST_ALTERNATIVES ? undefined : parts;
  }
  return rangeOf(inner);
}

function rangeOf(inner: string): readonly string[] | undefined {
  const [from, to, ...more] = inner.split('..');
  if (from === undefined || to === undefined || more.length > 0) return undefined;
  if (isPlainNumber(from) && isPlainNumber(to)) return span(Number(from), Number(to), String);
  if (from.length !== 1 || to.length !== 1) return undefined;
  return span(from.charCodeAt(0), to.charCodeAt(0), (code) => String.fromCharCode(code));
}

function isPlainNumber(text: string): boolean {
  return Number.isSafeInteger(Number(text)) && String(Number(text)) === text;
}

function span(from: number, to: number, show: (value: number) => string): readonly string[] | undefined {
  const count = Math.abs(to - from) + 1;
  if (count > MOST_ALTERNATIVES) return undefined;
  const direction = to < from ? -1 : 1;
  return Array.from({ length: count }, (_, index) => show(from + index * direction));
}
