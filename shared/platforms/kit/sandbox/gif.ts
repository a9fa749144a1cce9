/** Counts the frames of a GIF by walking its blocks; 0 for other files. */
export function gifFrames(bytes: Uint8Array): number {
  const data = Buffer.from(bytes);
  if (!/^GIF8[79]a/.test(data.toString('latin1', 0, 6))) return 0;
  const table = (flags: number) => (flags & 0x80 ? 3 * 2 ** ((flags & 7) + 1) : 0);
  let at = 13 + table(data[10] ?? 0);
  let frames = 0;
  const skipBlocks = () => {
    while (at < data.length && data[at] !== 0) at += 1 + data[at]!;
    at += 1;
  };
  while (at < data.length && data[at] !== 0x3b) {
    if (data[at] === 0x2c) {
      frames += 1;
      at += 10 + table(data[at + 9] ?? 0) + 1;
    } else at += 2;
    skipBlocks();
  }
  return frames;
}
