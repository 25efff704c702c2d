import type { JsonObject } from '../../core/json';
import type { RequirementStatus } from '../../guards/requirements/status';
import { clearingCommand } from './clearing';

/** A requirement for programs, the same wherever one is shown; `session` is empty where none is known. */
export function requirementJson(one: RequirementStatus, session: string): JsonObject {
  return {
    name: one.name,
    type: one.type === 'condition' ? 'guard' : one.type,
    scope: one.scope,
    satisfied: one.satisfied,
    applies: one.applies,
    triggered: one.triggered,
    place: one.place,
    ...(one.threshold !== undefined && {
      value: one.value ?? null,
      threshold: one.threshold,
      warn: one.warn ?? null,
    }),
    expires_at: one.expiresAt ?? null,
    clear: one.satisfied ? null : clearingCommand(one, session),
  };
}
