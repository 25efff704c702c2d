/** Whether there is a person who can be asked: questions go to standard error, answers come from standard input. */
export function isAtTerminal(): boolean {
  return process.stdin.isTTY === true && process.stderr.isTTY === true;
}
