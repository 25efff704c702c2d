import type { Section } from '../config/section';
import { NOT_YET } from './not-yet';
import { requirementsSection } from './requirements/section';

/** The config sections of all disciplines. */
export const SECTIONS: readonly Section[] = [requirementsSection, ...NOT_YET];
