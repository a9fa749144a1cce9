/** Acts on all items, so many at a time, in their order. */
export async function inParallel<T>(
  lanes: number,
  items: readonly T[],
  act: (item: T, index: number) => Promise<void>,
): Promise<void> {
  const left = items.entries();
  const lane = async () => {
    for (const [index, item] of left) await act(item, index);
  };
  await Promise.all(Array.from({ length: lanes }, lane));
}
