/** The readers of file formats. Their libraries are large, and loaded when the first file is read. */
export { identify } from './identify.ts';
export { imageHeader } from './image-header.ts';
export { videoMetadata } from './video-metadata.ts';
