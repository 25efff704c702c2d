const ENDINGS: Readonly<Record<string, string>> = {
  loop: '<loop-done>COMPLETE</loop-done>',
  issue: '<issue-complete>DONE</issue-complete>',
  grind: '<grind-done>NO_MORE_ISSUES</grind-done>',
};

/** What the agent writes when a loop of that mode is done, told to people. */
export function endingOf(mode: string): string {
  const known = mode === '' || mode === 'task' ? 'loop' : mode;
  const signal = Object.hasOwn(ENDINGS, known) ? ENDINGS[known] : undefined;
  return signal === undefined
    ? 'by no signal, since its mode is not known'
    : `with ${signal} on a line of its own`;
}
