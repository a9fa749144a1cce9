import * as v from 'valibot';
import {
  AI_PLATFORMS,
  AI_TYPES,
  anyBriefFields,
  briefDocs,
  LANGUAGES,
  readBrief,
  TONES,
  type Brief,
} from '../../shared/ai/brief.ts';
import { generate, PATIENCE_MS } from '../../shared/ai/generate.ts';
import type { Result } from '../../shared/ai/read-answer.ts';
import { AiFailure, type Writer } from '../../shared/ai/writer.ts';
import { route } from '../../shared/http/define-route.ts';
import { ApiError } from '../../shared/http/errors.ts';
import type { Route } from '../../shared/http/route.ts';
import { PLAN_LIMITS } from '../../shared/model/plans.ts';
import type { Principal } from '../../shared/model/workspace.ts';
import { bannedFor } from '../../shared/posts/banned-hashtags.ts';
import type { Services } from '../../shared/runtime/services.ts';
import { getHashtagChoices } from '../../shared/store/banned-hashtags.ts';
import { releaseUse, keepUse, reserveUse, type Reservation } from '../../shared/store/usage.ts';
import { nextMonth, SECOND, toIso } from '../../shared/time/instant.ts';

const WrittenView = v.object({
  caption: v.pipe(v.string(), v.description('Empty for type hashtags')),
  hashtags: v.pipe(v.string(), v.description('Separated by spaces')),
});

const GenerationView = v.object({
  type: v.picklist(AI_TYPES),
  platforms: v.array(v.picklist(AI_PLATFORMS)),
  tone: v.picklist(TONES),
  language: v.picklist(LANGUAGES),
  result: v.pipe(
    v.record(v.string(), WrittenView),
    v.description('By platform. Caption and hashtags together fit the platform'),
  ),
});

const LimitView = v.object({
  error: v.string(),
  code: v.literal('AI_LIMIT'),
  limit: v.pipe(v.number(), v.integer()),
  used: v.pipe(v.number(), v.integer()),
  resets_at: v.string(),
});

const EXAMPLE = {
  type: 'caption',
  topic: 'A new single-origin coffee from Ethiopia',
  platforms: ['instagram', 'x'],
  tone: 'friendly',
  language: 'en',
};

/** The route, written for by whoever `writerOf` names. */
export const generateWith = (writerOf: (services: Services) => Writer, patienceMs = PATIENCE_MS): Route =>
  route({
    method: 'POST',
    path: '/ai/generate',
    operation_id: 'generate',
    summary: 'Write captions or hashtags, repurpose or improve a text, for up to five platforms',
    description:
      'Counts as one request of the monthly limit, however many platforms it names; a failed one does not count.',
    tag: 'AI',
    auth: 'key',
    creates: true,
    body: anyBriefFields,
    body_docs: briefDocs,
    body_example: EXAMPLE,
    responses: {
      200: { description: 'What was written', schema: GenerationView, headers: ['X-AI-Provider'] },
      429: { description: 'The monthly limit of the plan is reached', schema: LimitView },
      502: { description: 'The AI provider gave nothing that could be used: `AI_UNAVAILABLE`. Not counted' },
    },
    handler: async ({ body, principal, newResourceId }, services) => {
      const brief = readBrief(body);
      const writer = writerOf(services);
      const reserved = await reserve(services, principal, newResourceId());
      const result = await writeOnce(services, principal, writer, brief, reserved, patienceMs);
      const { type, platforms, tone, language } = brief;
      return {
        status: 200,
        body: { type, platforms, tone, language, result },
        headers: { 'x-ai-provider': writer.name },
      };
    },
  });

/** Counts the request before anything is paid for. Throws 429 where the month's are used up. */
async function reserve(
  services: Services,
  { workspace_id, plan }: Principal,
  id: string,
): Promise<Reservation> {
  const limit = PLAN_LIMITS[plan].ai_requests;
  const now = services.now();
  const outcome = await reserveUse(services.table, { workspace_id, feature: 'AI', id }, limit, now);
  if ('entry' in outcome) return outcome;
  const resetsAt = nextMonth(now);
  throw new ApiError({
    status: 429,
    body: {
      error: `The ${plan} plan has ${limit ?? 0} AI requests a month`,
      code: 'AI_LIMIT',
      limit,
      used: outcome.used,
      resets_at: toIso(resetsAt),
    },
    headers: { 'retry-after': String(Math.ceil((resetsAt - now) / SECOND)) },
  });
}

/** A use that came to nothing is given back, whatever went wrong. Throws 502 where the provider did. */
async function writeOnce(
  services: Services,
  { workspace_id }: Principal,
  writer: Writer,
  brief: Brief,
  reserved: Reservation,
  patienceMs: number,
): Promise<Result> {
  let result;
  try {
    const banned = bannedFor(await getHashtagChoices(services.table, workspace_id));
    result = await generate(writer, brief, banned, patienceMs);
  } catch (error) {
    await releaseUse(services.table, reserved);
    throw error instanceof AiFailure ? aiUnavailable() : error;
  }
  await keepUse(services.table, reserved, services.now());
  return result;
}

const aiUnavailable = () =>
  new ApiError({
    status: 502,
    body: {
      error: 'The AI provider gave no usable answer. Try again later; this request is not counted.',
      code: 'AI_UNAVAILABLE',
    },
  });
