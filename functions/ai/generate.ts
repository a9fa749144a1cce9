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
import type { GenerationResult } from '../../shared/ai/parse-output.ts';
import { AiFailure, GENERATION_TIMEOUT_MS, type Writer } from '../../shared/ai/writer.ts';
import { route } from '../../shared/http/define-route.ts';
import { ApiError } from '../../shared/http/errors.ts';
import type { Route } from '../../shared/http/route.ts';
import { PLAN_LIMITS } from '../../shared/model/plans.ts';
import type { Principal } from '../../shared/model/workspace.ts';
import type { Services } from '../../shared/runtime/services.ts';
import { getHashtagChoices } from '../../shared/store/banned-hashtags.ts';
import { releaseUse, keepUse, reserveUse, type Reservation } from '../../shared/store/usage.ts';
import { nextMonth, SECOND, toIso } from '../../shared/time/instant.ts';

const GeneratedPostView = v.pipe(
  v.object({
    caption: v.pipe(v.string(), v.description('Empty for type hashtags')),
    hashtags: v.pipe(v.string(), v.description('Separated by spaces')),
  }),
  v.title('GeneratedText'),
);

const GenerationView = v.pipe(
  v.object({
    type: v.picklist(AI_TYPES),
    platforms: v.array(v.picklist(AI_PLATFORMS)),
    tone: v.picklist(TONES),
    language: v.picklist(LANGUAGES),
    result: v.pipe(
      v.record(v.string(), GeneratedPostView),
      v.description('By platform. Caption and hashtags together are within the limit of the platform'),
    ),
  }),
  v.title('Generation'),
);

const LimitView = v.pipe(
  v.object({
    error: v.string(),
    code: v.literal('AI_LIMIT'),
    limit: v.pipe(v.number(), v.integer()),
    used: v.pipe(v.number(), v.integer()),
    resets_at: v.string(),
  }),
  v.title('AiLimitReached'),
);

const EXAMPLE = {
  type: 'caption',
  topic: 'A new single-origin coffee from Ethiopia',
  platforms: ['instagram', 'x'],
  tone: 'friendly',
  language: 'en',
};

/** Creates the route. `writerOf` returns the container's writer. */
export const generateRoute = (
  writerOf: (services: Services) => Promise<Writer>,
  timeoutMs = GENERATION_TIMEOUT_MS,
): Route =>
  route({
    method: 'POST',
    path: '/ai/generate',
    operation_id: 'generateText',
    summary: 'Write captions or hashtags, repurpose or improve a text, for up to five platforms',
    description:
      'Counts as one request of the monthly limit, however many platforms it names. Failed requests do not count. The header `X-AI-Provider` names the provider; `offline` is the built-in writer, which uses templates instead of a model.',
    tag: 'AI',
    auth: 'key',
    creates: true,
    body: anyBriefFields,
    body_docs: briefDocs,
    body_example: EXAMPLE,
    responses: {
      200: { description: 'The generated posts', schema: GenerationView, headers: ['X-AI-Provider'] },
      429: { description: 'The monthly limit of the plan is reached', schema: LimitView },
      502: {
        description: 'The AI provider returned no usable answer. Not counted',
        codes: ['AI_UNAVAILABLE'],
      },
    },
    handler: async ({ body, principal, newResourceId }, services) => {
      const brief = readBrief(body);
      const writer = await writerOf(services);
      const reservation = await reserve(services, principal, newResourceId());
      const result = await generateCounted(services, principal, writer, brief, reservation, timeoutMs);
      const { type, platforms, tone, language } = brief;
      return {
        status: 200,
        body: { type, platforms, tone, language, result },
        headers: { 'x-ai-provider': writer.name },
      };
    },
  });

/** Counts the request before the provider is called. Throws 429 when the month's requests are used up. */
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
      error: `The monthly limit of ${limit ?? 0} AI requests of the ${plan} plan is reached`,
      code: 'AI_LIMIT',
      limit,
      used: outcome.used,
      resets_at: toIso(resetsAt),
    },
    headers: { 'retry-after': String(Math.ceil((resetsAt - now) / SECOND)) },
  });
}

/** Generates the texts; a failure of any kind releases the reservation. Throws 502 when the provider failed. */
async function generateCounted(
  services: Services,
  { workspace_id }: Principal,
  writer: Writer,
  brief: Brief,
  reservation: Reservation,
  timeoutMs: number,
): Promise<GenerationResult> {
  let result;
  try {
    // Not at the start: they bring the rules of all platforms along.
    const [{ generate }, { bannedFor }, choices] = await Promise.all([
      import('../../shared/ai/generate.ts'),
      import('../../shared/posts/validate/banned-hashtags.ts'),
      getHashtagChoices(services.table, workspace_id),
    ]);
    const banned = bannedFor(choices);
    result = await generate(writer, brief, banned, timeoutMs);
  } catch (error) {
    await releaseUse(services.table, reservation);
    throw error instanceof AiFailure ? aiUnavailable() : error;
  }
  await keepUse(services.table, reservation, services.now());
  return result;
}

const aiUnavailable = () =>
  new ApiError({
    status: 502,
    body: {
      error: 'The AI provider returned no usable answer. Try again later. This request is not counted.',
      code: 'AI_UNAVAILABLE',
    },
  });
