export interface Row {
  readonly name: string;
  readonly cpuRatio: number;
  readonly smallest?: string;
  readonly growth?: number;
}

export interface Budgets {
  readonly events: Readonly<Record<string, number>>;
  readonly growth: Readonly<Record<string, number>>;
}

export function overBudget(rows: readonly Row[], budgets: Budgets, isWhole: boolean): string[];
