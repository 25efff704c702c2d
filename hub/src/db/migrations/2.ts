/** Indexes for the statistics of rules that only warn, or that run in shadow mode. */
export const toldAndShadowed: readonly string[] = [
  `create index decisions_told on decisions (at desc) where kind = 'advise'`,
  `create index decisions_shadowed on decisions (at desc) where body @> '{"verdicts":[{"verdict":"shadow"}]}'`,
];
