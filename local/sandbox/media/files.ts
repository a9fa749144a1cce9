import { makeClips } from './clips.ts';
import type { Format } from './content.ts';
import { pdf, webPage } from './document.ts';
import { makeImages } from './images.ts';

export interface SandboxFile {
  type: string;
  format: Format;
  bytes: Buffer;
}

let files: Promise<ReadonlyMap<string, SandboxFile>> | undefined;

/** Returns small real files of every kind by name. Generated once per process, in about a second. */
export function makeFiles(): Promise<ReadonlyMap<string, SandboxFile>> {
  files ??= build();
  return files;
}

async function build(): Promise<ReadonlyMap<string, SandboxFile>> {
  const [images, clips] = await Promise.all([makeImages(), makeClips()]);
  const file = (type: string, format: Format, bytes: Buffer): SandboxFile => ({ type, format, bytes });
  return new Map([
    ['photo.jpg', file('image/jpeg', 'image', images.jpg)],
    ['photo.png', file('image/png', 'image', images.png)],
    ['alpha.png', file('image/png', 'image', images.alpha)],
    ['anim.gif', file('image/gif', 'image', images.gif)],
    ['photo.webp', file('image/webp', 'image', images.webp)],
    ['rotated.jpg', file('image/jpeg', 'image', images.rotated)],
    ['tall.jpg', file('image/jpeg', 'image', images.tall)],
    ['clip.mp4', file('video/mp4', 'isobmff', clips.mp4)],
    ['clip.mov', file('video/quicktime', 'isobmff', clips.mov)],
    ['clip.webm', file('video/webm', 'webm', clips.webm)],
    ['doc.pdf', file('application/pdf', 'pdf', pdf())],
    ['page.html', file('text/html; charset=utf-8', 'html', webPage())],
  ]);
}
