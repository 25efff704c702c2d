// Chooses which functions of a chunk stand together in a fold, by which events run them. What an event pays for is
// counted in thousands of instructions, as cachegrind tells them of Node 20, and the cheapest places are looked for.

/** For an event that has no use for it: to make a function from kept code, and to have it as an object of its own. */
const UNUSED = { made: 2.2, there: 1 };
/** The same of a fold that is never opened, and of one that is; the functions in it come on top. */
const CLOSED = { made: 2.4, there: 1 };
const OPEN = { made: 6, there: 5 };
/** What no event ran is parted by directories that have so many of it: who needs one function gets all of its fold. */
const LARGE_DIRECTORY = 25;

/**
 * The fold of each unit that is better off in one. `units` have an `id`, a `directory` and a `size`, the number of
 * functions that they are. `events` have a `weight`, what they have `used`, and what is `kept` for them, which others
 * may have used.
 */
export function chooseFolds(units, events) {
  const never = units.filter(({ id }) => !events.some(({ used, kept }) => used.has(id) || kept.has(id)));
  const classes = classesOf(
    units.filter((one) => !never.includes(one)),
    events,
  );
  const groups = moved(merged(classes, events), events);
  const folds = new Map(never.map(({ id, directory }) => [id, foldOfNever(directory, never)]));
  groups.slice(1).forEach((group, index) => {
    for (const { ids } of group) for (const id of ids) folds.set(id, `${index + 1}`);
  });
  return folds;
}

function foldOfNever(directory, never) {
  return never.filter((one) => one.directory === directory).length >= LARGE_DIRECTORY ? `-${directory}` : '-';
}

/** Units that the same events use: how many functions they are, and for each event how many of them it has use for. */
function classesOf(units, events) {
  const classes = new Map();
  for (const { id, size } of units) {
    const marks = events.map(({ used, kept }) => (used.has(id) ? 2 : kept.has(id) ? 1 : 0));
    const key = marks.join('');
    const { ids = [], size: before = 0 } = classes.get(key) ?? {};
    classes.set(key, { marks, ids: [...ids, id], size: before + size });
  }
  return [...classes.values()];
}

/** What a group of classes costs all events. The first group is the top, which is always open. */
function costOf(group, isTop, events) {
  const size = sum(group.map((one) => one.size));
  const costs = events.map(({ weight }, index) => {
    const usedBy = (least) => sum(group.map((one) => (one.marks[index] >= least ? one.size : 0)));
    const unmade = size - usedBy(1);
    const unused = size - usedBy(2);
    const made = isTop || unmade < size ? (isTop ? 0 : OPEN.made) + unmade * UNUSED.made : CLOSED.made;
    const there = isTop || unused < size ? (isTop ? 0 : OPEN.there) + unused * UNUSED.there : CLOSED.there;
    return weight * (made + there);
  });
  return group.length === 0 ? 0 : sum(costs);
}

/** Begins with a group for each class, and joins the two that save most by it as long as any do. */
function merged(classes, events) {
  const groups = [[], ...classes.map((one) => [one])];
  const costs = groups.map((group, index) => costOf(group, index === 0, events));
  const savings = new Map();
  for (;;) {
    let best = { saved: 0 };
    for (let a = 0; a < groups.length; a++) {
      for (let b = a + 1; b < groups.length; b++) {
        const saved = savingOf(a, b, { groups, costs, savings, events });
        if (saved > best.saved + 1e-6) best = { saved, a, b };
      }
    }
    if (best.a === undefined) return groups;
    groups[best.a] = [...groups[best.a], ...groups[best.b]];
    costs[best.a] = costOf(groups[best.a], best.a === 0, events);
    groups.splice(best.b, 1);
    costs.splice(best.b, 1);
  }
}

/** The same two groups are asked about at every turn. */
function savingOf(a, b, { groups, costs, savings, events }) {
  const known = savings.get(groups[a]) ?? new Map();
  savings.set(groups[a], known);
  if (!known.has(groups[b])) {
    const together = costOf([...groups[a], ...groups[b]], a === 0, events);
    known.set(groups[b], costs[a] + costs[b] - together);
  }
  return known.get(groups[b]);
}

/** Puts each class where it costs least, until all stand where they should. */
function moved(groups, events) {
  const cost = (group, index) => costOf(group, index === 0, events);
  for (let turn = 0, isSettled = false; turn < 20 && !isSettled; turn++) {
    isSettled = true;
    for (const one of groups.flat()) {
      const from = groups.findIndex((group) => group.includes(one));
      const rest = groups[from].filter((other) => other !== one);
      const spared = cost(groups[from], from) - cost(rest, from);
      const added = groups.map((group, index) =>
        index === from ? spared : cost([...group, one], index) - cost(group, index),
      );
      const to = added.indexOf(Math.min(...added));
      if (added[to] > spared - 1e-6) continue;
      groups[from] = rest;
      groups[to] = [...groups[to], one];
      isSettled = false;
    }
  }
  return groups.filter((group, index) => index === 0 || group.length > 0);
}

function sum(numbers) {
  return numbers.reduce((total, number) => total + number, 0);
}
