import { HOUR } from '../../time/instant.ts';
import type { ErrorRow } from '../families/meta/error-row.ts';
import { UPLOAD_ERRORS } from '../families/meta/rupload.ts';

const MEDIA = { kind: 'rejected', failure: 'MEDIA_REJECTED' } as const;
const CONTENT = { kind: 'rejected', failure: 'CONTENT_REJECTED' } as const;
const DENIED = { kind: 'rejected', failure: 'PERMISSION_MISSING' } as const;
const UNAVAILABLE = { kind: 'transient', failure: 'PLATFORM_UNAVAILABLE', outcomeUnknown: true } as const;
/** The upload is started again, which the publisher does once or twice. */
const BROKEN_UPLOAD = { kind: 'transient', failure: 'MEDIA_REJECTED' } as const;

/**
 * Errors of Facebook beside those that all Graph APIs share. Meta lists the video codes and publishes no list of the
 * others; they are read as other publishers have met them.
 *
 * @see https://developers.facebook.com/docs/video-api/guides/publishing
 */
export const FACEBOOK_ERRORS: readonly ErrorRow[] = [
  ...UPLOAD_ERRORS,
  // Facebook may have published the post, and list it only much later: one repetition at most, and then nobody knows.
  { code: 2, purpose: 'commit', ...UNAVAILABLE, failure: 'DELIVERY_UNKNOWN', retries: 1 },
  { either: [1363019, 1363021, 1363030, 1363033, 1363037, 1363041, 1363045], ...BROKEN_UPLOAD },
  { either: [1363047, 1609010], ...BROKEN_UPLOAD },
  { either: [1363022], ...MEDIA, advice: 'The video must have at least 1 KB.' },
  { either: [1363023], ...MEDIA, advice: 'The video must have at most 2 GB.' },
  { either: [1363024, 1363031, 1363032], ...MEDIA, advice: 'Use an MP4 or MOV file.' },
  { either: [1363025], ...MEDIA, advice: 'The video must last at least 1 second.' },
  { either: [1363026], ...MEDIA, advice: 'Use a shorter video.' },
  { either: [1363040], ...MEDIA, advice: 'The aspect ratio must be between 16:9 and 9:16.' },
  { either: [1363042, 1363005], ...DENIED },
  { either: [1363127], ...MEDIA, advice: 'A Reel must have at least 540 x 960 pixels.' },
  { either: [1363128], ...MEDIA, advice: 'A Reel must last 3 to 90 seconds.' },
  { either: [1363129], ...MEDIA, advice: 'A Reel must have 24 to 60 frames per second.' },
  { either: [1366046], ...MEDIA, advice: 'A photo must have at most 4 MB and be a JPEG, PNG or GIF.' },
  { either: [1366051], kind: 'rejected', failure: 'DUPLICATE_REJECTED' },
  {
    either: [1390008],
    kind: 'rate_limited',
    failure: 'PLATFORM_RATE_LIMIT',
    waitMs: HOUR,
    acceptsPosts: true,
  },
  { either: [1346003, 1404102], ...CONTENT },
  { either: [1404006], ...CONTENT, advice: 'Log in at facebook.com and complete the security check.' },
  { either: [1404112], ...CONTENT, advice: 'Facebook has limited the account for some days.' },
  {
    either: [1404078],
    ...DENIED,
    advice: 'Complete the Page Publishing Authorization at facebook.com, then reconnect the account.',
  },
  { either: [4854002], ...CONTENT, advice: 'Confirm your identity in the Facebook app.' },
  { either: [2061006], ...CONTENT, advice: 'Check the links in the text.' },
  { either: [2069019], ...MEDIA },
];
