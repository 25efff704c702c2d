import type { Json } from '../../core/json';
import type { Layout } from './layout';

/** A value as text, laid out as its surroundings are. The first line has no indentation. */
export function render(value: Json, { line, unit, spaced }: Layout): string {
  if (line !== undefined) return JSON.stringify(value, null, unit).replaceAll('\n', line.end + line.indent);
  // A line break is never part of a string in JSON text.
  return spaced ? JSON.stringify(value, null, 1).replace(/\n */g, ' ') : JSON.stringify(value);
}

/** A member of an object as text. */
export function renderMember(key: string, value: Json, layout: Layout): string {
  const gap = layout.spaced || layout.line !== undefined ? ' ' : '';
  return `${JSON.stringify(key)}:${gap}${render(value, layout)}`;
}
