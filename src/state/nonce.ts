/** A name that no other process makes at the same time. Not a secret: loading crypto would cost too much. */
export function newNonce(): string {
  const time = Date.now().toString(36);
  return `${process.pid.toString(36)}${time}${Math.random().toString(36).slice(2)}`;
}

/** A file beside `file` that is renamed or removed within moments; what stays of it is a leftover. */
export function temporaryBeside(file: string): string {
  return `${file}.${process.pid}.${newNonce()}.tmp`;
}

/** Recognises what `temporaryBeside` names, and nothing that anybody else may have called `.tmp`. */
export const TEMPORARY = /\.\d+\.[0-9a-z]+\.tmp$/;
