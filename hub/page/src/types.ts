/** What the hub's API sends, as the page uses it. */

export type Role = 'viewer' | 'approver' | 'admin';
export type Mark = 'false-alarm' | 'right';

export interface Ref {
  readonly id: string;
  readonly name: string;
}

export interface List<T> {
  readonly items: readonly T[];
  readonly next: string | null;
}

export interface Me {
  readonly name: string;
  readonly role: Role;
  readonly hub: { readonly version: string; readonly url: string };
}

export interface Changes {
  readonly files?: number;
  readonly added?: number;
  readonly removed?: number;
  readonly names?: readonly string[];
}

export interface Waiting {
  readonly id: string;
  readonly machine: Ref;
  readonly project: Ref;
  readonly branch: string;
  readonly session: string;
  readonly rule: string;
  readonly description: string | null;
  readonly scope: string;
  readonly ttl?: number | null;
  readonly plan: string | null;
  readonly changes: Changes | null;
  readonly decision: string;
  readonly since: string;
  /** Only in events: how it ended. */
  readonly answer?: string | null;
  readonly answeredBy?: string | null;
  readonly closedAt?: string | null;
}

export interface Session {
  readonly id: string;
  readonly machine: Ref;
  readonly project: Ref;
  readonly branch: string;
  readonly host: string;
  readonly model: string | null;
  readonly doing: string | null;
  readonly heldBy: readonly string[];
  readonly heldSince: string | null;
  readonly loop: unknown;
  readonly phase: string | null;
  readonly gates: unknown;
  readonly lastAt: string;
  readonly endedAt: string | null;
}

export interface Decision {
  readonly id: string;
  readonly at: string;
  readonly machine: Ref;
  readonly project: Ref;
  readonly branch: string;
  readonly session: string;
  readonly host: string;
  readonly event: string;
  readonly tool: string | null;
  readonly kind: string;
  readonly rules: readonly string[];
  readonly actor: string | null;
  readonly channel: string | null;
  readonly mark?: Mark | null;
}

/** What a machine sent: it may be anything, though it should be text. */
export interface Grounds {
  readonly rule?: string;
  readonly place?: string;
  readonly fact?: string;
  readonly clear?: string;
  readonly waive?: string;
}

export interface Verdict {
  readonly guard?: string;
  readonly verdict?: unknown;
  readonly grounds?: unknown;
}

/** A row with everything that the machine sent; only fields that the page shows by name are listed. */
export interface WholeDecision extends Decision {
  /** The person who answered on the hub. */
  readonly by?: unknown;
  readonly verdicts?: unknown;
  readonly changes?: unknown;
  readonly ms?: unknown;
}

export interface RuleStats {
  readonly rule: string;
  readonly project: Ref | null;
  readonly held: number;
  /** How often it only warned, and how often it would have acted in shadow mode. */
  readonly warned: number;
  readonly shadowed: number;
  readonly asked: number;
  /** In seconds. */
  readonly cleared: { readonly median: number | null; readonly p90: number | null };
  readonly by: Readonly<Record<string, number>>;
  readonly falseAlarms: number;
  /** Holds per week, oldest first. */
  readonly weeks: readonly number[];
}

export interface Check {
  readonly id?: string;
  readonly name?: string;
  readonly status?: string;
  readonly durationMs?: number;
  readonly ms?: number;
}

export interface Run {
  readonly id: string;
  readonly at: string;
  readonly machine: Ref;
  readonly project: Ref;
  readonly branch: string;
  readonly session: string;
  readonly status: string;
  readonly ms: number | null;
  readonly checks: readonly Check[];
  readonly lines: readonly string[];
}

export interface Person {
  readonly id: string;
  readonly name: string;
  readonly role: Role;
}

export interface Machine {
  readonly id: string;
  readonly name: string;
  readonly lastSeen?: string | null;
  readonly revokedAt?: string | null;
}

export interface Invite {
  readonly url: string;
  readonly code: string;
}

export interface Reach {
  readonly webhook: { readonly url: string; readonly hasSecret: boolean } | null;
  readonly ntfy: { readonly url: string; readonly hasToken: boolean } | null;
}

export interface AuditEntry {
  readonly seq: number;
  readonly at: string;
  readonly actor: string;
  readonly action: string;
  readonly subject: string | null;
  readonly detail: unknown;
}
