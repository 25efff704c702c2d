import type { Guard } from '../../core/guard';
import { NOTHING } from '../../core/verdict';

/** Decides by rules of the user's own. */
export const guard: Guard = { name: 'rules', interest: () => [], decide: async () => NOTHING };
