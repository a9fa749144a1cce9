import type { Context, Hono } from 'hono';
import { DAY } from '../../../time/instant.ts';
import { authorize, page, refuse, type Grant } from './access.ts';
import { requireBoard, requirePin } from './pins.ts';
import { boardsOf, type PinterestAccount, type PinterestState, type SandboxBoard } from './state.ts';

const METRICS = [
  'IMPRESSION',
  'OUTBOUND_CLICK',
  'PIN_CLICK',
  'SAVE',
  'SAVE_RATE',
  'TOTAL_COMMENTS',
  'TOTAL_REACTIONS',
];
const VIDEO_METRICS = ['VIDEO_MRC_VIEW', 'VIDEO_START', 'VIDEO_AVG_WATCH_TIME', 'VIDEO_V50_WATCH_TIME'];

/** The account, its boards and the analytics of Pins. */
export function addReads(api: Hono, state: PinterestState): void {
  api.get('/v5/user_account', c => {
    const { account } = authorize(c, state, ['user_accounts:read']);
    return c.json(userView(account));
  });
  api.get('/v5/boards', c => {
    const { account } = authorize(c, state, ['boards:read']);
    return page(c, boardsOf(account).map(boardView));
  });
  api.get('/v5/boards/:id/sections', c => {
    const grant = authorize(c, state, ['boards:read']);
    return page(c, requireBoard(state, grant, c.req.param('id')).sections);
  });
  api.get('/v5/pins/:id/analytics', c => {
    const grant = authorize(c, state, ['boards:read', 'pins:read']);
    return analytics(c, state, grant);
  });
}

function userView({ id, username, business_name, boards }: PinterestAccount) {
  return {
    id,
    username,
    account_type: business_name === null ? 'PINNER' : 'BUSINESS',
    business_name,
    profile_image: `https://i.pinimg.com/600x600_R/${id}.jpg`,
    website_url: '',
    about: '',
    board_count: boards,
  };
}

function boardView({ id, name, owner, privacy, is_ads_only }: SandboxBoard) {
  return {
    id,
    name,
    description: `${name} of ${owner}`,
    privacy,
    owner: { username: owner },
    pin_count: 5,
    is_ads_only,
    media: { image_cover_url: `https://i.pinimg.com/400x300/${id}.jpg`, pin_thumbnail_urls: [] },
  };
}

const badAnalytics = () => refuse(400, 400, 'Invalid pins analytics parameters.');

function analytics(c: Context, state: PinterestState, grant: Grant): Response {
  if (grant.world === 'sandbox') return refuse(403, 403, 'Analytics are not available in the sandbox.');
  const pin = requirePin(state, grant, c.req.param('id') ?? '');
  const { start_date: start = '', end_date: end = '', metric_types: types = '' } = c.req.query();
  const [from, to] = [Date.parse(`${start}T00:00:00Z`), Date.parse(`${end}T00:00:00Z`)];
  const today = state.host.now();
  const isRange = from <= to && from > today - 90 * DAY && from <= today && to - from <= 90 * DAY;
  if (!isRange) return badAnalytics();
  const known = pin.creative_type === 'VIDEO' ? [...METRICS, ...VIDEO_METRICS] : METRICS;
  if (types === '' || types.split(',').some(type => !known.includes(type))) return badAnalytics();
  const set = state.host.metrics('pinterest', pin.id);
  const number = (name: string) => Number(set?.[name] ?? 0);
  const summary = { IMPRESSION: number('views'), OUTBOUND_CLICK: 0, PIN_CLICK: 0, SAVE: number('shares') };
  return c.json({
    all: {
      daily_metrics: [{ date: start, data_status: 'READY', metrics: summary }],
      lifetime_metrics: { TOTAL_COMMENTS: number('comments'), TOTAL_REACTIONS: number('likes') },
      summary_metrics: { ...summary, SAVE_RATE: 0 },
    },
  });
}
