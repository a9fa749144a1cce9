/** Runs `act` for every item, in order, at most `limit` at a time. */
export async function inParallel<T>(
  limit: number,
  items: readonly T[],
  act: (item: T, index: number) => Promise<void>,
): Promise<void> {
  const left = items.entries();
  const work = async () => {
    for (const [index, item] of left) await act(item, index);
  };
  await Promise.all(Array.from({ length: limit }, work));
}
