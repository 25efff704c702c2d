import { type Diagnostic, diagnose, showPlace } from './diagnostics';
import { definedTwice, definedTwiceHint } from './messages';
import type { MountedFile } from './mount';
import { pointerOf } from './pointer';
import { FILE_START } from './source';

/** Files whose names differ only in their endings would be one thing twice: the first counts. */
export function dropSameName(files: readonly MountedFile[], diagnostics: Diagnostic[]): MountedFile[] {
  const first = new Map<string, MountedFile>();
  return files.filter((file) => {
    const { seed } = file.candidate;
    const whole = seed?.file.whole?.(seed.name);
    if (seed === undefined || whole === undefined) return true;
    const key = `${file.layer} ${pointerOf(whole)}`;
    const other = first.get(key);
    if (other === undefined) {
      first.set(key, file);
      return true;
    }
    const place = showPlace({ file: other.candidate.shown, ...FILE_START });
    const message = definedTwice(seed.name, place);
    const text = { shown: file.candidate.shown, lines: [] };
    const finding = {
      code: 'config.defined-twice',
      severity: 'error',
      message,
      hint: definedTwiceHint(),
    } as const;
    diagnostics.push({ ...diagnose(text, FILE_START, finding), topKey: whole[0] ?? '' });
    return false;
  });
}
