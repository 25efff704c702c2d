import type { JsonObject } from '../../../core/json';

/** One tool call of the scripted model. */
export interface Call {
  readonly name: string;
  readonly input: JsonObject;
}

/** What the scripted model answers: words and calls, or an error of the service. */
export type Turn =
  | {
      readonly kind: 'answer';
      readonly text: string;
      readonly calls: readonly Call[];
      /** How full the model's window is said to be. */
      readonly inputTokens: number;
    }
  | { readonly kind: 'error'; readonly status: number; readonly type: string; readonly text: string };

export function say(text: string): Turn {
  return { kind: 'answer', text, calls: [], inputTokens: 10 };
}

/** Several calls are made at once. */
export function call(...calls: readonly Call[]): Turn {
  return { kind: 'answer', text: '', calls, inputTokens: 10 };
}

export function bash(command: string): Call {
  return { name: 'Bash', input: { command, description: 'as scripted' } };
}

export function write(path: string, content: string): Call {
  return { name: 'Write', input: { file_path: path, content } };
}
