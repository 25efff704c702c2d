import { isJsonObject } from '../core/json';
import { notEnforced } from './messages';
import { pathOf } from './pointer';
import type { CompileContext } from './section';

/** Warns of keys that are understood but not acted on yet, where they ask for something. */
export function warnNotEnforced(valid: unknown, pointers: readonly string[], context: CompileContext): void {
  for (const pointer of pointers) {
    const path = pathOf(pointer);
    const value = path.reduce<unknown>((at, key) => (isJsonObject(at) ? at[key] : undefined), valid);
    if (!asks(value)) continue;
    const said = typeof value === 'string' ? `: ${value}` : '';
    const message = notEnforced(`\`${path.at(-1)}${said}\``);
    context.report(pointer, { code: 'config.not-enforced', severity: 'warning', message });
  }
}

/** Leaving out what is switched off anyway misleads nobody. */
function asks(value: unknown): boolean {
  if (value === undefined || value === false) return false;
  return !isJsonObject(value) || value['enabled'] !== false;
}
