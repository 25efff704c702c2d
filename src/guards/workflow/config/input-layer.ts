import { nearest } from '../../../config/nearest';
import * as say from './messages';
import type { WorkflowInput } from './schema';

/** One source of the section: the preset, the files of the older program, or what the user has written. */
export interface InputLayer {
  readonly input: WorkflowInput;
  /** Whether people wrote it for us: only there is a name that means nothing taken for a slip. */
  readonly written: boolean;
  /** Says what is wrong at a path below the section. */
  report(path: readonly string[], message: string, hint?: string): void;
}

/** Says that a name means nothing, and which one was probably meant. */
export function reportUnknown(
  layer: InputLayer,
  path: readonly string[],
  { name, message }: { readonly name: string; readonly message: string },
  known: Iterable<string>,
): void {
  const meant = nearest(name, known);
  layer.report(path, message, meant === undefined ? undefined : say.didYouMean(meant));
}

/** The value of the highest layer that has one. */
export function highest<K extends keyof WorkflowInput>(
  layers: readonly InputLayer[],
  key: K,
): WorkflowInput[K] | undefined {
  return layers.findLast((layer) => layer.input[key] !== undefined)?.input[key];
}

/** The entries of all layers, the higher ones replacing those of the same name. */
export function entriesOf<T>(
  layers: readonly InputLayer[],
  pick: (input: WorkflowInput) => Readonly<Record<string, T>> | undefined,
): ReadonlyMap<string, T> {
  return new Map(layers.flatMap(({ input }) => Object.entries(pick(input) ?? {})));
}
