/**
 * What is over its budget, a sentence each. Processor time decides: events are held against `node -e 0` of
 * the same run, rows that have a smallest sibling against that one. In a whole run a budget that no row
 * answers to is a mistake too.
 */
export function overBudget(rows, { events, growth }, isWhole) {
  const unknown = isWhole ? unanswered(rows, [...Object.keys(events), ...Object.keys(growth)]) : [];
  return [
    ...rows.flatMap((row) => sentence(row.name, row.cpuRatio, events[row.name], 'node -e 0')),
    ...rows.flatMap((row) => sentence(row.name, row.growth, growth[row.name], row.smallest)),
    ...unknown,
  ];
}

function sentence(name, ratio, budget, base) {
  if (budget === undefined || ratio === undefined || ratio <= budget) return [];
  return [`${name}: ${ratio.toFixed(3)} of ${base} is over its budget of ${budget}`];
}

function unanswered(rows, names) {
  return names
    .filter((name) => !rows.some((row) => row.name === name))
    .map((name) => `budgets.json has a budget for "${name}", which was not measured`);
}
