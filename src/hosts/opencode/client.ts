/*
 * As much of OpenCode's own types as the plugin uses. What comes from there may always be missing.
 */

/** A part of a message. */
export interface TextPart {
  readonly type: string;
  text?: string;
  readonly synthetic?: boolean;
}

/** What OpenCode knows of a session. */
export interface SessionInfo {
  readonly parentID?: string;
  readonly agent?: string;
  readonly time?: { readonly created?: number };
}

/** What OpenCode knows of a message. */
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
  readonly body: { readonly parts: readonly TextPart[]; readonly agent?: string; readonly model?: unknown };
}

/** The part of OpenCode's client that we call. */
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

/** Something that happened, as OpenCode's bus tells it. */
export interface BusEvent {
  readonly type: string;
  readonly properties?: {
    readonly sessionID?: string;
    readonly info?: SessionInfo & { readonly id?: string };
  };
}

type Hook<Input, Output> = (input: Input, output: Output) => Promise<void>;
type Call = { readonly tool: string; readonly sessionID: string; readonly callID: string };

/** What a plugin gives OpenCode. */
export interface Hooks {
  event?(input: { event: BusEvent }): Promise<void>;
  'chat.message'?: Hook<{ sessionID: string }, { message: MessageInfo; parts: TextPart[] }>;
  'command.execute.before'?: Hook<
    { command: string; sessionID: string; arguments: string },
    { parts: TextPart[] }
  >;
  'tool.execute.before'?: Hook<Call, { args: unknown }>;
  'tool.execute.after'?: Hook<Call & { args?: unknown }, { output: string; metadata?: unknown }>;
  'shell.env'?: Hook<{ sessionID?: string }, { env: Record<string, string> }>;
}
