import type { Layout } from '../state/layout';
import type { Chunks } from './chunks';
import type { Event } from './event';
import type { Failure } from './failure';
import type { GitHead } from './git-head';
import type { Guard } from './guard';
import type { Json } from './json';
import type { Project } from './project';
import type { Stead } from './stead';

/** A guard that is concerned by the event, with its own part of the config. */
export interface ActiveGuard {
  readonly guard: Guard;
  readonly config: Json;
  readonly onError: 'allow' | 'hold';
  /** Why it cannot speak, where it could not be loaded. */
  readonly failure?: Failure;
}

/** Everything that stays the same while one event is handled. */
export interface Scene {
  readonly event: Event;
  readonly project: Project;
  readonly git: GitHead | undefined;
  readonly layout: Layout;
  readonly env: Readonly<Record<string, string | undefined>>;
  readonly chunks: Chunks;
  readonly guards: readonly ActiveGuard[];
  /** Rules named one by one on the command line. */
  readonly rules: readonly string[];
  /** Whether a guard's own command asks, not a host about everything. */
  readonly literal: boolean;
  /** What is wrong with the config, ready to be shown. */
  readonly problems: readonly string[];
  readonly stopLimit: number;
  readonly startedAt: number | undefined;
  readonly parentPid: number;
  readonly stead: Stead | undefined;
  readonly id: string;
}
