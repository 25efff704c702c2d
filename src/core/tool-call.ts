import type { JsonObject } from './json';

/** What a tool does, whatever its host calls it. */
export type Operation =
  | 'shell'
  | 'write'
  | 'edit'
  | 'patch'
  | 'delete'
  | 'read'
  | 'search'
  | 'web'
  | 'agent'
  | 'skill'
  | 'mcp'
  | 'plan'
  | 'task'
  | 'other';

/** One tool call. Facts that the host did not give are absent, never guessed. */
export interface ToolCall {
  readonly nativeName: string;
  /** Every name under which a rule may mention this tool: the native one first, then its aliases. */
  readonly names: readonly string[];
  readonly op: Operation;
  readonly callId?: string;
  readonly input: JsonObject;
  readonly command?: string;
  /** Absolute paths that the call names as its target. */
  readonly paths: readonly string[];
  readonly newText?: string;
  /** The host may change a file also where the call does not fit it to the letter, so its result cannot be foretold. */
  readonly isInexact?: boolean;
  readonly agentType?: string;
  readonly prompt?: string;
  readonly skill?: string;
  readonly mcp?: { readonly server: string; readonly tool: string };
  readonly background?: boolean;
}
