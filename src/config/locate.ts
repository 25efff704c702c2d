import { type Diagnostic, diagnose, type Finding, showPlace } from './diagnostics';
import { exactOrigin, type Model, originOf } from './merge';
import { pathOf, pointerOf } from './pointer';

/** A finding at the place of a pointer, under its key or its value. */
export function diagnoseAt(
  model: Model,
  pointer: string,
  at: 'key' | 'value',
  finding: Finding,
): Diagnostic | undefined {
  const origin = originOf(model, pointer);
  if (origin === undefined) return undefined;
  const span = at === 'value' ? origin.value : (origin.key ?? origin.value);
  const [topKey] = pathOf(pointer);
  return { ...diagnose(origin.file, span, finding), ...(topKey !== undefined && { topKey }) };
}

/** `file:line:column` of the key at a pointer. */
export function placeOf(model: Model, pointer: string): string | undefined {
  const origin = exactOrigin(model, pointer);
  if (origin === undefined) return undefined;
  const { line, column } = origin.key ?? origin.value;
  return showPlace({ file: origin.file.shown, line, column });
}

/** The keys of a pointer as its file has them: what a seed's file says is mounted elsewhere. */
export function shownPath(model: Model, pointer: string): readonly string[] {
  const path = pathOf(pointer);
  for (let length = path.length; length > 0; length--) {
    const origin = exactOrigin(model, pointerOf(path.slice(0, length)));
    if (origin !== undefined) return [...origin.path, ...path.slice(length)];
  }
  return path;
}
