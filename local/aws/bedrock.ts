import * as v from 'valibot';
import { AI_PLATFORMS, AI_TYPES, LANGUAGES, readBrief, TONES } from '../../shared/ai/brief.ts';
import { writeOffline } from '../../shared/ai/offline/writer.ts';
import { LANGUAGE_NAMES } from '../../shared/ai/prompt.ts';
import { AwsError, ok, type AwsResponse } from './response.ts';

const Texts = v.pipe(v.array(v.object({ text: v.string() })), v.minLength(1));

const Converse = v.object({
  system: Texts,
  messages: v.pipe(
    v.array(v.object({ role: v.picklist(['user', 'assistant']), content: Texts })),
    v.minLength(1),
  ),
  inferenceConfig: v.optional(v.object({ maxTokens: v.pipe(v.number(), v.integer(), v.minValue(1)) })),
  toolConfig: v.object({
    tools: v.tuple([
      v.object({
        toolSpec: v.object({
          name: v.pipe(v.string(), v.regex(/^[\w-]{1,64}$/)),
          inputSchema: v.object({ json: v.object({ required: v.array(v.picklist(AI_PLATFORMS)) }) }),
        }),
      }),
    ]),
  }),
});

const Data = v.object({
  type: v.picklist(AI_TYPES),
  source: v.string(),
  context: v.nullish(v.string(), null),
});

const PATH = /^\/model\/[^/]+\/converse$/;
/** Average length of a token. */
const CHARACTERS_PER_TOKEN = 4;

export const isConverse = (path: string) => PATH.test(path);

/** Answers Bedrock's Converse call in the form the service uses (one tool). The offline writer stands in for the model. */
export function converse(body: unknown): AwsResponse {
  const parsed = v.safeParse(Converse, body);
  if (!parsed.success) throw new AwsError('ValidationException', describeIssue(parsed.issues[0]));
  const { system, messages, toolConfig } = parsed.output;
  const [{ toolSpec }] = toolConfig.tools;
  const instructions = textOf(system);
  const content = textOf(messages.flatMap(({ content }) => content));
  const input = generate(instructions, content, toolSpec.inputSchema.json.required);
  const [inputTokens, outputTokens] = [instructions + content, JSON.stringify(input)].map(tokens);
  return ok({
    metrics: { latencyMs: 1 },
    output: {
      message: {
        role: 'assistant',
        content: [{ toolUse: { toolUseId: 'tooluse_local', name: toolSpec.name, input } }],
      },
    },
    stopReason: 'tool_use',
    usage: { inputTokens, outputTokens, totalTokens: (inputTokens ?? 0) + (outputTokens ?? 0) },
  });
}

/** Follows the known instructions of the prompt. */
function generate(instructions: string, content: string, platforms: readonly string[]) {
  const data = v.parse(Data, JSON.parse(/<data>(.*)<\/data>/s.exec(content)?.[1] ?? 'null'));
  const count = Number(/exactly (\d+) hashtags/.exec(instructions)?.[1] ?? 15);
  const brief = readBrief({
    ...data,
    topic: data.type === 'caption' || data.type === 'hashtags' ? data.source : null,
    text: data.source,
    platforms,
    tone: TONES[0],
    language: LANGUAGES.find(code => instructions.includes(`Language: ${LANGUAGE_NAMES[code]}.`)),
    hashtag_count: count,
  });
  const posts = Object.entries(writeOffline(brief));
  // The prompt fixes the number of hashtags.
  return Object.fromEntries(
    posts.map(([platform, { caption, hashtags }]) => [
      platform,
      { caption, hashtags: hashtags.slice(0, count) },
    ]),
  );
}

const textOf = (parts: readonly { text: string }[]) => parts.map(({ text }) => text).join('\n');
const tokens = (text: string) => Math.ceil(text.length / CHARACTERS_PER_TOKEN);
const describeIssue = (issue: v.BaseIssue<unknown>) =>
  `${v.getDotPath(issue) ?? 'request'}: ${issue.message}`;
