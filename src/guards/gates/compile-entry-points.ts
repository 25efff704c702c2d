import { isAbsolute } from 'node:path';
import { didYouMean, nearest } from '../../config/nearest';
import { pointerOf } from '../../config/pointer';
import type { CompileContext } from '../../config/section';
import { plainPath } from './compile-checks';
import type { CheckGate, EntryPoint, ReviewGate } from './config';
import * as say from './config-messages';
import type { EntryPointInput } from './schema';

interface Gates {
  readonly checks: readonly CheckGate[];
  readonly reviews: readonly ReviewGate[];
}

/** The entry points with the gates that are in force. Several for one path stay several: their excludes differ. */
export function compileEntryPoints(
  inputs: readonly EntryPointInput[],
  gates: Gates,
  context: CompileContext,
): EntryPoint[] {
  return inputs.flatMap((input, at) => {
    const pointer = (...keys: string[]): string => pointerOf(['gates', 'entry_points', String(at), ...keys]);
    const path = plainPath(input.path);
    if (isAbsolute(path) || /^(?:\.\.(?:\/|$)|[A-Za-z]:\/)/.test(path)) {
      const message = say.pathLeadsOut(input.path);
      const switchesOff = `entry point "${input.path}"`;
      context.report(pointer('path'), {
        code: 'config.invalid-value',
        severity: 'error',
        message,
        switchesOff,
      });
      return [];
    }
    const { checks = [], reviews = [], exclude = [] } = input;
    if (checks.length + reviews.length === 0) {
      const message = say.noGates(path);
      context.report(pointer('path'), { code: 'config.invalid-value', severity: 'warning', message });
    }
    const known = (kind: 'check' | 'review', names: readonly string[]): string[] =>
      names.filter((name, index) =>
        isKnown(kind, name, path, pointer(`${kind}s`, String(index)), gates, context),
      );
    return [
      {
        path,
        place: context.place(pointer()) ?? '',
        exclude: exclude.map(withoutFrame),
        checks: known('check', checks),
        reviews: known('review', reviews),
      },
    ];
  });
}

/** In a pattern a backslash may take the meaning from what follows, so only the ends are looked at. */
function withoutFrame(pattern: string): string {
  const bare = pattern.replace(/^(?:\.\/)+/, '').replace(/\/+$/, '');
  return bare === '' ? '.' : bare;
}

/** Whether a gate is in force; if not, says whether it was ever there. */
function isKnown(
  kind: 'check' | 'review',
  name: string,
  path: string,
  pointer: string,
  gates: Gates,
  context: CompileContext,
): boolean {
  const names = gates[`${kind}s`].map((gate) => gate.name);
  if (names.includes(name)) return true;
  if (context.place(pointerOf(['gates', `${kind}s`, name])) !== undefined) {
    const message = say.gateIsOff(path, kind, name);
    context.report(pointer, { code: 'config.invalid-value', severity: 'warning', message });
    return false;
  }
  const meant = nearest(name, names);
  context.report(pointer, {
    code: 'config.invalid-value',
    severity: 'error',
    message: say.noSuchGate(path, kind, name),
    ...(meant !== undefined && { hint: didYouMean(meant) }),
  });
  return false;
}
