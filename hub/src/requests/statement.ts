import { randomBytes } from 'node:crypto';

/** What a statement says: the request that it answers, and the answer. */
export interface Answered {
  readonly request: string;
  readonly machine: string;
  readonly project: string;
  readonly rule: string;
  readonly scope: string;
  readonly session: string;
  readonly branch: string;
  /** Of the tree or plan, where the rule asks for it. */
  readonly digest: string | null;
  readonly ttlSeconds: number | null;
  readonly answer: 'approve' | 'reject';
  readonly note: string;
  /** The person's name. */
  readonly by: string;
  readonly at: Date;
}

/** The exact text that is signed, kept and sent. It is one line of JSON. */
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

/** When an approval ends; null where it has no end. */
export function endOf({ at, ttlSeconds }: Pick<Answered, 'at' | 'ttlSeconds'>): Date | null {
  return ttlSeconds === null ? null : new Date(at.getTime() + ttlSeconds * 1000);
}
