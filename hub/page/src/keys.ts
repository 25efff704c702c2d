import { dialog, go, me, VIEWS } from './state';

/** What the keys do in the open view. */
export interface ViewKeys {
  readonly move?: (by: 1 | -1) => void;
  readonly open?: () => void;
  readonly close?: () => void;
  readonly approve?: () => void;
  readonly reject?: () => void;
}

let current: ViewKeys = {};

/** For an effect of a view: activates its keys, and returns the cleanup. */
export function useKeysOf(keys: ViewKeys): () => void {
  current = keys;
  return () => {
    if (current === keys) current = {};
  };
}

export const KEYS: readonly (readonly [string, string])[] = [
  ['1 to 5', 'Waiting, Sessions, Decisions, Rules, Gates'],
  ['j  k', 'Next, previous'],
  ['Enter', 'Open'],
  ['a', 'Approve (asks first)'],
  ['r', 'Reject with a note'],
  ['/', 'Filter'],
  ['Escape', 'Close'],
  ['?', 'This help'],
];

const items = () => [...document.querySelectorAll<HTMLElement>('main [data-item]')];

/** Moves the focus along the items of a plain list. */
export function moveFocus(by: 1 | -1): void {
  const all = items();
  const at = all.findIndex((item) => item.contains(document.activeElement));
  const to = at === -1 ? (by === 1 ? 0 : all.length - 1) : Math.min(all.length - 1, Math.max(0, at + by));
  all[to]?.focus();
}

function isTyping(target: EventTarget | null): boolean {
  return (
    target instanceof HTMLElement &&
    (target.isContentEditable || /^(input|textarea|select)$/i.test(target.tagName))
  );
}

/** A focused button or link handles Enter itself. */
function isControl(target: EventTarget | null): boolean {
  return target instanceof HTMLElement && target.closest('button, a, summary') !== null;
}

function leaveField(target: EventTarget | null): void {
  if (target instanceof HTMLElement) target.blur();
}

function focusFilter(): boolean {
  const filter = document.querySelector<HTMLElement>('main [data-filter]');
  filter?.focus();
  return filter !== null;
}

function goOrMove(key: string): boolean {
  const number = Number(key);
  if (number >= 1 && number <= 5) go(VIEWS[number - 1] ?? 'waiting');
  else if (key === 'j' || key === 'k') (current.move ?? moveFocus)(key === 'j' ? 1 : -1);
  else if (key === '?') dialog.value = { kind: 'help' };
  else return key === '/' && focusFilter();
  return true;
}

/** Actions that must not repeat while a key is held down. */
function act({ key, target, repeat }: KeyboardEvent): boolean {
  const { approve, reject, open } = current;
  const run = key === 'a' ? approve : key === 'r' ? reject : key === 'Enter' ? open : undefined;
  if (!run || repeat || (key === 'Enter' && isControl(target))) return false;
  run();
  return true;
}

addEventListener('keydown', (event) => {
  if (event.ctrlKey || event.metaKey || event.altKey || event.defaultPrevented || !me.value || dialog.value)
    return;
  if (event.key === 'Escape') {
    if (isTyping(event.target)) leaveField(event.target);
    else current.close?.();
    return;
  }
  if (!isTyping(event.target) && (goOrMove(event.key) || act(event))) event.preventDefault();
});
