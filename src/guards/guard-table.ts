import type { Section } from '../config/section';
import { gatesSection } from './gates/section';
import { loopSection } from './loop/section';
import { requirementsSection } from './requirements/section';
import { rulesSection } from './rules/section';
import { workflowSection } from './workflow/section';

/** The config sections of all disciplines. */
export const SECTIONS: readonly Section[] = [
  requirementsSection,
  workflowSection,
  rulesSection,
  gatesSection,
  loopSection,
];
