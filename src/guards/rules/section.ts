import * as v from 'valibot';
import { described, section } from '../../config/section';

/** Rules of the user's own, in TypeScript or JavaScript. */
export const rulesSection = section({
  guard: 'rules',
  keys: described({ rules: v.unknown() }, { rules: 'Rules of your own and built-in ones.' }),
  seedOnly: [],
  files: [],
  units: [],
  tolerated: [],
  compile: () => undefined,
});
