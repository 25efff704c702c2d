import type { Section } from '../config/section';
import { requirementsSection } from './requirements/section';

/** The config sections of all disciplines. */
export const SECTIONS: readonly Section[] = [requirementsSection];
