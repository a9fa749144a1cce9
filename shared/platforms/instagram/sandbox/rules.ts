import * as v from 'valibot';
import { invalidParameter } from '../../families/meta/sandbox/responses.ts';
import type { GraphHost } from './access.ts';
import { refuse } from './errors.ts';
import { KINDS, type Kind } from './state.ts';

/* What `POST /{account}/media` accepts. */

export type Params = Readonly<Record<string, string>>;

export interface Request {
  kind: Kind;
  isChild: boolean;
  params: Params;
}

const TAGS = ['caption', 'location_id', 'collaborators'];
const EVERYWHERE = ['access_token', 'appsecret_proof', 'media_type'];
const SOURCES = ['image_url', 'video_url', 'children', 'upload_type'];
/** Parameters by kind, in a post of its own. */
const OWN: Readonly<Record<Kind, readonly string[]>> = {
  IMAGE: ['image_url', ...TAGS, 'alt_text', 'user_tags', 'is_ai_generated'],
  VIDEO: [],
  REELS: [
    'video_url',
    'upload_type',
    ...TAGS,
    'user_tags',
    'share_to_feed',
    'cover_url',
    'thumb_offset',
    'trial_params',
    'is_ai_generated',
  ],
  STORIES: ['image_url', 'video_url', 'upload_type', 'user_tags', 'is_ai_generated'],
  CAROUSEL: ['children', ...TAGS, 'share_to_feed', 'is_ai_generated'],
};
/** Parameters of a child. A caption is ignored. */
const CHILD: Readonly<Partial<Record<Kind, readonly string[]>>> = {
  IMAGE: ['image_url', 'is_carousel_item', 'alt_text', 'user_tags', 'caption'],
  VIDEO: ['video_url', 'upload_type', 'is_carousel_item', 'thumb_offset', 'caption'],
};
/** Further parameters of posts through graph.facebook.com. */
const FACEBOOK_ONLY = [
  'audio_name',
  'audio_configuration',
  'product_tags',
  'is_paid_partnership',
  'branded_content_sponsor_ids',
];

/** Checks the parameters and returns what they ask for. Ends the request with the error of the real server. */
export function checkParameters(params: Params, host: GraphHost): Request {
  const isChild = params['is_carousel_item'] === 'true';
  const kind = kindOf(params);
  const sources = SOURCES.filter(name => params[name] !== undefined);
  if (sources.length !== 1)
    return invalidParameter('Exactly one of image_url, video_url, children and upload_type is required');
  if (kind === 'VIDEO' && !isChild) refuse(2207089);
  const known = isChild ? (CHILD[kind] ?? []) : OWN[kind];
  const accepted = [
    ...EVERYWHERE,
    ...known,
    ...(host === 'graph.facebook.com' && !isChild ? FACEBOOK_ONLY : []),
  ];
  for (const name of Object.keys(params)) {
    if (!accepted.includes(name)) return invalidParameter(`param ${name} is not allowed`);
  }
  if (
    params['upload_type'] !== undefined &&
    (host !== 'graph.facebook.com' || params['upload_type'] !== 'resumable')
  ) {
    return invalidParameter('upload_type must be resumable, at graph.facebook.com only');
  }
  checkText(params, isChild);
  checkTags(params, kind);
  checkValues(params);
  return { kind, isChild, params };
}

function kindOf(params: Params): Kind {
  const type = params['media_type'];
  if (type === undefined) return params['image_url'] === undefined ? 'VIDEO' : 'IMAGE';
  return KINDS.find(kind => kind === type) ?? refuse(2207023);
}

function checkText(params: Params, isChild: boolean): void {
  const caption = isChild ? '' : (params['caption'] ?? '');
  const count = (pattern: RegExp) => caption.match(pattern)?.length ?? 0;
  const isTooMuch =
    Array.from(caption).length > 2200 ||
    count(/#[\p{L}\p{M}\p{N}_]*[\p{L}_][\p{L}\p{M}\p{N}_]*/gu) > 30 ||
    count(/@[a-z0-9._]+/giu) > 20;
  if (isTooMuch) refuse(2207010);
  if (Array.from(params['alt_text'] ?? '').length > 1000) invalidParameter('alt_text is too long');
}

const json = <T>(schema: v.GenericSchema<unknown, T>) => v.pipe(v.string(), v.parseJson(), schema);
const unit = v.pipe(v.number(), v.minValue(0), v.maxValue(1));
const Username = v.pipe(v.string(), v.regex(/^[a-z0-9._]{1,30}$/i));
const Placed = v.strictObject({ username: Username, x: unit, y: unit });
const Named = v.strictObject({ username: Username, x: v.optional(unit), y: v.optional(unit) });
const Collaborators = v.pipe(json(v.array(Username)), v.maxLength(3));

function checkTags(params: Params, kind: Kind): void {
  const { user_tags: tags, collaborators } = params;
  if (collaborators !== undefined && !v.is(Collaborators, collaborators)) {
    invalidParameter('collaborators must be an array of at most 3 usernames');
  }
  if (tags === undefined) return;
  const list = v.safeParse(json(v.array(kind === 'IMAGE' ? Placed : Named)), tags);
  if (!list.success)
    return invalidParameter('user_tags must be an array of tags; images need x and y from 0 to 1');
  if (list.output.length > 20) refuse(2207040);
  const hidden = list.output.find(({ username }) => username.startsWith('private'));
  if (hidden) refuse(110, hidden.username);
}

function checkValues(params: Params): void {
  const { share_to_feed: shared, thumb_offset: offset, location_id: location } = params;
  if (shared !== undefined && !['true', 'false'].includes(shared))
    invalidParameter('share_to_feed must be a boolean');
  if (offset !== undefined && !/^\d+$/.test(offset)) invalidParameter('thumb_offset must be a whole number');
  // Pages without a location: ids that end with 404.
  if (location !== undefined && !/^\d+(?<!404)$/.test(location)) {
    invalidParameter('INSTAGRAM_PLATFORM_API__INVALID_LOCATION_ID');
  }
}
