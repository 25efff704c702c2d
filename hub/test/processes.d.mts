import type { Agent, IncomingHttpHeaders } from 'node:http';

export interface Postgres {
  url: string;
  version?: string;
  pid?(): number;
  restart?(): Promise<void>;
  kill?(): Promise<void>;
  stop(): Promise<void>;
  databaseAt(name: string): string;
}

export interface Exit {
  code: number | null;
  signal: string | null;
}

export interface HubProcess {
  url: string;
  setup: string | undefined | null;
  pid: number;
  startedMs: number;
  exited: Promise<Exit>;
  lines: string[];
  stderr(): string;
  stop(): Promise<Exit>;
  kill(): Promise<Exit>;
}

export interface HubOptions {
  data: string;
  database?: string | undefined;
  args?: string[];
  env?: Record<string, string>;
  port?: number;
}

export interface StreamEvent {
  event: string;
  id: string | undefined;
  data: Record<string, unknown>;
}

export interface Stream {
  status: number;
  headers: IncomingHttpHeaders;
  state: { comments: number; retry: number | undefined };
  ended: Promise<unknown>;
  close(): void;
}

export function mainFile(): string;
export function temporaryDirectory(): string;
export function processorSeconds(pid: number): number;
export function freePort(): Promise<number>;
export function startPostgres(settings?: Record<string, string | number>): Promise<Postgres | undefined>;
export function sql(
  url: string,
  text: string,
  values?: readonly unknown[],
): Promise<Record<string, unknown>[]>;
export function freshDatabase(postgres: Postgres): Promise<string>;
export function dropDatabase(postgres: Postgres, url: string): Promise<void>;
export function startHub(options: HubOptions): Promise<HubProcess>;
export function runHub(
  args: string[],
  options: { home: string; input?: string; env?: Record<string, string> },
): Promise<{ code: number; stdout: string; stderr: string }>;
export function openStream(
  url: string,
  headers: Record<string, string>,
  onEvent: (event: StreamEvent) => void,
  agent?: Agent,
): Promise<Stream>;
