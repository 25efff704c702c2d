/** For the statistics of rules that only warn, or only record what they would hold. */
export const toldAndShadowed: readonly string[] = [
  `create index decisions_told on decisions (at desc) where kind = 'advise'`,
  `create index decisions_shadowed on decisions (at desc) where body @> '{"verdicts":[{"verdict":"shadow"}]}'`,
];
