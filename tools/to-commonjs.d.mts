/** Where a statement at the top of a bundle is from. */
export interface Origin {
  readonly file: string;
  readonly name: string;
}

export declare function toCommonJs(
  code: string,
  functions: {
    readonly originOf: (statement: { readonly declares: readonly string[] }) => Origin | undefined;
    readonly foldOf: (origin: Origin) => string | undefined;
    readonly nameFor: (origin: Origin) => string | undefined;
  },
): string;
