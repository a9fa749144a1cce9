import { chunks, resized } from '../../local/sandbox/media/content.ts';
import { makeFiles } from '../../local/sandbox/media/files.ts';

/** Returns small real files by name: `photo.jpg`, `anim.gif`, `clip.mp4`, `doc.pdf`, … Takes about a second. */
export async function sampleFiles(): Promise<(name: string) => Buffer> {
  const files = await makeFiles();
  return name => {
    const file = files.get(name);
    if (!file) throw new Error(`There is no sample ${name}`);
    return file.bytes;
  };
}

/** Returns an MP4 extended to `size` bytes by a box that players skip. */
export function padded(mp4: Buffer, size: number): Buffer {
  return Buffer.concat([...chunks(resized(mp4, 'isobmff', size), 0, size)]);
}
