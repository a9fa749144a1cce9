import { makeFiles } from '../../local/sandbox/media/files.ts';

/** Small real files by name: `photo.jpg`, `anim.gif`, `clip.mp4`, `doc.pdf`, … (about a second to make). */
export async function sampleFiles(): Promise<(name: string) => Buffer> {
  const files = await makeFiles();
  return name => {
    const file = files.get(name);
    if (!file) throw new Error(`There is no sample ${name}`);
    return file.bytes;
  };
}
