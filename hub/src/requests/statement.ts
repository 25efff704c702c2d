import { randomBytes } from 'node:crypto';

/** The content of a statement: the request that it answers, and the answer. */
export interface Answered {
  readonly request: string;
  readonly machine: string;
  readonly project: string;
  readonly rule: string;
  readonly scope: string;
  readonly session: string;
  readonly branch: string;
  /** From the request: binds the answer to the project's place on its machine. */
  readonly digest: string | null;
  readonly ttlSeconds: number | null;
  readonly answer: 'approve' | 'reject';
  readonly note: string;
  /** The person's name. */
  readonly by: string;
  readonly at: Date;
}

/** The exact text that is signed, stored and sent: one line of JSON. */
export function statementOf(answered: Answered): string {
  const { request, machine, project, rule, scope, session, branch, digest, answer, note, by, at } = answered;
  return JSON.stringify({
    v: 1,
    kind: 'approval',
    request,
    machine,
    project,
    rule,
    scope,
    session,
    branch,
    ...(digest !== null && { digest }),
    answer,
    ...(answer === 'reject' && { note }),
    by,
    at: at.toISOString(),
    until: endOf(answered)?.toISOString() ?? null,
    nonce: randomBytes(16).toString('hex'),
  });
}

/** When an approval expires; null if it does not. */
function endOf({ at, ttlSeconds }: Pick<Answered, 'at' | 'ttlSeconds'>): Date | null {
  return ttlSeconds === null ? null : new Date(at.getTime() + ttlSeconds * 1000);
}
