import { wrongMenu } from '../advice-messages';
import type { Rule } from '../finding';
import { menusIn } from '../menus';
import { hasDiscovered } from './walkthrough-tracker';

const SHORTEST_MENU = 50;

const TALK = { name: 'Chat / Explore', pattern: /^(?:chat|explore)/i };

/** The menus that discovery may show, each by what its options begin with. */
const MENUS = [
  [
    { name: 'New Project', pattern: /^new\s+project/i },
    { name: 'Existing Project', pattern: /^existing\s+project/i },
    TALK,
  ],
  [
    { name: 'Re-discover (full)', pattern: /^re-?discover\s*\(full/i },
    { name: 'Re-discover (incremental)', pattern: /^re-?discover\s*\(incr/i },
    TALK,
  ],
];

const REMOVED = [
  { name: 'Scoped Analysis', pattern: /^scoped\s+analysis/i },
  { name: 'Auto-detect', pattern: /^auto[- ]?detect/i },
];

/** Discovery shows the menu that it should. A numbered report is no menu. */
export const discoverMenuGuard: Rule = (facts) => {
  if (!hasDiscovered(facts) || facts.event.kind !== 'tool.after') return undefined;
  const texts = [facts.event.response.text ?? '', facts.call?.prompt ?? ''];
  const findings = texts
    .filter((text) => text.length >= SHORTEST_MENU)
    .flatMap(menusIn)
    .flatMap((options) => faultOf(options) ?? []);
  const [first] = findings;
  if (first === undefined) return undefined;
  const { missing, removed } = first;
  return {
    weight: 'warn',
    text: wrongMenu(missing, removed),
    fact: 'discovery showed another menu than it should',
  };
};

/** What is wrong with a menu of discovery; nothing where it is right, or a menu of something else. */
function faultOf(options: readonly string[]): { missing: string[]; removed: string[] } | undefined {
  const has = ({ pattern }: { pattern: RegExp }): boolean => options.some((option) => pattern.test(option));
  const known = [...MENUS.flat(), ...REMOVED].filter(
    (one, index, all) => all.indexOf(one) === index && has(one),
  );
  if (known.length < 2) return undefined;
  const removed = REMOVED.filter(has).map(({ name }) => name);
  const lacking = MENUS.map((menu) => menu.filter((one) => !has(one)).map(({ name }) => name));
  const missing = lacking.sort((a, b) => a.length - b.length)[0] ?? [];
  return missing.length + removed.length === 0 ? undefined : { missing, removed };
}
