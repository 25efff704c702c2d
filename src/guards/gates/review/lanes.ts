/** Does some work for every item, on at most so many at a time, and gives the results in their order. */
export async function inLanes<Item, Done>(
  items: readonly Item[],
  lanes: number,
  work: (item: Item) => Promise<Done>,
): Promise<readonly Done[]> {
  const done: Done[] = [];
  const queue = items.map((item, at) => ({ item, at }));
  const lane = async (): Promise<void> => {
    for (let next = queue.shift(); next !== undefined; next = queue.shift()) {
      done[next.at] = await work(next.item);
    }
  };
  await Promise.all(Array.from({ length: Math.min(lanes, items.length) }, lane));
  return done;
}
