/** As much of OpenCode's own types as the plugin uses. What comes from there may always be missing. */

export interface TextPart {
  readonly type: string;
  text?: string;
  readonly synthetic?: boolean;
}

export interface SessionInfo {
  readonly parentID?: string;
  readonly agent?: string;
  readonly time?: { readonly created?: number };
}

export interface MessageInfo {
  readonly role?: string;
  readonly agent?: string;
  readonly model?: unknown;
  readonly error?: { readonly name?: string };
}

interface ById {
  readonly path: { readonly id: string };
}

interface PromptRequest extends ById {
  readonly body: {
    readonly parts: readonly TextPart[];
    readonly agent?: string;
    readonly model?: unknown;
  };
}

export interface Client {
  readonly session: {
    get(request: ById): Promise<{ data?: SessionInfo }>;
    messages(request: ById): Promise<{ data?: readonly { info: MessageInfo; parts: readonly TextPart[] }[] }>;
    prompt(request: PromptRequest): Promise<unknown>;
    promptAsync?(request: PromptRequest): Promise<unknown>;
  };
  readonly app: {
    log(request: { body: { service: string; level: string; message: string } }): Promise<unknown>;
  };
  readonly tui?: {
    showToast(request: { body: { message: string; variant: string } }): Promise<unknown>;
  };
}

/** What OpenCode gives a plugin. */
export interface PluginInput {
  readonly client: Client;
  readonly directory: string;
}

interface OfCall {
  readonly tool: string;
  readonly sessionID: string;
  readonly callID: string;
}

export interface BusEvent {
  readonly type: string;
  readonly properties?: {
    readonly sessionID?: string;
    readonly info?: SessionInfo & { readonly id?: string };
  };
}

/** What a plugin gives OpenCode. */
export interface Hooks {
  event?(input: { event: BusEvent }): Promise<void>;
  'chat.message'?(
    input: { sessionID: string },
    output: { message: MessageInfo; parts: TextPart[] },
  ): Promise<void>;
  'command.execute.before'?(
    input: { command: string; sessionID: string; arguments: string },
    output: { parts: TextPart[] },
  ): Promise<void>;
  'tool.execute.before'?(input: OfCall, output: { args: unknown }): Promise<void>;
  'tool.execute.after'?(
    input: OfCall & { args?: unknown },
    output: { title?: string; output: string; metadata?: unknown },
  ): Promise<void>;
  'shell.env'?(input: { sessionID?: string }, output: { env: Record<string, string> }): Promise<void>;
}
