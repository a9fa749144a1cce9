import { cachedFiles, type FilesByName } from './cache.ts';
import { makeClips } from './clips.ts';
import type { Format } from './content.ts';
import { captions, pdf, webPage } from './document.ts';
import { makeImages } from './images.ts';

export interface SandboxFile {
  type: string;
  format: Format;
  bytes: Buffer;
}

const KINDS: readonly (readonly [name: string, type: string, format: Format])[] = [
  ['photo.jpg', 'image/jpeg', 'image'],
  ['photo.png', 'image/png', 'image'],
  ['alpha.png', 'image/png', 'image'],
  ['anim.gif', 'image/gif', 'image'],
  ['photo.webp', 'image/webp', 'image'],
  ['rotated.jpg', 'image/jpeg', 'image'],
  ['tall.jpg', 'image/jpeg', 'image'],
  ['clip.mp4', 'video/mp4', 'isobmff'],
  ['clip.mov', 'video/quicktime', 'isobmff'],
  ['clip.webm', 'video/webm', 'webm'],
  ['doc.pdf', 'application/pdf', 'pdf'],
  ['upright.mp4', 'video/mp4', 'isobmff'],
  ['captions.srt', 'application/x-subrip', 'text'],
  ['page.html', 'text/html; charset=utf-8', 'text'],
];

let files: Promise<ReadonlyMap<string, SandboxFile>> | undefined;

/** Returns small real files of every kind by name. Generated once for each version of the generators, in about two seconds. */
export function makeFiles(): Promise<ReadonlyMap<string, SandboxFile>> {
  files ??= cachedFiles(generate).then(withKinds);
  return files;
}

async function generate(): Promise<FilesByName> {
  const [images, clips] = await Promise.all([makeImages(), makeClips()]);
  return new Map([
    ['photo.jpg', images.jpg],
    ['photo.png', images.png],
    ['alpha.png', images.alpha],
    ['anim.gif', images.gif],
    ['photo.webp', images.webp],
    ['rotated.jpg', images.rotated],
    ['tall.jpg', images.tall],
    ['clip.mp4', clips.mp4],
    ['clip.mov', clips.mov],
    ['clip.webm', clips.webm],
    ['doc.pdf', pdf()],
    ['upright.mp4', clips.upright],
    ['captions.srt', captions()],
    ['page.html', webPage()],
  ]);
}

function withKinds(bytesOf: FilesByName): ReadonlyMap<string, SandboxFile> {
  return new Map(
    KINDS.flatMap(([name, type, format]) => {
      const bytes = bytesOf.get(name);
      return bytes ? [[name, { type, format, bytes }]] : [];
    }),
  );
}
