import type { ReviewerName } from '../../guards/gates/review/reviewers';

/** What a first config shall hold. */
export interface Beginning {
  readonly baseBranch: string;
  /** Who may be asked for reviews; empty where nobody was found. */
  readonly reviewers: readonly ReviewerName[];
  /** The one directory that the gates are for. */
  readonly source: string;
  /** Commands by the names of their checks. */
  readonly checks: Readonly<Record<string, string>>;
  /** Those that get a command of their own for the loop of running and mending. */
  readonly agents: readonly CommandAgent[];
}

/** Agents whose projects can have commands of their own. */
export const COMMAND_AGENTS = ['claude', 'gemini'] as const;

export type CommandAgent = (typeof COMMAND_AGENTS)[number];
