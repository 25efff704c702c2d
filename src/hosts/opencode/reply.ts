/** What an answer tells the plugin to do; printed as one line of JSON like any other host's. */
export interface Reply {
  /** The call is to be refused with these words. */
  readonly deny?: string;
  /** The agent is to go on, with these words as its prompt. */
  readonly prompt?: string;
  /** Something for the agent to read. */
  readonly context?: string;
  /** Something for the person to see. */
  readonly notice?: string;
}

export const REPLY_KEYS = ['deny', 'prompt', 'context', 'notice'] as const;

/** The reply in an answer's standard output; nothing where there is none. */
export function replyIn(stdout: string): Reply {
  return stdout === '' ? {} : (JSON.parse(stdout) as Reply);
}
