import type { CodecParameters, Frame } from 'node-av/lib';
import {
  AVCOL_SPC_UNSPECIFIED,
  AVCOL_TRC_ARIB_STD_B67,
  AVCOL_TRC_SMPTE2084,
  AV_PKT_DATA_DISPLAYMATRIX,
} from 'node-av/constants';
import type { PictureFormat } from '../format.ts';

/** Returns what a chain of filters depends on: when it changes, the chain must be built again. */
export function pictureSource(frame: Frame, fps: number): string {
  const { width, height, format, sampleAspectRatio: sar, colorSpace, colorRange } = frame;
  const aspect = sar.num > 0 && sar.den > 0 ? `${sar.num}/${sar.den}` : '1/1';
  const colors = `colorspace=${colorSpace}:range=${colorRange}`;
  return `video_size=${width}x${height}:pix_fmt=${format}:time_base=1/${fps}:pixel_aspect=${aspect}:${colors}`;
}

/** Returns the filters that turn the frame upright and fit it into the output with bars, in colors of BT.709. */
export function pictureFilters(frame: Frame, rotation: string, { width, height }: PictureFormat): string {
  const { num, den } = frame.sampleAspectRatio;
  const isSquare = num <= 0 || den <= 0 || num === den;
  return [
    rotation,
    isSquare ? '' : `scale=w='max(2,trunc(iw*sar/2)*2)':h=ih:flags=fast_bilinear,setsar=1`,
    `scale=${width}:${height}:force_original_aspect_ratio=decrease:force_divisible_by=2:flags=bicubic` +
      `:in_color_matrix=${colorMatrix(frame)}:out_color_matrix=bt709:out_range=tv`,
    isHdr(frame) ? HDR_TO_SDR : '',
    `pad=${width}:${height}:(ow-iw)/2:(oh-ih)/2`,
    'setsar=1',
    'format=yuv420p',
  ]
    .filter(filter => filter !== '')
    .join(',');
}

const HDR_TO_SDR =
  'zscale=t=linear:npl=203,format=gbrpf32le,zscale=p=bt709,tonemap=mobius:desat=0,zscale=t=bt709:m=bt709:r=tv';

const isHdr = ({ colorTrc }: Frame) =>
  colorTrc === AVCOL_TRC_SMPTE2084 || colorTrc === AVCOL_TRC_ARIB_STD_B67;

/** Files without a color space follow the convention: BT.709 for HD, BT.601 below. */
function colorMatrix({ colorSpace, height }: Frame): string {
  if (colorSpace !== AVCOL_SPC_UNSPECIFIED) return 'auto';
  return height >= 720 ? 'bt709' : 'bt601';
}

/** Returns the filters for the display matrix of a stream: phones store upright video as a rotated one. */
export function rotationFilters(parameters: Pick<CodecParameters, 'getCodedSideData'>): string {
  const matrix = parameters.getCodedSideData(AV_PKT_DATA_DISPLAYMATRIX);
  if (!matrix || matrix.length < 36) return '';
  const [a, b, c, d] = [0, 4, 12, 16].map(offset => Math.sign(matrix.readInt32LE(offset)));
  if (a === 0 && d === 0 && b === 1 && c === -1) return 'transpose=clock';
  if (a === -1 && d === -1) return 'hflip,vflip';
  if (a === 0 && d === 0 && b === -1 && c === 1) return 'transpose=cclock';
  return '';
}
