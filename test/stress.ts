/** Whether everything is done as often as it takes to find what is rare: `npm run test:stress`. */
export const STRESS = process.env['HOLDPOINT_STRESS'] === '1';

/** How often: a few times in every run of the tests, many times under stress. */
export function times(few: number, many: number): number {
  return STRESS ? many : few;
}
