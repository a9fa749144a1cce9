import { graphError, type GraphErrorBody } from '../../families/meta/sandbox/responses.ts';

type Row = Omit<GraphErrorBody, 'subcode'>;

/** Errors of the Instagram API by subcode; all are sent with status 400. */
const ERRORS: Readonly<Record<number, Row>> = {
  110: { code: 110, message: 'The user cannot be found' },
  2207003: { code: -2, message: 'Timeout', user_message: 'It takes too long to download the media.' },
  2207004: {
    code: 36000,
    message: 'The image is too large',
    user_message: 'The image is too large to download. It should be less than 8 MiB.',
  },
  2207005: {
    code: 36001,
    message: 'The image format is not supported',
    user_message: 'The image format is not supported. Please check spec for supported formats: JPEG.',
  },
  2207006: {
    code: 24,
    message: 'The media cannot be found',
    user_message:
      'Possible permission error due to missing permission or expired token. Generate a new container and use it to try again.',
  },
  2207008: {
    code: 24,
    message: 'The requested resource does not exist',
    user_message: 'The media builder with this creation id does not exist or has been expired.',
  },
  2207009: {
    code: 36003,
    message: 'The aspect ratio is not supported',
    user_message:
      'The submitted image has an aspect ratio that is not supported. It must be within 4:5 to 1.91:1.',
  },
  2207010: {
    code: 36004,
    message: 'The caption was too long.',
    user_message: 'The caption is too long, or has too many hashtags or tags.',
  },
  2207020: {
    code: -2,
    message: 'Media expired',
    user_message:
      'The media you are trying to access has expired. Generate a new container and use it to try again.',
  },
  2207023: { code: 100, message: 'Unknown media type', user_message: 'The media type is unknown.' },
  2207027: {
    code: 9007,
    message: 'Media ID is not available',
    user_message: 'The media is not ready for publishing, please wait for a moment',
  },
  2207028: {
    code: 100,
    message: 'Carousel validation failed',
    user_message: 'Carousels need at least 2 and at most 10 items.',
  },
  2207040: { code: 100, message: 'Too many tags', user_message: 'Cannot use more than 20 tags.' },
  2207042: {
    code: 9,
    message: 'Application request limit reached',
    user_message:
      'You reached the maximum number of posts that is allowed to be published by Content Publishing API.',
  },
  2207050: {
    code: 25,
    message: 'The account is restricted',
    user_message:
      'The Instagram professional account is inactive, checkpointed, or restricted. Open the app and follow the instructions.',
  },
  2207051: {
    code: 4,
    message: 'Application request limit reached',
    user_message: 'We restrict certain activity to protect our community.',
  },
  2207052: {
    code: 9004,
    message: 'Only photo or video can be accepted as media type.',
    user_message: 'The media could not be fetched from this URI.',
  },
  2207057: {
    code: 1,
    message: 'Invalid thumbnail offset',
    user_message: 'The thumbnail offset must be within the video.',
  },
  2207073: {
    code: -1,
    message: 'Media Type Not Supported',
    user_message: 'This kind of media cannot be deleted.',
  },
  2207089: {
    code: 100,
    message: 'VIDEO is no longer supported, use REELS',
    user_message: 'Use the REELS media type to publish a video.',
  },
};

/** Ends the request with an error of Instagram. `detail` is added to the message. */
export function refuse(subcode: number, detail = ''): never {
  const { message, ...row } = ERRORS[subcode] ?? { code: -1, message: 'Fatal' };
  return graphError({
    ...row,
    message: detail === '' ? message : `${message}: ${detail}`,
    is_transient: false,
    ...(subcode === 110 ? {} : { subcode, title: message }),
  });
}
