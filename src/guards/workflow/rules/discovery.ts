import { agentNamed } from '../delegation';
import type { Facts, Rule } from '../facts';
import { objectAt } from '../json-path';

/** Whether the call was one of discovery and has ended; in the background it has only begun. */
function hasDiscovered({ event, call, model }: Facts): boolean {
  if (event.kind !== 'tool.after' || call?.op !== 'agent' || event.outcome !== 'success') return false;
  const isEnded = call.background !== true && (event.response.text ?? '').trim() !== '';
  return isEnded && agentNamed(model, call.agentType ?? '')?.name === 'discover-orchestrator';
}

/** Discovery ends with a walk through the constitution. */
export const walkthroughTracker: Rule = (facts) => {
  const context = objectAt(facts.state, ['discovery_context']);
  if (!hasDiscovered(facts) || context === undefined || context['walkthrough_completed'] === true)
    return undefined;
  const text = [
    '[walkthrough-tracker] WARNING: Discovery completed without constitution walkthrough.',
    'Next: walk the person through the constitution before the first workflow begins.',
  ].join('\n');
  return { weight: 'warn', text, fact: 'the constitution was not walked through' };
};

const SHORTEST_MENU = 50;

type Option = { readonly name: string; readonly pattern: RegExp };

const TALK: Option = { name: 'Chat / Explore', pattern: /^(?:chat|explore)/i };

/** The options of a first discovery. */
const FIRST: readonly Option[] = [
  { name: 'New Project', pattern: /^new\s+project/i },
  { name: 'Existing Project', pattern: /^existing\s+project/i },
  TALK,
];

/** The options of a later discovery. */
const AGAIN: readonly Option[] = [
  { name: 'Re-discover (full)', pattern: /^re-?discover\s*\(full/i },
  { name: 'Re-discover (incremental)', pattern: /^re-?discover\s*\(incr/i },
  TALK,
];

const REMOVED: readonly Option[] = [
  { name: 'Scoped Analysis', pattern: /^scoped\s+analysis/i },
  { name: 'Auto-detect', pattern: /^auto[- ]?detect/i },
];

/** Discovery shows the menu that it should. A numbered report is no menu. */
export const discoverMenuGuard: Rule = (facts) => {
  const { event, call } = facts;
  if (event.kind !== 'tool.after' || !hasDiscovered(facts)) return undefined;
  const fault = [event.response.text ?? '', call?.prompt ?? '']
    .filter((text) => text.length >= SHORTEST_MENU)
    .flatMap(menusIn)
    .map(menuFault)
    .find((lines) => lines !== undefined);
  if (fault === undefined) return undefined;
  const text = ['[discover-menu-guard] WARNING: Incorrect discover menu detected.', ...fault].join('\n');
  return { weight: 'warn', text, fact: 'discovery showed another menu than it should' };
};

/** What is wrong with a menu of discovery; `undefined` where it is right, or a menu of something else. */
function menuFault(menu: readonly string[]): readonly string[] | undefined {
  const has = ({ pattern }: Option): boolean => menu.some((label) => pattern.test(label));
  const namesOf = (options: readonly Option[]): string => options.map(({ name }) => name).join(', ');
  const known = new Set([...FIRST, ...AGAIN, ...REMOVED].filter(has));
  if (known.size < 2) return undefined;
  const removed = REMOVED.filter(has);
  const [missing = []] = [FIRST, AGAIN]
    .map((options) => options.filter((option) => !has(option)))
    .sort((a, b) => a.length - b.length);
  const lines = [
    ...(missing.length > 0 ? [`Missing options: ${namesOf(missing)}`] : []),
    ...(removed.length > 0 ? [`Found removed options: ${namesOf(removed)}`] : []),
  ];
  return lines.length === 0 ? undefined : lines;
}

const MARK = /(?:^|(?<=\s))(?:\[(\d{1,2})\]|(\d{1,2})[.)]|option\s+(\d{1,2})[:.)]?)\s+/gi;
const LONGEST_LABEL = 80;

/**
 * The menus in a text: runs of options numbered from one on, each with a short label. A list of sentences
 * is none: its labels are long.
 */
export function menusIn(text: string): string[][] {
  const marks = [...text.matchAll(MARK)];
  const menus: string[][] = [];
  let options: string[] = [];
  for (const [index, mark] of marks.entries()) {
    const number = Number(mark[1] ?? mark[2] ?? mark[3]);
    const label = labelOf(text.slice(mark.index + mark[0].length, marks[index + 1]?.index));
    if (number === 1 || number !== options.length + 1) {
      menus.push(options);
      options = [];
    }
    if (number === options.length + 1 && label.length <= LONGEST_LABEL) options.push(label);
  }
  return [...menus, options].filter((menu) => menu.length >= 2);
}

/** The first line, without the marks that make it bold or a list. */
function labelOf(text: string): string {
  const line = text.trimStart().split('\n', 1)[0] ?? '';
  return line
    .replace(/^[*_`\-\s]+/, '')
    .replace(/[*_`]/g, '')
    .trim();
}
