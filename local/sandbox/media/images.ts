import sharp from 'sharp';

/** Renders a landscape as PNG. */
export function photo(width: number, height: number): Promise<Buffer> {
  return sharp(Buffer.from(landscape(width, height)))
    .removeAlpha()
    .png()
    .toBuffer();
}

export interface Images {
  jpg: Buffer;
  png: Buffer;
  alpha: Buffer;
  gif: Buffer;
  webp: Buffer;
  rotated: Buffer;
  tall: Buffer;
}

export async function makeImages(): Promise<Images> {
  const picture = await photo(1200, 800);
  const [jpg, png, alpha, gif, webp, rotated, tall] = await Promise.all([
    sharp(picture).jpeg({ quality: 85 }).toBuffer(),
    sharp(picture).png().toBuffer(),
    sharp(Buffer.from(badge(600)))
      .png()
      .toBuffer(),
    animation(320, 180),
    sharp(picture).webp({ quality: 80 }).toBuffer(),
    sharp(picture).rotate(-90).withMetadata({ orientation: 6 }).jpeg({ quality: 85 }).toBuffer(),
    photo(720, 2160).then(image => sharp(image).jpeg({ quality: 85 }).toBuffer()),
  ]);
  return { jpg, png, alpha, gif, webp, rotated, tall };
}

/** Renders an animated GIF of eight frames. */
async function animation(width: number, height: number): Promise<Buffer> {
  const frames = await Promise.all(
    Array.from({ length: 8 }, (_, frame) =>
      sharp(Buffer.from(landscape(width, height, 0.75 - frame * 0.07)))
        .removeAlpha()
        .png()
        .toBuffer(),
    ),
  );
  return sharp(frames, { join: { animated: true } })
    .gif({ delay: frames.map(() => 120), loop: 0 })
    .toBuffer();
}

/** `sun` is the vertical position of the sun as a fraction of the height. */
function landscape(width: number, height: number, sun = 0.3): string {
  const radius = Math.min(width, height) * 0.12;
  const hill = (level: number, bend: number) =>
    `M0 ${height * level} Q${width * 0.3} ${height * (level - bend)} ${width * 0.6} ${height * level}` +
    ` T${width} ${height * (level - bend / 2)} V${height} H0 Z`;
  return `<svg xmlns="http://www.w3.org/2000/svg" width="${width}" height="${height}">
    <defs><linearGradient id="sky" x1="0" y1="0" x2="0" y2="1">
      <stop offset="0" stop-color="#2b5876"/><stop offset="0.6" stop-color="#f7a072"/><stop offset="1" stop-color="#ffe3c2"/>
    </linearGradient></defs>
    <rect width="100%" height="100%" fill="url(#sky)"/>
    <circle cx="${width * 0.68}" cy="${height * sun}" r="${radius}" fill="#fff4d6"/>
    <path d="${hill(0.62, 0.14)}" fill="#6b5b95"/>
    <path d="${hill(0.74, 0.1)}" fill="#4a4e7c"/>
    <path d="${hill(0.86, 0.08)}" fill="#2a2f4f"/>
  </svg>`;
}

/** A round badge on a transparent background. */
function badge(size: number): string {
  const middle = size / 2;
  return `<svg xmlns="http://www.w3.org/2000/svg" width="${size}" height="${size}">
    <circle cx="${middle}" cy="${middle}" r="${size * 0.42}" fill="#1d9a8a" fill-opacity="0.85"/>
    <path d="M${size * 0.32} ${middle} l${size * 0.13} ${size * 0.14} l${size * 0.24} -${size * 0.28}"
      fill="none" stroke="#fff" stroke-width="${size * 0.07}" stroke-linecap="round" stroke-linejoin="round"/>
  </svg>`;
}
