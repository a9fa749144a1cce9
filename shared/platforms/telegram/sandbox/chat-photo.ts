import sharp from 'sharp';

let photo: Promise<Buffer> | undefined;

/** The photo of public chats. */
export function chatPhoto(): Promise<Buffer> {
  photo ??= sharp({ create: { width: 160, height: 160, channels: 3, background: '#1b8ac4' } })
    .png()
    .toBuffer();
  return photo;
}
