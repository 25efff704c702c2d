/** Something at the top of a chunk: a function, or a variable with what is needed to make its value. */
export interface Unit {
  readonly id: string;
  readonly directory: string;
  readonly size: number;
}

/** What one kind of event has a use for, by ids, and what V8's kept code has for it. */
export interface SeenEvent {
  readonly weight: number;
  readonly used: ReadonlySet<string>;
  readonly kept: ReadonlySet<string>;
}

export declare function chooseFolds(
  units: readonly Unit[],
  events: readonly SeenEvent[],
): Map<string, string>;
